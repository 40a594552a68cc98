import { setOwn } from '../own-member.js'
import { parseDateTime } from '../submission/calendar-date.js'
import { isOptionalText } from '../submission/optional-texts.js'
import type { Fingerprint, PiiTokenizer } from '../tokenization/pii-vault.js'
import { parseToken } from '../tokenization/token.js'

const MAX_DEPTH = 64
const MAX_VALUES = 20_000

/**
 * Returns the same text for all spellings of a payload: keys are sorted, null members and empty optional texts left
 * out, dashes removed from the SSN. The offset of `decisionedAt` and the query of a photo URL do not count. A value that
 * JSON cannot hold gives a text that matches no recorded payload.
 *
 * A token is reduced to its field and last four digits because every tokenization of a value gives a fresh token.
 */
export function canonicalPayload(input: unknown): string {
  let values = 0

  /** `parent` and `key` are the position of the value; only texts depend on it. */
  function canonical(value: unknown, parent: string, key: string, depth: number): unknown {
    values += 1
    if (depth > MAX_DEPTH || values > MAX_VALUES) return '…'
    if (typeof value === 'string') return canonicalText(value, parent, key)
    if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value
    if (typeof value !== 'object') return typeof value
    const path = depth === 0 ? '' : `${parent}/${key}`
    if (Array.isArray(value)) return value.map((item) => canonical(item ?? null, path, '*', depth + 1))
    const object = value as Record<string, unknown>
    const sorted: Record<string, unknown> = {}
    for (const name of Object.keys(object).sort()) {
      const member = object[name]
      if (member === '' && isOptionalText(`${path}/${name}`)) continue
      if (member !== null && member !== undefined) setOwn(sorted, name, canonical(member, path, name, depth + 1))
    }
    return sorted
  }

  return JSON.stringify(canonical(input, '', '', 0))
}

/** The query of a URL: a new signature of the same photo. */
const QUERY = /^([^?#]*)\?[^#]*/

function canonicalText(text: string, parent: string, key: string): string {
  if (key === 'decisionedAt' && parent === '') return canonicalInstant(text)
  if (parent === '/verifications/document/photos') return text.replace(QUERY, '$1')
  const isSsn = key === 'ssn' && parent === '/person'
  if (!isSsn && !(key === 'documentNumber' && parent === '/verifications/document')) return text
  const token = parseToken(text)
  if (token) return `tok_${token.field}_${token.lastFour ?? ''}`
  return isSsn ? text.replaceAll('-', '') : text
}

/** Returns an instant in UTC, whatever its spelling and offset; other text as it is. */
function canonicalInstant(text: string): string {
  const instant = parseDateTime(text)
  return instant ? new Date(instant.epochMs).toISOString() : text
}

/** Computes a keyed digest of a payload. Without the key, SSNs and birth dates cannot be found by trying them. */
export function payloadDigest(tokenizer: PiiTokenizer, input: unknown): Promise<Fingerprint> {
  return tokenizer.fingerprint('payload', canonicalPayload(input))
}

/** Compares two digests by their bytes. */
export function equalDigests(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index])
}
