import { violation, type ViolationCode } from '../http/violations.js'
import { registration } from '../webhooks-api/webhook-schemas.js'
import { readHeaders } from './header-lines.js'
import type { EndpointFormProblem } from './pages/endpoint-form-page.js'

/** Reads the form of a URL. `problem` is null if it can be used. */
export function readEndpointForm(fields: URLSearchParams, names: readonly string[]) {
  const form = {
    url: (fields.get('url') ?? '').trim(),
    description: (fields.get('description') ?? '').trim(),
    eventTypes: fields.getAll('eventTypes').filter((name) => names.includes(name)),
    standardWebhooks: fields.get('standardWebhooks') !== null,
    headers: (fields.get('headers') ?? '').replaceAll('\r', ''),
    removeHeaders: fields.get('removeHeaders') !== null,
  }
  const { removeHeaders, ...settings } = form
  const lines = readHeaders(form.headers)
  const isDescribed = registration.shape.description.safeParse(form.description).success
  const problem: EndpointFormProblem | null =
    form.eventTypes.length < fields.getAll('eventTypes').length
      ? noSuchType
      : new Set(lines.map(([name]) => name)).size < lines.length
        ? { field: 'headers', text: violation('/headers', 'HEADER_NAME_REPEATED').message }
        : isDescribed
          ? null
          : { field: 'description', text: descriptionProblem }
  const headers = lines.length > 0 ? Object.fromEntries(lines) : removeHeaders ? {} : undefined
  const description = form.description === '' ? null : form.description
  return { form, settings: { ...settings, description, headers }, problem }
}

interface Refusal {
  readonly kind: 'url_refused' | 'headers_refused'
  readonly code: ViolationCode
}

/** Says which field the REST API would refuse, in its words. */
export function refusedField({ kind, code }: Refusal): EndpointFormProblem {
  const field = kind === 'url_refused' ? 'url' : 'headers'
  return { field, text: violation(`/${field}`, code).message }
}

const descriptionProblem = 'The description is longer than 200 characters, or has control characters.'
export const notKept: EndpointFormProblem = {
  field: null,
  text: 'Your session had ended, and the form was too large to keep. Fill it in again.',
}
export const noSuchType: EndpointFormProblem = { field: 'eventTypes', text: 'This event type does not exist.' }
