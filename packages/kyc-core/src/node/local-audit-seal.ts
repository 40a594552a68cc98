import { createHmac, hash } from 'node:crypto'
import { createAuditSeal, type AuditSeal } from '../audit/audit-seal.js'
import { KycError } from '../kyc-error.js'
import { createHmacSha256Hex } from './hmac-sha256.js'
import type { KeyFile } from './key-file.js'

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
    if (purpose === 'audit') macs.set(id, createHmacSha256Hex(key))
    if (purpose === 'fingerprint') macs.set(derivedId(id), createHmacSha256Hex(derivedKey(key)))
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
