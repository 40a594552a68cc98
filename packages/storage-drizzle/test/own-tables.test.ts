import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPostgresStorage } from '../src/postgres/index.js'
import type { OwnTables } from '../src/internal/index.js'
import { createSqliteStorage } from '../src/sqlite/index.js'
import { testFolder } from './engine/sqlite/sqlite-files.js'
import { startPostgres, type PostgresServer } from './engine/postgres/postgres-server.js'

/** Two migrations that both engines read. */
function ownTables(prefix = 'shop_'): OwnTables {
  const migrations = join(testFolder(), 'migrations')
  mkdirSync(migrations)
  writeFileSync(
    join(migrations, '0001_create_orders.sql'),
    `CREATE TABLE ${prefix}orders (id INTEGER NOT NULL PRIMARY KEY);\n`,
  )
  writeFileSync(join(migrations, '0002_note_orders.sql'), `ALTER TABLE ${prefix}orders ADD COLUMN note TEXT;\n`)
  return { prefix, migrations }
}

const insert = (id: number) => sql`INSERT INTO shop_orders (id, note) VALUES (${id}, 'one')`
const count = sql`SELECT count(*) AS count FROM shop_orders`

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

/** The same steps on each engine, on one new database. */
const engines = {
  async SQLite() {
    const path = join(testFolder(), 'kyc.db')
    return {
      async open(options: { ownTables: OwnTables; migrations?: 'apply' | 'require'; onMigration?: () => void }) {
        const { database, close } = await createSqliteStorage({ path }, options)
        return {
          insert: (ids: readonly number[]) => database.write((db) => ids.forEach((id) => db.run(insert(id)))),
          insertAndThrow: (error: unknown) =>
            database.write((db) => {
              db.run(insert(9))
              throw error
            }),
          count: () => database.read((db) => db.get<{ count: number }>(count).count),
          run: (text: string) => database.write((db) => db.run(sql.raw(text))),
          close,
        }
      },
      async change(text: string) {
        const { database, close } = await createSqliteStorage({ path })
        await database.write((db) => db.run(sql.raw(text)))
        await close()
      },
    }
  },
  async PostgreSQL() {
    const connectionString = await server.createDatabase()
    return {
      async open(options: { ownTables: OwnTables; migrations?: 'apply' | 'require'; onMigration?: () => void }) {
        const { database, close } = await createPostgresStorage({ connectionString }, options)
        return {
          insertAndThrow: (error: unknown) =>
            database.write(async (db) => {
              await db.execute(insert(9))
              throw error
            }),
          insert: (ids: readonly number[]) =>
            database.write(async (db) => {
              for (const id of ids) await db.execute(insert(id))
            }),
          run: (text: string) => database.write((db) => db.execute(sql.raw(text))),
          count: () => database.read(async (db) => Number((await db.execute<{ count: string }>(count)).rows[0]?.count)),
          close,
        }
      },
      async change(text: string) {
        const client = new pg.Client({ connectionString })
        await client.connect()
        await client.query(text)
        await client.end()
      },
    }
  },
}

describe.each(Object.entries(engines))('tables of one’s own on %s', (_engine, create) => {
  test('are migrated after those of the stores, once, and written in whole transactions', async () => {
    const { open } = await create()
    const own = ownTables()
    const first = await open({ ownTables: own })
    await first.insert([1, 2])
    await expect(first.insert([3, 1])).rejects.toMatchObject({ code: 'CONSTRAINT' })
    expect(await first.count()).toBe(2)
    await first.close()
    let steps = 0
    const second = await open({ ownTables: own, onMigration: () => (steps += 1) })
    expect([await second.count(), steps]).toEqual([2, 0])
    await second.close()
  })

  test.each([new Error('out of stock: timeout of the connection'), new TypeError('no number'), 'a text', null])(
    'are not written when their writer throws %o, who gets it back unchanged',
    async (error) => {
      const { open } = await create()
      const { insert, insertAndThrow, count, close } = await open({ ownTables: ownTables() })
      const outcomes = await Promise.allSettled([insertAndThrow(error), insert([1])])
      expect(outcomes[0]).toMatchObject({ status: 'rejected' })
      expect((outcomes[0] as PromiseRejectedResult).reason).toBe(error)
      expect(outcomes[1]).toMatchObject({ status: 'fulfilled' })
      expect(await count()).toBe(1)
      await close()
      await expect(insert([2])).rejects.toMatchObject({ code: 'STORE_CLOSED' })
    },
  )

  test.each(['SELEC 1', 'SELECT missing_function()', 'UPDATE shop_orders SET note = missing_function()'])(
    'refuse %j without asking for a retry',
    async (text) => {
      const { open } = await create()
      const { run, close } = await open({ ownTables: ownTables() })
      await expect(run(text)).rejects.toMatchObject({ code: 'STATEMENT_REFUSED', retryable: false })
      await close()
    },
  )

  test.each([
    ['its SQL is wrong', 'ALTER TABEL shop_orders ADD COLUMN note TEXT;\n', 'STATEMENT_REFUSED'],
    ['its table is missing', 'ALTER TABLE shop_canary ADD COLUMN note TEXT;\n', 'STATEMENT_REFUSED'],
    ['its row breaks a rule', 'INSERT INTO shop_orders (id) VALUES (1), (1);\n', 'CONSTRAINT'],
  ])('name the migration that fails because %s', async (_what, text, code) => {
    const { open } = await create()
    const own = ownTables()
    writeFileSync(join(own.migrations, '0002_note_orders.sql'), text)
    const error: unknown = await open({ ownTables: own }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code,
      retryable: false,
      message: expect.stringMatching(/ The migration 0002_note_orders \(shop_\) failed\.$/),
    })
    expect(String(error)).not.toContain('canary')
  })

  test('are required where migrations are', async () => {
    const { open } = await create()
    const own = ownTables()
    await (await open({ ownTables: { ...own, prefix: 'other_', migrations: ownTables('other_').migrations } })).close()
    await expect(open({ ownTables: own, migrations: 'require' })).rejects.toMatchObject({ code: 'SCHEMA_OUTDATED' })
    await (await open({ ownTables: own })).close()
    await (await open({ ownTables: own, migrations: 'require' })).close()
  })

  test('are refused when they or their history were changed by hand', async () => {
    const { open, change } = await create()
    const own = ownTables()
    await (await open({ ownTables: own })).close()
    await change('ALTER TABLE shop_orders ADD COLUMN more TEXT')
    await expect(open({ ownTables: own })).rejects.toMatchObject({ code: 'SCHEMA_EDITED' })
    await change('ALTER TABLE shop_orders DROP COLUMN more')
    await (await open({ ownTables: own })).close()
    writeFileSync(join(own.migrations, '0002_note_orders.sql'), 'ALTER TABLE shop_orders ADD COLUMN text TEXT;\n')
    await expect(open({ ownTables: own })).rejects.toMatchObject({ code: 'SCHEMA_EDITED' })
  })

  test.each(['kyc_relay_', 'kyc_relay_more_', 'shop', 'Shop_', '_', 'a b_', ''])(
    'may not be called %j…',
    async (prefix) => {
      const { open } = await create()
      await expect(open({ ownTables: { ...ownTables(), prefix } })).rejects.toMatchObject({ code: 'ARGUMENT_INVALID' })
    },
  )

  test('need their folder', async () => {
    const { open } = await create()
    const wrong = { prefix: 'shop_', migrations: join(testFolder(), 'nothing-here') }
    await expect(open({ ownTables: wrong })).rejects.toMatchObject({ code: 'MIGRATIONS_NOT_FOUND' })
  })
})

test('a writer that throws leaves the connection to PostgreSQL as it was', async () => {
  const connectionString = await server.createDatabase()
  const pool = new pg.Pool({ connectionString, max: 1 })
  const { database, close } = await createPostgresStorage({ pool }, { notify: false })
  const process = sql`SELECT pg_backend_pid() AS pid`
  const find = () => database.read(async (db) => (await db.execute<{ pid: number }>(process)).rows[0]?.pid)
  const before = await find()
  const error = new Error('out of stock')
  await expect(database.write(() => Promise.reject(error))).rejects.toBe(error)
  await expect(database.write((db) => db.execute(sql`SELECT 1 / 0`))).rejects.toMatchObject({ driverCode: '22012' })
  const own = database.write(async (db) => {
    await db.execute(sql`SELECT 1 / 0`).catch(() => undefined)
    throw error
  })
  await expect(own).rejects.toBe(error)
  expect(await find()).toBe(before)
  await close()
  await pool.end()
})
