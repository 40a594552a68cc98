import { generateDrizzleJson, generateMigration } from 'drizzle-kit/api'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sized } from '../../../../../scripts/test-sizes.js'
import { complete, databases } from '../../../schema/postgres.js'
import type { MigrationStep } from '../../../src/engine/migrations/ledger.js'
import { readMigrations } from '../../../src/engine/migrations/migration-files.js'
import { connectPool } from '../../../src/engine/postgres/pool.js'
import { createPostgresStorage, createPostgresVault } from '../../../src/postgres/index.js'
import { describeSchema, migrate, migrationStatus } from '../../../src/engine/postgres/migrate.js'
import { openPostgresMigrations } from '../../../src/engine/postgres/open-migrations.js'
import { withLaterMigrations } from '../made-up-migrations.js'
import { startPostgres, type PostgresServer } from './postgres-server.js'
import { cipher } from '../../vault/any-cipher.js'

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
      ['applying', 'applied'].map((state) => ({ state, name, prefix: 'kyc_relay_', number, total: shipped.length })),
    ),
  )
  await open()
  expect(steps).toHaveLength(2 * shipped.length)
})

test('a migration that PostgreSQL ends for a deadlock with running work is begun again', async () => {
  const shipped = withLaterMigrations('postgres')
  const already = await server.createDatabase()
  await migrate(connectPool({ connectionString: already }), 'postgres', {}, shipped)
  const elsewhere = new pg.Client({ connectionString: already })
  await elsewhere.connect()
  const whole = await describeSchema(elsewhere, 'postgres')
  await elsewhere.end()
  await migrate(connectPool({ connectionString }), 'postgres')
  // Running work reads what the migration changes, and then waits for what the migration holds.
  await client.query(`BEGIN; SET LOCAL deadlock_timeout = '1min'; SELECT FROM kyc_relay_events`)
  const began: string[] = []
  let deadlocked: Promise<unknown> = Promise.resolve()
  const onMigration = ({ state, name }: MigrationStep) => {
    if (state === 'applied') return
    began.push(name)
    if (began.length > 1) return
    deadlocked = client
      .query(`SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || 'kyc_relay_migrations', 0))`)
      .then(() => client.query('COMMIT'))
  }
  const migrated = migrate(connectPool({ connectionString }), 'postgres', { onMigration }, shipped)
  const left = shipped.slice(readMigrations('postgres').length).map(({ name }) => name)
  expect(await migrated).toEqual(left)
  await deadlocked
  expect(began).toEqual(['0002_note_events', ...left])
  expect(await describeSchema(client, 'postgres')).toBe(whole)
})

test('an index that an operator added is told of at each start and refused by nobody; a unique one is refused', async () => {
  await migrateAll()
  await client.query('CREATE INDEX report ON kyc_relay_events (type, created_at)')
  const told: string[] = []
  const onUnknownIndex = (name: string) => void told.push(name)
  for (const migrations of ['apply', 'require'] as const) {
    await (await createPostgresStorage({ connectionString }, { migrations, onUnknownIndex })).close()
  }
  expect(told).toEqual(['report', 'report'])
  await client.query('CREATE UNIQUE INDEX one_user ON kyc_relay_events (user_id)')
  await expect(createPostgresStorage({ connectionString })).rejects.toMatchObject({ code: 'SCHEMA_EDITED' })
})

/** The whole schema as this version of PostgreSQL prints it. */
async function dumpSchema(of = client): Promise<string> {
  const { rows } = await of.query<{ line: string }>(`
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
      UNION ALL
      SELECT 4, format('%s with %s', relname, array_to_string(reloptions, ', '))
      FROM pg_class WHERE relkind = 'r' AND relname LIKE 'kyc\\_relay\\_%' AND reloptions IS NOT NULL
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

  test.each(histories)('of %s is what the Drizzle tables and the overlay state', async (history) => {
    await migrate(connectPool({ connectionString }), history)
    const stated = new pg.Client({ connectionString: await server.createDatabase() })
    await stated.connect()
    try {
      const statements = await generateMigration(generateDrizzleJson({}), generateDrizzleJson(databases[history]))
      for (const statement of statements) await stated.query(complete(statement.trim()))
      const lines = (await dumpSchema()).split('\n').filter((line) => !/^\S*_migrations\b|_migrations_pkey/.test(line))
      expect(lines.join('\n')).toBe(await dumpSchema(stated))
    } finally {
      await stated.end()
    }
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

  test('is whole after the connection was cut before any statement', async () => {
    const shipped = withLaterMigrations('postgres')
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
        const outcome = await migrate(connectPool({ connectionString }), 'postgres', {}, shipped).catch(
          (error: unknown) => error,
        )
        cutting = false
        const { rows } = await client.query(`SELECT to_regclass('kyc_relay_migrations') IS NOT NULL AS known`)
        const isKnown = (rows[0] as { known: boolean }).known
        const applied = isKnown ? (await client.query('SELECT FROM kyc_relay_migrations')).rows.length : 0
        // The first migration makes all tables: after its tenth statement, every eighth is enough.
        const step = applied === 0 && cutBefore >= 10 ? sized(8, 1) : 1
        // The next migration is cut before its first statement again.
        cutBefore = applied === found.at(-1) ? cutBefore + step : 0
        found.push(applied)
        if (Array.isArray(outcome)) break
        expect(outcome).toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true })
      }
    } finally {
      pg.Client.prototype.query = query
    }
    // Whole migrations only, one more after the other.
    const counts = Array.from({ length: shipped.length + 1 }, (_, count) => count)
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
    const shipped = withLaterMigrations('postgres')
    await migrate(connectPool({ connectionString }), 'postgres')
    await client.query('BEGIN')
    // An index waits for those that write.
    await client.query('LOCK TABLE kyc_relay_attempts, kyc_relay_events, kyc_relay_deliveries IN ROW EXCLUSIVE MODE')
    let onWait: () => void = () => undefined
    const waited = new Promise<void>((resolve) => (onWait = resolve))
    const listeners = { onMigrationWaiting: () => onWait() }
    const migrated = migrate(connectPool({ connectionString }), 'postgres', listeners, shipped)
    await Promise.race([waited, migrated.then(() => Promise.reject(new Error('it did not wait')))])
    await client.query('COMMIT')
    expect((await migrated).length).toBe(shipped.length - readMigrations('postgres').length)
  })

  test('the vault may share a database with the rest, each with its own ledger', async () => {
    const storage = await createPostgresStorage({ connectionString })
    const vault = await createPostgresVault({ connectionString }, { cipher })
    await vault.close()
    await storage.close()
    await (await createPostgresStorage({ connectionString }, { migrations: 'require' })).close()
  })

  test('by command: status, a dry status, up', async () => {
    const target = await openPostgresMigrations(connectionString, 'stores', null)
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
      what: 'a newer schema',
      code: 'SCHEMA_NEWER',
      sql: `INSERT INTO ${ledger} SELECT max(number) + 1, 'future', 'x', 'y' FROM ${ledger}`,
    },
    { what: 'an edited migration', code: 'SCHEMA_EDITED', sql: `UPDATE ${ledger} SET sha256 = 'x' WHERE number = 1` },
    { what: 'a renamed migration', code: 'SCHEMA_EDITED', sql: `UPDATE ${ledger} SET name = 'x' WHERE number = 1` },
    { what: 'a missing ledger row', code: 'SCHEMA_EDITED', sql: `DELETE FROM ${ledger} WHERE number = 1` },
    { what: 'a lost ledger', code: 'SCHEMA_EDITED', sql: `DROP TABLE ${ledger}` },
    { what: 'a column added by hand', code: 'SCHEMA_EDITED', sql: 'ALTER TABLE kyc_relay_events ADD COLUMN note text' },
    {
      what: 'a table partitioned by hand',
      code: 'SCHEMA_EDITED',
      sql: `DROP TABLE kyc_relay_event_sources; CREATE TABLE kyc_relay_event_sources (app_id text COLLATE "C",
        source_event_id text COLLATE "C", event_id text COLLATE "C" NOT NULL,
        PRIMARY KEY (app_id, source_event_id)) PARTITION BY HASH (app_id)`,
    },
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
