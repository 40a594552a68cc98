import { parseDateTime } from '@kyc-relay/kyc-core/internal'
import * as z from 'zod'

/** The years 1 to 9999 in UTC: both databases store them, and RFC 3339 writes them. */
const earliestMs = Date.parse('0001-01-01T00:00:00.000Z')
const latestMs = Date.parse('9999-12-31T23:59:59.999Z')

/** Schema of a time in a request: the date-times that `decisionedAt` of a submission accepts, in the years 1 to 9999. */
export const givenInstant = z.string().transform((text, context) => {
  const parsed = parseDateTime(text)
  if (parsed === null) {
    context.issues.push({ code: 'custom', input: text })
    return z.NEVER
  }
  const { epochMs } = parsed
  if (epochMs < earliestMs)
    context.issues.push({ code: 'too_small', origin: 'number', minimum: earliestMs, input: epochMs })
  if (epochMs > latestMs) context.issues.push({ code: 'too_big', origin: 'number', maximum: latestMs, input: epochMs })
  return new Date(epochMs)
})
