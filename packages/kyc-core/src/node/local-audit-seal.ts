import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto'
import { createAuditSeal, type AuditSeal } from '../audit/audit-seal.js'
import { checkArgument } from '../check-argument.js'
import { KycError } from '../kyc-error.js'
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
  const secrets = new Map<string, KeyObject>()
  for (const { id, purpose, key } of keys) {
    if (purpose === 'audit') secrets.set(id, createSecretKey(key))
    if (purpose === 'fingerprint') secrets.set(derivedId(id), createSecretKey(derivedKey(key)))
  }
  const keyId = activeAuditKeyId ?? derivedId(file.activeFingerprintKeyId)
  if (!secrets.has(keyId)) throw new KycError('KEY_FILE_INVALID')
  return createAuditSeal({
    keyId,
    hmacSha256Hex(id, text) {
      const secret = secrets.get(id)
      return secret ? createHmac('sha256', secret).update(text, 'utf8').digest('hex') : null
    },
    sha256Hex: (data) => hash('sha256', data, 'hex'),
  })
}

const derivedId = (fingerprintKeyId: string): string => `audit-of-${fingerprintKeyId}`

function derivedKey(fingerprintKey: Uint8Array): Uint8Array {
  return createHmac('sha256', fingerprintKey).update('kyc-relay audit key', 'utf8').digest()
}
