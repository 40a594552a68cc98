import Database from 'better-sqlite3'
import { beforeAll, expect, test } from 'vitest'
import { createSqliteStorage, type SqliteStorage } from '../../src/sqlite/index.js'
import type { StorageCase, StorageHarness } from '../../src/testing/index.js'
import { startOfTests } from '../samples.js'

/** What spoiling may use besides the stores. */
export interface BehindTheStores {
  readonly database: Database.Database
  /** The stores' clock. */
  now(): Date
}

export type Spoil<Storage = SqliteStorage> = (storage: Storage, behind: BehindTheStores) => Partial<Storage>

/** One broken promise, as somebody's first version of a backend would break it, and a case that must notice. */
export type WrongStorage<Storage = SqliteStorage> = readonly [
  what: string,
  caughtBy: string,
  spoil: Spoil<Storage> | 'forgets on closing',
]

/** Opens right stores on a database. */
export type OpenStorage<Storage> = (
  database: Database.Database,
  clock: () => Date,
) => Promise<Storage & { close(): Promise<void> }>

async function holdAgainst<Storage>(
  each: StorageCase<Storage>,
  spoil: WrongStorage<Storage>[2],
  openRight: OpenStorage<Storage>,
  migrated: Buffer,
): Promise<void> {
  let database = new Database(migrated)
  let nowMs = startOfTests.getTime()
  const now = () => new Date(nowMs)
  const harness: StorageHarness<Storage> = {
    async open() {
      const right = await openRight(database, now)
      const wrong = typeof spoil === 'function' ? spoil(right, { database, now }) : {}
      const close = async () => {
        await right.close()
        if (spoil === 'forgets on closing') database = new Database(migrated)
      }
      return { ...right, ...wrong, close }
    },
    advance: (ms) => Promise.resolve(void (nowMs += ms)),
  }
  try {
    await each.run(harness)
  } finally {
    database.close()
  }
}

/** An empty database after its migrations. Copies of it open quickly. */
async function migrate<Storage>(openRight: OpenStorage<Storage>): Promise<Buffer> {
  const database = new Database(':memory:')
  await (await openRight(database, () => startOfTests)).close()
  return database.serialize()
}

/** Tests that the cases of one port pass what is right and that each of them can fail. */
export function testTheCases(cases: readonly StorageCase<SqliteStorage>[], wrong: readonly WrongStorage[]): void {
  testCasesOf(cases, wrong, (database, clock) => createSqliteStorage({ database }, { clock }))
}

/** The same for stores of another kind. */
export function testCasesOf<Storage>(
  cases: readonly StorageCase<Storage>[],
  wrong: readonly WrongStorage<Storage>[],
  openRight: OpenStorage<Storage>,
): void {
  let migrated: Buffer
  beforeAll(async () => {
    migrated = await migrate(openRight)
  })

  const isCaught = (each: StorageCase<Storage>, spoil: WrongStorage<Storage>[2]) =>
    holdAgainst(each, spoil, openRight, migrated).then(
      () => false,
      () => true,
    )
  const isCaughtByOthers = async (id: string, spoil: WrongStorage<Storage>[2]) => {
    for (const each of cases) if (each.id !== id && (await isCaught(each, spoil))) return true
    return false
  }

  test.each(cases)('$id passes what is right', (each) => holdAgainst(each, () => ({}), openRight, migrated))

  test.each(wrong)('a backend that %s is caught by %s', async (_what, caughtBy, spoil) => {
    const each = cases.find(({ id }) => id === caughtBy)
    if (each === undefined) throw new Error('there is no such case')
    expect(await isCaught(each, spoil)).toBe(true)
  })

  test.each(cases)('$id catches one that no other case catches', async ({ id }) => {
    for (const [, caughtBy, spoil] of wrong) {
      if (caughtBy === id && !(await isCaughtByOthers(id, spoil))) return
    }
    throw new Error('Other cases catch each of its wrong backends.')
  })
}
