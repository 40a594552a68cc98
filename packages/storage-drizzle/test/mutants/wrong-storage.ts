import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
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

/**
 * Right stores on one database in memory. Opening them prepares hundreds of statements, so each case takes over those
 * of the case before, with empty tables.
 */
interface RightStores<Storage> {
  readonly database: Database.Database
  /** The clock of the stores. */
  nowMs: number
  /** As many as a case has opened. */
  readonly opened: Storage[]
}

function emptyTables(database: Database.Database): void {
  const tables = database
    .prepare<[], string>(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%\\_migrations' ESCAPE '\\'`,
    )
    .pluck()
    .all()
  database.pragma('foreign_keys = OFF')
  database.exec(`BEGIN; ${tables.map((name) => `DELETE FROM ${name};`).join('')} COMMIT`)
  database.pragma('foreign_keys = ON')
}

async function holdAgainst<Storage>(
  each: StorageCase<Storage>,
  spoil: WrongStorage<Storage>[2],
  openRight: OpenStorage<Storage>,
  stores: RightStores<Storage>,
): Promise<void> {
  const { database, opened } = stores
  emptyTables(database)
  stores.nowMs = startOfTests.getTime()
  let handles = 0
  const harness: StorageHarness<Storage> = {
    async open() {
      const right = (opened[handles] ??= await openRight(database, () => new Date(stores.nowMs)))
      handles += 1
      const wrong = typeof spoil === 'function' ? spoil(right, { database, now: () => new Date(stores.nowMs) }) : {}
      const close = () => Promise.resolve(spoil === 'forgets on closing' ? emptyTables(database) : undefined)
      return { ...right, ...wrong, close }
    },
    advance: (ms) => Promise.resolve(void (stores.nowMs += ms)),
  }
  await each.run(harness)
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

  let stores: RightStores<Storage> | null = null
  const discardStores = () => {
    stores?.database.close()
    stores = null
  }
  afterAll(discardStores)

  async function hold(each: StorageCase<Storage>, spoil: WrongStorage<Storage>[2] = () => ({})): Promise<void> {
    stores ??= { database: new Database(migrated), nowMs: 0, opened: [] }
    try {
      await holdAgainst(each, spoil, openRight, stores)
    } catch (error) {
      // What the case had begun may still be writing.
      discardStores()
      throw error
    }
  }
  const isCaught = (each: StorageCase<Storage>, spoil: WrongStorage<Storage>[2]) =>
    hold(each, spoil).then(
      () => false,
      () => true,
    )
  const isCaughtByOthers = async (id: string, spoil: WrongStorage<Storage>[2]) => {
    for (const each of cases) if (each.id !== id && (await isCaught(each, spoil))) return true
    return false
  }

  test.each(cases)('$id passes what is right', (each) => hold(each))

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
