import { WebhookVerificationError } from './verification-error.js'

/** A raw request body: its bytes, or their UTF-8 text. Never a parsed object. */
export type WebhookBody = string | Uint8Array | ArrayBuffer

/**
 * API key of the application; several keys during a rotation. `undefined` compiles, so that a variable of the environment
 * can be passed. Alone it is refused with `SECRET_MISSING`; beside a key it is ignored, so that the second variable can be
 * absent. An empty text never verifies anything; a handler that is created with one is refused with `SECRET_MISSING`.
 */
export type Secrets = string | undefined | readonly (string | undefined)[]

/** Returns the usable secrets. An empty secret is never used: anyone could sign with it. */
export function usableSecrets(secrets: Secrets): readonly string[] {
  // Options without secrets must not inherit some from a polluted Object.prototype.
  if (secrets === (Object.prototype as { secrets?: unknown }).secrets) {
    throw new WebhookVerificationError('SECRET_MISSING')
  }
  if (isUsable(secrets)) return [secrets]
  const usable = Array.isArray(secrets) ? secrets.filter(isUsable) : []
  if (usable.length === 0) throw new WebhookVerificationError('SECRET_MISSING')
  return usable
}

function isUsable(secret: unknown): secret is string {
  return typeof secret === 'string' && secret.trim() !== ''
}

/** Checks the body of a caller without types. */
export function signedBytes(body: WebhookBody): string | Uint8Array {
  if (typeof body === 'string') return body
  if (body === undefined || body === null) throw new WebhookVerificationError('BODY_EMPTY')
  // Not `instanceof`: typed arrays of Jest's jsdom and other realms are not instances.
  if (ArrayBuffer.isView(body)) {
    const { buffer, byteOffset, byteLength } = body
    return body.length === byteLength ? body : new Uint8Array(buffer, byteOffset, byteLength)
  }
  if (Object.prototype.toString.call(body) === '[object ArrayBuffer]') return new Uint8Array(body)
  throw new WebhookVerificationError('BODY_ALREADY_PARSED')
}

/** Characters of an HMAC-SHA-256 in hexadecimal. */
export const hexDigestLength = 64

/** Checked before decoding: decoders of hexadecimal text stop silently at an invalid character. */
export function isHexDigest(signature: string): boolean {
  return signature.length === hexDigestLength && !/[^0-9a-f]/.test(signature)
}

/** Up to 200 visible ASCII characters without a comma, which would join several values of one header. */
export function isEventId(text: string): boolean {
  return text.length <= 200 && !/[^!-+\--~]/.test(text)
}
