import { createHmac } from 'node:crypto'
import type { KeyFile, LocalKey } from '@kyc-relay/kyc-core/node'
import type { KeyCheck } from '@kyc-relay/storage-drizzle/sqlite'

/** What each key that the server works with makes of a fixed text. It says nothing about the key. */
export function keyChecksOf({ keys, activeFingerprintKeyId }: KeyFile): readonly KeyCheck[] {
  return keys
    .filter(({ id, purpose }) => purpose !== 'fingerprint' || id === activeFingerprintKeyId)
    .map(({ id, purpose, key }) => ({ keyId: id, purpose, checkValue: checkValue(purpose, key) }))
}

function checkValue(purpose: LocalKey['purpose'], key: Uint8Array): string {
  return createHmac('sha256', key).update(`kyc-relay key check 1 ${purpose}`, 'utf8').digest('hex')
}

/**
 * The purpose of a key that a key file lacks or holds with other bytes, compared with the checks of an installation; null
 * where all is well.
 *
 * Fingerprint and audit keys must stay for ever: replays are recognised, and old entries verified, with them alone. A
 * seal key may leave the file once nothing is sealed with it.
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
