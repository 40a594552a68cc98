import { WebhookVerificationError } from './verification-error.js'

/** A raw request body: its bytes, or the text they decode to. Never a parsed object. */
export type WebhookBody = string | Uint8Array | ArrayBuffer

/** The application's API key; several while it is being rotated. Empty entries are left out. */
export type Secrets = string | readonly (string | undefined)[]

/** The secrets that can be used. An empty one never is: anybody could sign with it. */
export function usableSecrets(secrets: Secrets): readonly string[] {
  // Options without secrets must not find some in a polluted Object.prototype.
  if (secrets === (Object.prototype as { secrets?: unknown }).secrets) {
    throw new WebhookVerificationError('SECRET_MISSING')
  }
  if (typeof secrets === 'string' && isUsable(secrets)) return [secrets]
  const usable = Array.isArray(secrets) ? secrets.filter(isUsable) : []
  if (usable.length === 0) throw new WebhookVerificationError('SECRET_MISSING')
  return usable
}

function isUsable(secret: unknown): secret is string {
  return typeof secret === 'string' && secret.trim() !== ''
}

/** The body as it can be signed, whatever a caller without types passes. */
export function signedBytes(body: WebhookBody): string | Uint8Array {
  if (typeof body === 'string') return body
  if (body === undefined || body === null) throw new WebhookVerificationError('BODY_EMPTY')
  // Not `instanceof`: Jest's jsdom and other realms have typed arrays of their own.
  if (ArrayBuffer.isView(body)) {
    const { buffer, byteOffset, byteLength } = body
    return body.length === byteLength ? body : new Uint8Array(buffer, byteOffset, byteLength)
  }
  if (Object.prototype.toString.call(body) === '[object ArrayBuffer]') return new Uint8Array(body)
  throw new WebhookVerificationError('BODY_ALREADY_PARSED')
}

/** Checked before anything decodes the digest: decoders of hexadecimal text stop silently at what they do not know. */
export function isHexDigest(signature: string): boolean {
  return /^[0-9a-f]{64}$/.test(signature)
}
