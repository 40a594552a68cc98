import { nodeHmacParts } from './runtime.js'
import { hexDigestLength, isHexDigest } from './signed-request.js'

/**
 * Computes HMAC-SHA-256 with `createHmac` of Node where available (several times as fast), otherwise with Web Crypto.
 *
 * @returns 64 lower-case hexadecimal characters; a promise only with Web Crypto.
 */
export function hmacSha256Hex(body: string | Uint8Array, secret: string | Uint8Array): string | Promise<string> {
  return (
    nodeHmacParts()?.crypto.createHmac('sha256', secret).update(body).digest('hex') ?? webCryptoHmacHex(body, secret)
  )
}

/**
 * Checks whether a signature is the HMAC-SHA-256 of the body under one of the secrets, in constant time: by
 * `timingSafeEqual` where `node:crypto` is there, else by `crypto.subtle.verify`. Does not stop at the first match.
 *
 * @param signature Any other text than 64 lower-case hexadecimal characters matches nothing.
 * @returns a promise only with Web Crypto.
 */
export function matchesHmac(
  body: string | Uint8Array,
  signature: string,
  secrets: readonly string[],
): boolean | Promise<boolean> {
  const node = nodeHmacParts()
  if (!node) return matchesByWebCrypto(body, signature, secrets)
  const { crypto, Buffer } = node
  // Compared as hexadecimal text: for a digest in bytes Node allocates outside its pool, which adds a tenth to an HMAC.
  const given = Buffer.from(signature)
  if (given.length !== hexDigestLength) return false
  let matches = false
  for (const secret of secrets) {
    const expected = Buffer.from(crypto.createHmac('sha256', secret).update(body).digest('hex'))
    matches = crypto.timingSafeEqual(expected, given) || matches
  }
  return matches
}

async function matchesByWebCrypto(
  body: string | Uint8Array,
  signature: string,
  secrets: readonly string[],
): Promise<boolean> {
  if (!isHexDigest(signature)) return false
  let matches = false
  for (const secret of secrets) {
    const key = await importKey(secret, 'verify')
    matches = (await crypto.subtle.verify('HMAC', key, bytesOfHex(signature), ownBytes(body))) || matches
  }
  return matches
}

async function webCryptoHmacHex(body: string | Uint8Array, secret: string | Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.sign('HMAC', await importKey(secret, 'sign'), ownBytes(body)))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function bytesOfHex(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

function importKey(secret: string | Uint8Array, use: 'sign' | 'verify') {
  return crypto.subtle.importKey('raw', ownBytes(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [use])
}

// A copy: Web Crypto accepts no shared memory.
function ownBytes(value: string | Uint8Array): Uint8Array<ArrayBuffer> {
  return typeof value === 'string' ? new TextEncoder().encode(value) : new Uint8Array(value)
}
