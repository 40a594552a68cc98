import { createHmac, hash } from 'node:crypto'
import { createAuditSeal, type AuditSeal } from '../audit/audit-seal.js'
import { KycError } from '../kyc-error.js'
import type { KeyFile } from './key-file.js'

const BLOCK_BYTES = 64
const DIGEST_BYTES = 32

/**
 * An {@link AuditSeal} with keys from a key file. New entries are sealed with the file's active audit key; entries sealed
 * with its other audit keys can be checked for as long as those stay in it.
 *
 * A file without an audit key, as they were made before there was an audit log, gives one derived from its fingerprint
 * key, which outlives seal keys. Adding an audit key later leaves what the derived one sealed valid.
 *
 * @throws KycError `KEY_FILE_INVALID`
 *
 * @example
 * ```ts
 * import { randomBytes } from 'node:crypto'
 * import { createKeyFile, createLocalAuditSeal, parseKeyFile } from '@kyc-relay/kyc-core/node'
 *
 * const seal = createLocalAuditSeal({ keys: parseKeyFile(createKeyFile({ randomBytes, now: new Date() })) })
 * ```
 */
export function createLocalAuditSeal(options: { readonly keys: KeyFile }): AuditSeal {
  const { keys, activeAuditKeyId } = options.keys
  const macs = new Map<string, (text: string) => string>()
  for (const { id, purpose, key } of keys) {
    if (purpose === 'audit') macs.set(id, createMac(key))
    if (purpose === 'fingerprint') macs.set(derivedId(id), createMac(derivedKey(key)))
  }
  const keyId = activeAuditKeyId ?? derivedId(options.keys.activeFingerprintKeyId)
  if (!macs.has(keyId)) throw new KycError('KEY_FILE_INVALID')
  return createAuditSeal({
    keyId,
    hmacSha256Hex: (id, text) => macs.get(id)?.(text) ?? null,
    sha256Hex: (data) => hash('sha256', data, 'hex'),
  })
}

const derivedId = (fingerprintKeyId: string): string => `audit-of-${fingerprintKeyId}`

function derivedKey(fingerprintKey: Uint8Array): Uint8Array {
  return createHmac('sha256', fingerprintKey).update('kyc-relay audit key', 'utf8').digest()
}

/** HMAC by RFC 2104, 2 over the one-shot hash, with the padded keys made once: an entry is sealed on every submission. */
function createMac(key: Uint8Array): (text: string) => string {
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
    // The memory goes back to Node's pool: nothing of the key stays in it.
    inner.fill(0, 0, BLOCK_BYTES)
    return hash('sha256', outer, 'hex')
  }
}
