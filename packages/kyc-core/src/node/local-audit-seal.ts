import { createHmac, hash } from 'node:crypto'
import { createAuditSeal, type AuditSeal } from '../audit/audit-seal.js'
import { checkArgument } from '../check-argument.js'
import { KycError } from '../kyc-error.js'
import { createHmacSha256Hex } from './hmac-sha256.js'
import type { KeyFile } from './key-file.js'

/**
 * Creates an {@link AuditSeal} with keys from a key file. The active audit key seals new entries. The other audit keys
 * check older entries, so keep them in the file.
 *
 * Without an audit key in the file, the key is derived from the fingerprint key. Entries under the derived key stay
 * valid after an audit key is added.
 *
 * @throws KycError `KEY_FILE_INVALID` without the active key; `ARGUMENT_INVALID` without `keys`, or for an unknown name
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
  const { keys: file, ...unknown } = { ...options }
  checkArgument(Array.isArray((file as Partial<KeyFile> | undefined)?.keys) && Object.keys(unknown).length === 0)
  const { keys, activeAuditKeyId } = file
  const macs = new Map<string, (text: string) => string>()
  for (const { id, purpose, key } of keys) {
    if (purpose === 'audit') macs.set(id, createHmacSha256Hex(key))
    if (purpose === 'fingerprint') macs.set(derivedId(id), createHmacSha256Hex(derivedKey(key)))
  }
  const keyId = activeAuditKeyId ?? derivedId(file.activeFingerprintKeyId)
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
