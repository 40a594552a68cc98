import { createSqliteStorage, type SqliteStorage } from '@kyc-relay/storage-drizzle/sqlite'
import type { StorageCase } from '@kyc-relay/storage-drizzle/testing'
import {
  testCasesOf,
  type Spoil as SpoilOf,
  type WrongStorage as WrongStorageOf,
} from '../../../../../packages/storage-drizzle/test/mutants/wrong-storage.js'
import { ownTables, type ServerStores } from '../../../src/storage/server-stores.js'
import { createServerStores } from '../../../src/storage/sqlite/index.js'

export type { BehindTheStores } from '../../../../../packages/storage-drizzle/test/mutants/wrong-storage.js'

/** The stores of the package with those of the server. */
export type AllStores = Omit<SqliteStorage, 'close'> & ServerStores
export type Spoil = SpoilOf<AllStores>
export type WrongStorage = WrongStorageOf<AllStores>

/** Tests that the cases of one port pass what is right and that each of them can fail. */
export function testServerStores(cases: readonly StorageCase<AllStores>[], wrong: readonly WrongStorage[]): void {
  testCasesOf(cases, wrong, async (database, clock) => {
    const storage = await createSqliteStorage({ database }, { clock, ownTables: ownTables('sqlite') })
    return { ...storage, ...createServerStores(storage.database, clock) }
  })
}
