import type { Fingerprint, PiiTokenizer } from '../tokenization/pii-vault.js'
import { parseToken } from '../tokenization/token.js'

const MAX_DEPTH = 64
const MAX_VALUES = 20_000

/**
 * One text for all spellings of one payload: keys sorted, null members left out, the SSN without dashes. Not in it are
 * key order and white space. A payload no JSON text could hold gives some text that matches no recorded one.
 *
 * A token stands for its field and last four digits only, since every tokenization of one value gives a fresh token.
 */
export function canonicalPayload(input: unknown): string {
  let values = 0

  function canonical(value: unknown, path: string, depth: number): unknown {
    values += 1
    if (depth > MAX_DEPTH || values > MAX_VALUES) return '…'
    if (typeof value === 'string') return canonicalText(value, path)
    if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value
    if (Array.isArray(value)) return value.map((item) => canonical(item ?? null, `${path}/*`, depth + 1))
    if (typeof value !== 'object') return typeof value
    const object = value as Record<string, unknown>
    // Without a prototype, so that every key is a plain member.
    const sorted = Object.create(null) as Record<string, unknown>
    for (const key of Object.keys(object).sort()) {
      const member = object[key]
      if (member !== null && member !== undefined) sorted[key] = canonical(member, `${path}/${key}`, depth + 1)
    }
    return sorted
  }

  return JSON.stringify(canonical(input, '', 0))
}

function canonicalText(text: string, path: string): string {
  if (path !== '/person/ssn' && path !== '/verifications/document/documentNumber') return text
  const token = parseToken(text)
  if (token) return `tok_${token.field}_${token.lastFour ?? ''}`
  return path === '/person/ssn' ? text.replaceAll('-', '') : text
}

/** Keyed digest of a payload as sent. The key keeps it from being reversed by trying SSNs and birth dates. */
export function payloadDigest(tokenizer: PiiTokenizer, input: unknown): Promise<Fingerprint> {
  return tokenizer.fingerprint('payload', canonicalPayload(input))
}

/** True when two digests hold the same bytes. */
export function equalDigests(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index])
}
