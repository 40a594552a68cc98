// The same as first-history.sqlite.test.ts on PostgreSQL.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, test } from 'vitest'
import { readMigrations } from '../../src/engine/migrations/migration-files.js'
import {
  createPostgresDeduplicationStore,
  createPostgresStorage,
  createPostgresVault,
} from '../../src/postgres/index.js'
import { auditSeal } from '../audit/audit-samples.js'
import { startPostgres, type PostgresServer } from '../engine/postgres/postgres-server.js'
import { continueFirstHistory, firstCipher, writeFirstHistory, writtenAtMs, type FirstStores } from './first-history.js'

const fixture = fileURLToPath(new URL('first-history.postgres.sql', import.meta.url))

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

async function withStores(
  connectionString: string,
  nowMs: number,
  use: (stores: FirstStores) => Promise<void>,
): Promise<void> {
  const clock = () => new Date(nowMs)
  const location = { connectionString }
  const storage = await createPostgresStorage(location, { audit: auditSeal, clock, notify: false })
  const vault = await createPostgresVault(location, { cipher: firstCipher(), audit: auditSeal, clock })
  const deduplication = await createPostgresDeduplicationStore(location, { clock })
  await use({ storage, vault, deduplication })
  await deduplication.close()
  await vault.close()
  await storage.close()
}

async function connect<T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    await client.query("SET timezone = 'UTC'")
    return await work(client)
  } finally {
    await client.end()
  }
}

/** The migrations, the ledgers and all rows as SQL that makes the same database. */
async function dump(client: pg.Client): Promise<string> {
  const histories = ['postgres', 'postgres-vault', 'postgres-receiver'] as const
  const lines = histories.flatMap((history) => readMigrations(history).map(({ sql }) => sql))
  const migrated = lines.join('\n')
  const { rows: tables } = await client.query<{ name: string }>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1",
  )
  for (const { name } of tables) {
    const { rows: columns } = await client.query<{ name: string; type: string; identity: string }>(
      `SELECT attname AS name, format_type(atttypid, atttypmod) || CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END AS type,
         attidentity::text AS identity
       FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum`,
      [name],
    )
    // The ledgers belong to no migration.
    if (!migrated.includes(`"${name}"`)) {
      const { rows: keys } = await client.query<{ name: string; text: string }>(
        'SELECT conname AS name, pg_get_constraintdef(oid) AS text FROM pg_constraint WHERE conrelid = $1::regclass AND contype <> $2',
        [name, 'n'],
      )
      const parts = [
        ...columns.map((column) => `"${column.name}" ${column.type}`),
        ...keys.map((key) => `CONSTRAINT "${key.name}" ${key.text}`),
      ]
      lines.push(`CREATE TABLE "${name}" (${parts.join(', ')});`)
    }
    const names = columns.map((column) => `"${column.name}"`).join()
    const values = columns.map((column) => `quote_nullable("${column.name}"::text)`).join(` || ',' || `)
    const { rows } = await client.query<{ row: string }>(`SELECT ${values} AS row FROM "${name}"`)
    lines.push(...rows.map(({ row }) => `INSERT INTO "${name}" (${names}) VALUES (${row});`))
    for (const { name: column, identity } of columns) {
      if (identity !== '')
        lines.push(`SELECT setval(pg_get_serial_sequence('${name}', '${column}'), max("${column}")) FROM "${name}";`)
    }
  }
  // Tables are filled in the order of their names, before what they refer to.
  return ['SET session_replication_role = replica;', ...lines, ''].join('\n')
}

test('a database of the first history is opened, and what it had begun goes on', async () => {
  if (process.env['WRITE_FIRST_HISTORY']) {
    const written = await server.createDatabase()
    await withStores(written, writtenAtMs, writeFirstHistory)
    writeFileSync(fixture, await connect(written, dump))
  }
  const database = await server.createDatabase()
  await connect(database, (client) => client.query(readFileSync(fixture, 'utf8')))
  await withStores(database, writtenAtMs + 3_600_000, continueFirstHistory)
})
