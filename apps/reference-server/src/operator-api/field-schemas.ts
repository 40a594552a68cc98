import { parseDateTime } from '@kyc-relay/kyc-core/internal'
import * as z from 'zod'

/**
 * Schema of an id: a UUID of any version in either letter case, converted to lower case (RFC 9562, section 4). So both
 * spellings mean one user, and an erasure never misses its user.
 */
export const id = z.guid().toLowerCase()

/** Schema of the id of an event at its source: 1 to 255 visible ASCII characters. */
export const sourceEventId = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/)
  .nullish()
  .meta({ description: 'Id of the event at its source: a repeated one is published once.' })

/** Payload fields of an event. */
export const eventData = z.record(z.string(), z.unknown())

const instantFields = ['createdAt', 'updatedAt', 'transactionDateTime'] as const

/**
 * Payload fields of an event of a transaction. Their times may be any that `decisionedAt` of a submission accepts. What
 * is no RFC 3339 text is written as one, because receivers expect it.
 */
export const transactionData = eventData.transform((data) => {
  const read: Record<string, unknown> = { ...data }
  for (const field of instantFields) {
    const text = read[field]
    if (typeof text !== 'string' || z.iso.datetime({ offset: true }).safeParse(text).success) continue
    const parsed = parseDateTime(text)
    if (parsed !== null) read[field] = new Date(parsed.epochMs).toISOString()
  }
  return read
})

/**
 * Schema of a name or reason in the audit log: 1 to 200 characters, not blank, no control characters or line
 * separators.
 */
export const auditText = z
  .string()
  .max(200)
  .regex(/\S/)
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u)

/** Schema of an app's name: one line of 1 to 200 characters that can be typed and read, without direction overrides. */
export const appName = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]*$/u)

/** Schema of a KYC status. */
export const kycStatus = z.enum(['UNVERIFIED', 'PASS', 'PASS_INTERNATIONAL'])

/** One to fifty names of scopes. */
export const scopes = z
  .array(z.string().regex(/^[A-Z][A-Z0-9_]{0,63}$/))
  .min(1)
  .max(50)
