import { hash } from 'node:crypto'

const BLOCK_BYTES = 64
const DIGEST_BYTES = 32

/**
 * Computes HMAC-SHA-256 under one key, in lower-case hexadecimal (RFC 2104, section 2). It pads the key once and uses
 * the one-shot hash: each submission needs several HMACs, and a stream for each costs more than its hash.
 *
 * @param key At most 64 bytes.
 */
export function createHmacSha256Hex(key: Uint8Array): (text: string) => string {
  const innerPad = Buffer.alloc(BLOCK_BYTES, 0x36)
  const outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES, 0x5c)
  key.forEach((byte, index) => {
    innerPad[index] = byte ^ 0x36
    outer[index] = byte ^ 0x5c
  })
  return (text) => {
    const length = Buffer.byteLength(text, 'utf8')
    const inner = Buffer.allocUnsafe(BLOCK_BYTES + length)
    innerPad.copy(inner)
    inner.write(text, BLOCK_BYTES, 'utf8')
    outer.write(hash('sha256', inner, 'hex'), BLOCK_BYTES, 'hex')
    // The memory returns to Node's pool, so key and text are overwritten.
    inner.fill(0)
    return hash('sha256', outer, 'hex')
  }
}
