import type { MismatchCause } from '../explain-mismatch.js'
import { decodeBase64 } from './body-variants.js'

/** A key that may have signed instead of the secret that was passed. */
export interface SecretVariant {
  readonly cause: MismatchCause
  readonly evidence: string
  readonly key: string | Uint8Array
}

/** What the secret may be meant to be, most likely first. */
export function* secretVariants(secret: string): Generator<SecretVariant> {
  const trimmed = secret.replace(/\\r|\\n/g, '').trim()
  if (trimmed !== secret) {
    yield variant(
      'SECRET_WHITE_SPACE',
      'The secret has white space or a newline at its ends that does not belong to it.',
      trimmed,
    )
  }
  const unquoted = trimmed.replace(/^(["'`])(.*)\1$/s, '$2')
  if (unquoted !== trimmed) {
    yield variant('SECRET_QUOTED', 'The secret has quotes around it that do not belong to it.', unquoted)
  }
  const unprefixed = unquoted.replace(/^(?:[A-Za-z_][A-Za-z0-9_]*\s*=\s*|Bearer\s+|sha256=|v1,|whsec_)/, '')
  if (unprefixed !== unquoted) {
    yield variant('SECRET_PREFIXED', 'The secret has a prefix that does not belong to it.', unprefixed)
    yield variant(
      'SECRET_PREFIXED',
      'The secret has a prefix and quotes that do not belong to it.',
      unprefixed.replace(/^(["'`])(.*)\1$/s, '$2'),
    )
  }
  for (const part of unquoted.split(/[,;|\s]+/, 4)) {
    if (part !== unquoted && part !== '') {
      yield variant(
        'SECRET_LIST_IN_ONE_STRING',
        'The secret is a list of several in one string; one of them signed.',
        part,
      )
    }
  }
  const base64 = decodeBase64(unprefixed)
  if (/^(?:[0-9a-fA-F]{2})+$/.test(unprefixed)) {
    const decoded = Uint8Array.from(unprefixed.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
    yield variant('SECRET_HEX_ENCODED', 'The secret is hexadecimal; what it decodes to signed.', decoded)
  }
  if (base64) yield variant('SECRET_BASE64_ENCODED', 'The secret is base64; what it decodes to signed.', base64)
  const bytes = new TextEncoder().encode(unquoted)
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  const encoded = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
  yield variant('SECRET_DECODED_BY_SENDER', 'The hexadecimal form of the secret signed.', hex)
  yield variant('SECRET_DECODED_BY_SENDER', 'The base64 form of the secret signed.', encoded)
}

function variant(cause: MismatchCause, evidence: string, key: string | Uint8Array): SecretVariant {
  return { cause, evidence, key }
}
