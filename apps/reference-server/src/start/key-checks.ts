import { createHmac } from 'node:crypto'
import type { KeyFile, LocalKey } from '@kyc-relay/kyc-core/node'
import type { KeyCheck } from '@kyc-relay/storage-drizzle/internal'

/** Computes a fingerprint of a fixed text under each key of the server. It reveals nothing about the key. */
export function keyChecksOf({ keys, activeFingerprintKeyId }: KeyFile): readonly KeyCheck[] {
  return keys
    .filter(({ id, purpose }) => purpose !== 'fingerprint' || id === activeFingerprintKeyId)
    .map(({ id, purpose, key }) => ({ keyId: id, purpose, checkValue: checkValue(purpose, key) }))
}

function checkValue(purpose: LocalKey['purpose'], key: Uint8Array): string {
  return createHmac('sha256', key).update(`kyc-relay key check 1 ${purpose}`, 'utf8').digest('hex')
}

/**
 * Compares a key file with the stored fingerprints. Returns the purpose of a missing or different key; null if all
 * match.
 *
 * Fingerprint and audit keys must never be removed: only they recognise replays and verify old entries. A seal key may
 * be removed after its last use was re-wrapped.
 */
export function findForeignKey(known: readonly KeyCheck[], given: readonly KeyCheck[]): KeyCheck['purpose'] | null {
  for (const { keyId, purpose, checkValue } of known) {
    const same = given.find((each) => each.keyId === keyId)
    if (same === undefined ? purpose !== 'seal' : same.purpose !== purpose || same.checkValue !== checkValue) {
      return purpose
    }
  }
  return null
}
