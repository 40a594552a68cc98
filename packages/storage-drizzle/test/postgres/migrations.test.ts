import pg from 'pg'
import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readMigrations } from '../../src/engine/migrations/migration-files.js'
import { connectPool } from '../../src/engine/postgres/pool.js'
import { createPostgresStorage, createPostgresVault } from '../../src/postgres/index.js'
import { describeSchema, migrate, migrationStatus } from '../../src/engine/postgres/migrate.js'
import { openPostgresMigrations } from '../../src/engine/postgres/open-migrations.js'
import * as appTables from '../../src/apps/tables.postgres.js'
import * as auditTables from '../../src/audit/tables.postgres.js'
import * as portalTables from '../../src/portal/tables.postgres.js'
import * as readinessTables from '../../src/engine/postgres/readiness-table.js'
import * as receiverTables from '../../src/receiver/tables.postgres.js'
import * as vaultTables from '../../src/vault/tables.postgres.js'
import * as verificationTables from '../../src/verifications/tables.postgres.js'
import * as webhookTables from '../../src/webhooks/tables.postgres.js'
import { startPostgres, type PostgresServer } from './postgres-server.js'

const histories = ['postgres', 'postgres-vault', 'postgres-receiver'] as const

let server: PostgresServer
let connectionString: string
let client: pg.Client

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())
beforeEach(async () => {
  connectionString = await server.createDatabase()
  client = new pg.Client({ connectionString })
  client.on('error', () => undefined)
  await client.connect()
  return () => client.end()
})

async function migrateAll(): Promise<void> {
  for (const history of histories) await migrate(connectPool({ connectionString }), history)
}

test('each migration is told of when it begins and when it is done, and none when there is nothing to do', async () => {
  const steps: unknown[] = []
  const onMigration = (step: unknown) => void steps.push(step)
  const open = async () => (await createPostgresStorage({ connectionString }, { onMigration })).close()
  await open()
  const shipped = readMigrations('postgres')
  expect(steps).toEqual(
    shipped.flatMap(({ name, number }) =>
      ['applying', 'applied'].map((state) => ({ state, name, number, total: shipped.length })),
    ),
  )
  await open()
  expect(steps).toHaveLength(2 * shipped.length)
})

test('a migration that PostgreSQL ends for a deadlock with running work is begun again', async () => {
  const already = await server.createDatabase()
  await migrate(connectPool({ connectionString: already }), 'postgres')
  const elsewhere = new pg.Client({ connectionString: already })
  await elsewhere.connect()
  const whole = await describeSchema(elsewhere, 'postgres')
  await elsewhere.end()
  const untilThen = migrate(connectPool({ connectionString }), 'postgres', {
    onMigration: ({ number, state }) => {
      if (number === 6 && state === 'applying') throw new Error('here')
    },
  })
  await expect(untilThen).rejects.toThrow()
  // Running work reads what the migration changes, and then waits for what the migration holds.
  await client.query(`BEGIN; SET LOCAL deadlock_timeout = '1min'; SELECT FROM kyc_relay_events`)
  const began: string[] = []
  let deadlocked: Promise<unknown> = Promise.resolve()
  const migrated = migrate(connectPool({ connectionString }), 'postgres', {
    onMigration: ({ state, name }) => {
      if (state === 'applied') return
      began.push(name)
      if (began.length > 1) return
      deadlocked = client
        .query(`SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || 'kyc_relay_migrations', 0))`)
        .then(() => client.query('COMMIT'))
    },
  })
  const left = readMigrations('postgres').flatMap(({ number, name }) => (number > 5 ? [name] : []))
  expect(await migrated).toEqual(left)
  await deadlocked
  expect(began).toEqual(['0006_keep_trace_contexts', ...left])
  expect(await describeSchema(client, 'postgres')).toBe(whole)
})

/** The whole schema as this version of PostgreSQL prints it. */
async function dumpSchema(): Promise<string> {
  const { rows } = await client.query<{ line: string }>(`
    SELECT line FROM (
      SELECT 1 AS kind, format('%s.%s %s%s%s%s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
        CASE WHEN a.attcollation <> t.typcollation THEN ' collate ' || l.collname ELSE '' END,
        CASE WHEN a.attnotnull THEN ' not null' ELSE '' END,
        coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), ' identity ' || nullif(a.attidentity::text, ''), '')) AS line
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      JOIN pg_type t ON t.oid = a.atttypid
      LEFT JOIN pg_collation l ON l.oid = a.attcollation
      LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
      WHERE c.relkind = 'r' AND c.relname LIKE 'kyc\\_relay\\_%'
      UNION ALL
      SELECT 2, format('%s %s: %s', c.relname, k.conname, pg_get_constraintdef(k.oid))
      FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
      WHERE k.contype <> 'n' AND c.relname LIKE 'kyc\\_relay\\_%'
      UNION ALL
      SELECT 3, pg_get_indexdef(i.indexrelid) FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
      WHERE c.relname LIKE 'kyc\\_relay\\_%'
    ) AS lines ORDER BY kind, line COLLATE "C"`)
  return rows.map(({ line }) => `${line}\n`).join('')
}

describe('the schema', () => {
  test('is the golden one', async () => {
    await migrateAll()
    const dump = await dumpSchema()
    expect(dump).toContain('kyc_relay_delivery_queue_waiting')
    await expect(dump).toMatchFileSnapshot('./postgres.schema.txt')
  })

  test('has the columns that the Drizzle tables name, and no others', async () => {
    await migrateAll()
    const tables: PgTable[] = [
      appTables,
      auditTables,
      portalTables,
      readinessTables,
      receiverTables,
      vaultTables,
      verificationTables,
      webhookTables,
    ].flatMap((file) => Object.values(file))
    const sorted = <T extends { name: string }>(list: T[]) =>
      list.sort((one, other) => (one.name < other.name ? -1 : 1))
    for (const table of tables) {
      const { name, columns } = getTableConfig(table)
      const { rows } = await client.query<{ name: string; notNull: boolean }>(
        `SELECT attname AS name, attnotnull AS "notNull" FROM pg_attribute
         WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`,
        [name],
      )
      const described = columns.map((column) => ({ name: column.name, notNull: column.notNull || column.primary }))
      expect({ name, columns: sorted(described) }).toEqual({ name, columns: sorted(rows) })
    }
    const { rows } = await client.query(`SELECT FROM pg_class WHERE relkind = 'r' AND relname LIKE 'kyc\\_relay\\_%'`)
    expect(rows).toHaveLength(tables.length + histories.length)
  })
})

describe('migrating', () => {
  test('20 starts at once on one empty database all get the whole schema', async () => {
    const starts = await Promise.all(
      Array.from({ length: 20 }, () =>
        createPostgresStorage({ connectionString, maxConnections: 2 }, { notify: false }),
      ),
    )
    expect(await Promise.all(starts.map(({ verifications }) => verifications.findKycStatus('nobody')))).toEqual(
      starts.map(() => 'UNVERIFIED'),
    )
    await Promise.all(starts.map((storage) => storage.close()))
    expect((await migrationStatus(client, 'postgres')).pending).toEqual([])
  })

  test('is whole after the connection was cut before any statement', { timeout: 60_000 }, async () => {
    const query = pg.Client.prototype.query
    const found: number[] = []
    let statements = 0
    let cutBefore = 0
    let cutting = true
    /** Sends the statements of a migration one at a time, and ends the server's side before the one it is to fail. */
    async function cutQuery(
      this: pg.Client & { processID?: number },
      text: unknown,
      ...rest: unknown[]
    ): Promise<unknown> {
      const run = (statement: unknown): unknown => Reflect.apply(query, this, [statement, ...rest])
      // The look whether a migration waits is made after a second, on another connection.
      const isLook = typeof text === 'string' && text.includes('pg_stat_activity')
      if (this === client || !cutting || isLook) return run(text)
      let answer: unknown
      for (const statement of typeof text === 'string' ? text.split(/;\n/) : [text]) {
        if (statements++ === cutBefore) {
          await Reflect.apply(query, client, ['SELECT pg_terminate_backend($1)', [this.processID]])
        }
        answer = await run(statement)
      }
      return answer
    }
    pg.Client.prototype.query = cutQuery as typeof query
    try {
      for (;;) {
        statements = 0
        cutting = true
        const outcome = await migrate(connectPool({ connectionString }), 'postgres').catch((error: unknown) => error)
        cutting = false
        const { applied } = await migrationStatus(client, 'postgres')
        // The next migration is cut before its first statement again.
        cutBefore = applied.length === found.at(-1) ? cutBefore + 1 : 0
        found.push(applied.length)
        if (Array.isArray(outcome)) break
        expect(outcome).toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true })
      }
    } finally {
      pg.Client.prototype.query = query
    }
    // Whole migrations only, one more after the other.
    const counts = Array.from({ length: readMigrations('postgres').length + 1 }, (_, count) => count)
    expect([...new Set(found)]).toEqual(counts)
    expect(found.length).toBeGreaterThan(40)
  })

  test('time limits of the database user do not end a migration, nor a wait for its lock', async () => {
    const user = new URL(connectionString)
    user.username = user.password = 'kyc_relay_limited'
    await client.query(
      `DROP ROLE IF EXISTS kyc_relay_limited; CREATE ROLE kyc_relay_limited LOGIN PASSWORD 'kyc_relay_limited'`,
    )
    await client.query(`GRANT ALL ON SCHEMA public TO kyc_relay_limited`)
    // 14 has no transaction_timeout.
    const { rows } = await client.query<{ name: string }>(`SELECT name FROM pg_settings WHERE name IN
      ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`)
    for (const { name } of rows) await client.query(`ALTER ROLE kyc_relay_limited SET ${name} = 100`)
    const waits: number[] = []
    let onWait: () => void = () => undefined
    const waited = new Promise<void>((resolve) => (onWait = resolve))
    // Another process that migrates.
    await client.query('BEGIN')
    await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('public' || 'kyc_relay_migrations', 0))`)
    const location = { connectionString: user.href }
    const listeners = {
      onMigrationWaiting({ waitedMs }: { waitedMs: number }) {
        waits.push(waitedMs)
        onWait()
      },
    }
    const migrated = migrate(connectPool(location), 'postgres', listeners)
    await Promise.race([waited, migrated])
    await client.query('COMMIT')
    expect((await migrated).length).toBe(readMigrations('postgres').length)
    expect(waits[0]).toBeGreaterThan(100)
    await client.query(
      `REASSIGN OWNED BY kyc_relay_limited TO CURRENT_USER; DROP OWNED BY kyc_relay_limited; DROP ROLE kyc_relay_limited`,
    )
  })

  test('a migration that waits for a transaction which uses a table tells so', async () => {
    const untilThen = migrate(connectPool({ connectionString }), 'postgres', {
      onMigration({ number, state }) {
        if (number === 5 && state === 'applying') throw new Error('enough')
      },
    })
    await expect(untilThen).rejects.toThrow()
    await client.query('BEGIN')
    // An index waits for those that write.
    await client.query('LOCK TABLE kyc_relay_attempts, kyc_relay_events, kyc_relay_deliveries IN ROW EXCLUSIVE MODE')
    let onWait: () => void = () => undefined
    const waited = new Promise<void>((resolve) => (onWait = resolve))
    const migrated = migrate(connectPool({ connectionString }), 'postgres', { onMigrationWaiting: () => onWait() })
    await Promise.race([waited, migrated.then(() => Promise.reject(new Error('it did not wait')))])
    await client.query('COMMIT')
    expect((await migrated).length).toBe(readMigrations('postgres').length - 4)
  })

  test('the vault may share a database with the rest, each with its own ledger', async () => {
    const storage = await createPostgresStorage({ connectionString })
    const vault = await createPostgresVault({ connectionString }, { cipher: {} as never })
    await vault.close()
    await storage.close()
    await (await createPostgresStorage({ connectionString }, { migrations: 'require' })).close()
  })

  test('by command: status, a dry status, up', async () => {
    const target = await openPostgresMigrations(connectionString, 'stores')
    const { pending } = await target.status()
    expect(pending.map(({ name }) => name)).toEqual(readMigrations('postgres').map(({ name }) => name))
    expect(await target.up()).toEqual(pending.map(({ name }) => name))
    expect(await target.up()).toEqual([])
    await target.close()
  })
})

describe('a database that is not ours to use is refused and not touched', () => {
  const ledger = 'kyc_relay_migrations'
  const changes = [
    {
      what: 'F08 a newer schema',
      code: 'SCHEMA_NEWER',
      sql: `INSERT INTO ${ledger} SELECT max(number) + 1, 'future', 'x', 'y' FROM ${ledger}`,
    },
    { what: 'an edited migration', code: 'SCHEMA_EDITED', sql: `UPDATE ${ledger} SET sha256 = 'x' WHERE number = 2` },
    { what: 'a renamed migration', code: 'SCHEMA_EDITED', sql: `UPDATE ${ledger} SET name = 'x' WHERE number = 1` },
    { what: 'a missing ledger row', code: 'SCHEMA_EDITED', sql: `DELETE FROM ${ledger} WHERE number = 2` },
    { what: 'a lost ledger', code: 'SCHEMA_EDITED', sql: `DROP TABLE ${ledger}` },
    { what: 'a column added by hand', code: 'SCHEMA_EDITED', sql: 'ALTER TABLE kyc_relay_events ADD COLUMN note text' },
    { what: 'an index dropped by hand', code: 'SCHEMA_EDITED', sql: 'DROP INDEX kyc_relay_delivery_queue_waiting' },
  ]

  test.each(changes)('$what', async ({ code, sql }) => {
    await migrateAll()
    await client.query(sql)
    const before = await describeSchema(client, 'postgres')
    await expect(createPostgresStorage({ connectionString })).rejects.toMatchObject({ code })
    await expect(createPostgresStorage({ connectionString }, { migrations: 'require' })).rejects.toMatchObject({ code })
    expect(await describeSchema(client, 'postgres')).toBe(before)
  })

  test('a schema that lacks migrations, where they are not to be applied at the start', async () => {
    const start = createPostgresStorage({ connectionString }, { migrations: 'require' })
    await expect(start).rejects.toMatchObject({ code: 'SCHEMA_OUTDATED' })
    expect(await describeSchema(client, 'postgres')).toBe('')
  })

  test('a database that acknowledges before it is on disk', async () => {
    await client.query(`ALTER DATABASE ${new URL(connectionString).pathname.slice(1)} SET synchronous_commit = off`)
    await expect(createPostgresStorage({ connectionString })).rejects.toMatchObject({
      code: 'DURABILITY_NOT_GUARANTEED',
    })
  })

  test('a server that is not there', async () => {
    const url = new URL(connectionString)
    url.port = '1'
    const error: unknown = await createPostgresStorage({ connectionString: url.href }).catch(
      (reason: unknown) => reason,
    )
    expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true })
    expect(String(error)).not.toContain('127.0.0.1')
  })
})
