import * as z from 'zod'
import { identifier, instant, text } from './field-schemas.js'

const status = z.enum(['UNVERIFIED', 'PASS', 'PASS_INTERNATIONAL'])

export const kycStatusChangedSchema = z.strictObject({
  eventType: z.literal('KYC_STATUS_CHANGED'),
  userId: identifier,
  accountId: identifier,
  externalReferenceId: text,
  appId: identifier,
  previous: status,
  next: status,
  changedAt: instant,
  source: z.enum(['SUBMISSION', 'OPERATOR']),
  verificationId: identifier.nullable(),
})
