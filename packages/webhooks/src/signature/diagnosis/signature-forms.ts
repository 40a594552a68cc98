import type { MismatchCause } from '../explain-mismatch.js'
import { isHexDigest } from '../signed-request.js'
import { decodeBase64 } from './body-variants.js'

/** Fault of the header, with its digest if one can be read. */
export interface SignatureForm {
  readonly cause: MismatchCause
  readonly evidence: string
  /** 64 lower-case hexadecimal characters, or null. */
  readonly digest: string | null
}

/** Checks the form of the header; null when it is the form that the service sends. */
export function inspectSignature(value: string): SignatureForm | null {
  if (isHexDigest(value)) return null
  if (value.includes(',') && !/^(?:v1,|t=\d+,)/.test(value)) {
    const parts = value.split(',').map((part) => part.trim())
    const digest = parts.every((part) => part === parts[0]) ? (parts[0] ?? null) : (parts.find(isHexDigest) ?? null)
    return form(
      'SIGNATURE_DUPLICATED',
      `The header has ${parts.length} values: it was sent or added more than once.`,
      digest,
    )
  }
  const bare = value.trim().replace(/^(["'])(.*)\1$/, '$2')
  if (isHexDigest(bare))
    return form('SIGNATURE_WRAPPED', 'The header has white space or quotes around the signature.', bare)

  const unprefixed = bare.replace(/^(?:t=\d+,)?(?:hmac-)?(?:sha-?256|v\d)[=:,]\s*/i, '')
  if (unprefixed !== bare && isHexDigest(unprefixed.toLowerCase())) {
    return form(
      'SIGNATURE_PREFIXED',
      'The header has a prefix such as sha256= before the signature.',
      unprefixed.toLowerCase(),
    )
  }
  if (isHexDigest(unprefixed.toLowerCase())) {
    return form(
      'SIGNATURE_UPPER_CASE',
      'The signature is in upper case; the service sends lower case.',
      unprefixed.toLowerCase(),
    )
  }
  const decoded = /^[0-9a-fA-F]+$/.test(unprefixed) ? null : decodeBase64(unprefixed)
  if (decoded?.length === 32) {
    const digest = Array.from(decoded, (byte) => byte.toString(16).padStart(2, '0')).join('')
    return form('SIGNATURE_BASE64', 'The signature is base64; the service sends hexadecimal.', digest)
  }
  if (/^[0-9a-fA-F]+$/.test(unprefixed)) {
    const length = unprefixed.length
    const other = length === 40 ? ' (that of SHA-1)' : length === 128 ? ' (that of SHA-512)' : ''
    return form(
      'SIGNATURE_WRONG_LENGTH',
      `The signature has ${length} hexadecimal characters${other} instead of 64.`,
      null,
    )
  }
  return form('SIGNATURE_NOT_HEXADECIMAL', 'The header is not hexadecimal.', null)
}

function form(cause: MismatchCause, evidence: string, digest: string | null): SignatureForm {
  return { cause, evidence, digest: digest !== null && isHexDigest(digest) ? digest : null }
}
