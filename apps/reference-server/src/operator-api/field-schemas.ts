import { z } from 'zod'

/**
 * An id as our services exchange them: the shape of a UUID, of any version. Read in either letter case and kept in lower case
 * (RFC 9562, 4), so that two spellings are one user or one transaction, and an erasure never misses its user.
 */
export const id = z.guid().toLowerCase()

/** Id of a fact at its source: 1 to 255 visible ASCII characters. */
export const sourceEventId = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/)
  .nullish()

/** Payload fields of an event. */
export const eventData = z.record(z.string(), z.unknown())

/** A name or reason for the audit: 1 to 200 characters, not blank, no control characters or line separators. */
export const auditText = z
  .string()
  .max(200)
  .regex(/\S/)
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u)

/** One to fifty names of scopes. */
export const scopes = z
  .array(z.string().regex(/^[A-Z][A-Z0-9_]{0,63}$/))
  .min(1)
  .max(50)
