import { KycError, type AppUser, type PiiCipher } from '@kyc-relay/kyc-core'
import type { BodyPlace } from '@kyc-relay/webhooks/internal'
import type { SealContext } from '@kyc-relay/kyc-core/internal'
import type { BodySealer } from '@kyc-relay/webhooks/delivery'
import { createDataKeyRows } from './cached-data-keys.js'
import { keyContext } from './sealing.js'
import type { DataKeyRow, VaultRows } from './vault-rows.js'
import { ownerKey } from '../owner-key.js'

/** Bytes before the sealed ones: the position of the data key. It tells a destroyed key from damaged bytes. */
const positionBytes = 8
/** Most runs of a sealing whose owner concurrently gets a first data key or is erased. */
const mostStarts = 5

/** Seals bodies under the data keys of a vault. */
export interface VaultBodySealer extends BodySealer {
  /** Drops the kept data key of an owner, after it was destroyed. */
  forget(owner: AppUser): void
}

/** Creates the sealer over the rows of a vault. */
export function createVaultBodySealer(deps: {
  readonly rows: Pick<VaultRows, 'findDataKeys' | 'insertDataKeyAndTokens'>
  readonly cipher: PiiCipher
  /** Monotonic time in milliseconds. */
  readonly monotonicMs: () => number
}): VaultBodySealer {
  const { rows, cipher } = deps
  const keys = createDataKeyRows(rows, deps.monotonicMs)

  /** Finds the data keys of all owners, and makes missing ones. */
  async function keysToSeal(owners: readonly AppUser[]): Promise<readonly DataKeyRow[]> {
    for (let start = 0; start < mostStarts; start++) {
      const found = await keys.find(owners)
      const missing = owners.filter((_, index) => found[index] === null)
      if (missing.length === 0) return found.filter((row) => row !== null)
      await Promise.all(distinct(missing).map(makeKey))
    }
    throw new KycError('VAULT_UNAVAILABLE')
  }

  /** A concurrent first key of the owner wins; the caller reads it. */
  async function makeKey(owner: AppUser): Promise<void> {
    const dataKey = await cipher.createDataKey(keyContext(owner))
    await rows.insertDataKeyAndTokens(owner, dataKey, [])
  }

  async function sealUnder({ position, dataKey }: DataKeyRow, value: BodyPlace & { readonly clear: Uint8Array }) {
    const context = contextOf(value, position)
    const sealed = await cipher.seal({ dataKey, keyContext: keyContext(value), context, clear: value.clear })
    const bytes = new Uint8Array(positionBytes + sealed.length)
    new DataView(bytes.buffer).setBigUint64(0, BigInt(position))
    bytes.set(sealed, positionBytes)
    return bytes
  }

  async function openUnder(
    key: DataKeyRow | null,
    position: number,
    value: BodyPlace & { readonly sealed: Uint8Array },
  ) {
    // The owner has no key, or a later one: the key of these bytes was destroyed.
    if (key?.position !== position) return null
    const sealed = value.sealed.subarray(positionBytes)
    const context = contextOf(value, position)
    return cipher.open({ dataKey: key.dataKey, keyContext: keyContext(value), context, sealed })
  }

  return {
    async seal(values) {
      const found = await keysToSeal(values)
      return Promise.all(values.map((value, index) => sealUnder(keyAt(found, index), value)))
    },
    async open(values) {
      const positions = values.map(({ sealed }) => positionOf(sealed))
      const found = [...(await keys.find(values))]
      // A kept key may be older than one that another process made: it is read anew before bytes count as erased.
      const doubtful = [...found.keys()].filter((index) => found[index]?.position !== positions[index])
      if (doubtful.length > 0) {
        const read = await keys.read(doubtful.map((index) => values[index] as AppUser))
        for (const [n, index] of doubtful.entries()) found[index] = read[n] ?? null
      }
      return Promise.all(values.map((value, index) => openUnder(found[index] ?? null, positions[index] ?? 0, value)))
    },
    forget: (owner) => keys.forget(owner),
  }
}

function keyAt(found: readonly DataKeyRow[], index: number): DataKeyRow {
  const key = found[index]
  if (key === undefined) throw new KycError('VAULT_UNAVAILABLE')
  return key
}

/** The data key belongs to the app and user. Other sealed values have no member `key`, so none of them opens as a body. */
function contextOf({ part, recordId }: BodyPlace, position: number): SealContext {
  return { part, recordId, key: String(position) }
}

/** @throws KycError `SEAL_BROKEN` for bytes that are too short. */
function positionOf(sealed: Uint8Array): number {
  if (sealed.length < positionBytes) throw new KycError('SEAL_BROKEN')
  return Number(new DataView(sealed.buffer, sealed.byteOffset).getBigUint64(0))
}

function distinct(owners: readonly AppUser[]): readonly AppUser[] {
  return [...new Map(owners.map(({ appId, userId }) => [ownerKey({ appId, userId }), { appId, userId }])).values()]
}
