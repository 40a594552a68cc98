import type { AppUser } from '@kyc-relay/kyc-core'
import type { DataKeyRow, VaultRows } from './vault-rows.js'
import { ownerKey } from '../owner-key.js'

/** Time after which a kept data key is read again. */
const keptMs = 60_000
/** Most kept data keys: a row has about 500 bytes. */
const mostKept = 20_000

/** Reads data keys of owners, and keeps them for at most 60 s. */
export interface DataKeyRows {
  /** Finds the data keys, in the order of the request, with one read for all that are not kept. */
  find(owners: readonly AppUser[]): Promise<readonly (DataKeyRow | null)[]>
  /** Reads the data keys anew. */
  read(owners: readonly AppUser[]): Promise<readonly (DataKeyRow | null)[]>
  /** Drops the key of an owner. */
  forget(owner: AppUser): void
}

/** Creates the reader. An owner without a key is read each time. */
export function createDataKeyRows(rows: Pick<VaultRows, 'findDataKeys'>, monotonicMs: () => number): DataKeyRows {
  // A Map keeps the order of insertion, so its first entry was read first.
  const kept = new Map<string, { readonly row: DataKeyRow; readonly readAtMs: number }>()
  let erasures = 0

  function findKept(owner: AppUser): DataKeyRow | null {
    const name = ownerKey(owner)
    const found = kept.get(name)
    if (found === undefined) return null
    if (monotonicMs() - found.readAtMs < keptMs) return found.row
    kept.delete(name)
    return null
  }

  async function read(owners: readonly AppUser[]): Promise<readonly (DataKeyRow | null)[]> {
    const readAtMs = monotonicMs()
    const before = erasures
    const found = await rows.findDataKeys(owners)
    // What was read before an erasure may be a destroyed key.
    if (erasures === before) for (const row of found) if (row !== null) keep(row, readAtMs)
    return found
  }

  function keep(row: DataKeyRow, readAtMs: number): void {
    const name = ownerKey(row)
    kept.delete(name)
    kept.set(name, { row, readAtMs })
    for (const oldest of kept.keys()) {
      if (kept.size <= mostKept) break
      kept.delete(oldest)
    }
  }

  return {
    async find(owners) {
      const found = owners.map(findKept)
      const missing = owners.filter((_, index) => found[index] === null)
      if (missing.length === 0) return found
      const rowsRead = await read(missing)
      let next = 0
      return found.map((row) => row ?? rowsRead[next++] ?? null)
    },
    read,
    forget(owner) {
      erasures += 1
      kept.delete(ownerKey(owner))
    },
  }
}
