import * as z from 'zod'
import type { RefusalNote } from '../webhooks-api/operation.js'
import { auditText } from './field-schemas.js'

export const base = '/internal/v1'
export const uuid = z.guid()
export const instant = z.iso.datetime()

/** Refusals and members that several groups of operations have. */
export const notFound: RefusalNote = { status: 404, code: 'NOT_FOUND', when: 'There is no object with this id.' }
export const appUnknown: RefusalNote = { ...notFound, detail: 'APP_UNKNOWN', when: 'There is no app with this id.' }
export const bodyInvalid: RefusalNote = {
  status: 400,
  code: 'BAD_REQUEST',
  detail: 'BODY_INVALID',
  when: 'The body is invalid; see `violations`.',
}
export const conflict = (detail: string, when: string): RefusalNote => ({
  status: 409,
  code: 'BAD_REQUEST',
  detail,
  when,
})

export const reason = auditText.meta({ description: 'Goes into the audit log.' })
export const actor = auditText.nullish().meta({
  description: 'The person for whom a service acts. An operator is known by the token and does not send it.',
})
export const withReason = z.strictObject({ reason, actor })
export const withPurpose = z.strictObject({ purpose: reason, actor })
export const done = (description: string) => ({ 204: { description, schema: null } })
export const anyObject: z.ZodType<object, object> = z.record(z.string(), z.unknown())
