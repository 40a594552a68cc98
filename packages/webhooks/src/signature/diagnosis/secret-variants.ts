import type { MismatchCause } from '../explain-mismatch.js'
import { decodeBase64 } from './body-variants.js'

/** A key that may have signed instead of the given secret. */
export interface SecretVariant {
  readonly cause: MismatchCause
  readonly evidence: string
  readonly key: string | Uint8Array
}

/** Generates keys that the secret may represent, most likely first. */
export function* secretVariants(secret: string): Generator<SecretVariant> {
  const trimmed = secret.replace(/\\r|\\n/g, '').trim()
  if (trimmed !== secret) {
    yield variant('SECRET_WHITE_SPACE', 'The secret has extra white space or a newline at its start or end.', trimmed)
  }
  const unquoted = trimmed.replace(/^(["'`])(.*)\1$/s, '$2')
  if (unquoted !== trimmed) {
    yield variant('SECRET_QUOTED', 'The secret has extra quotes around it.', unquoted)
  }
  const unprefixed = unquoted.replace(/^(?:[A-Za-z_][A-Za-z0-9_]*\s*=\s*|Bearer\s+|sha256=|v1,|whsec_)/, '')
  if (unprefixed !== unquoted) {
    yield variant('SECRET_PREFIXED', 'The secret has an extra prefix.', unprefixed)
    yield variant(
      'SECRET_PREFIXED',
      'The secret has an extra prefix and extra quotes.',
      unprefixed.replace(/^(["'`])(.*)\1$/s, '$2'),
    )
  }
  for (const part of unquoted.split(/[,;|\s]+/, 4)) {
    if (part !== unquoted && part !== '') {
      yield variant('SECRET_LIST_IN_ONE_STRING', 'The secret is a list in one string; one of its entries signed.', part)
    }
  }
  const base64 = decodeBase64(unprefixed)
  if (/^(?:[0-9a-fA-F]{2})+$/.test(unprefixed)) {
    const decoded = Uint8Array.from(unprefixed.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
    yield variant('SECRET_HEX_ENCODED', 'The secret is hexadecimal; its decoded bytes signed.', decoded)
  }
  if (base64) yield variant('SECRET_BASE64_ENCODED', 'The secret is base64; its decoded bytes signed.', base64)
  const bytes = new TextEncoder().encode(unquoted)
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  const encoded = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
  yield variant('SECRET_DECODED_BY_SENDER', 'The hexadecimal form of the secret signed.', hex)
  yield variant('SECRET_DECODED_BY_SENDER', 'The base64 form of the secret signed.', encoded)
}

function variant(cause: MismatchCause, evidence: string, key: string | Uint8Array): SecretVariant {
  return { cause, evidence, key }
}
