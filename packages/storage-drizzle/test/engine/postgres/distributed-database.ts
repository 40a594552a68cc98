import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { createPostgresStorage, createPostgresVault } from '../../../src/postgres/index.js'
import { distributeSql } from './distribution-guard.js'
import { emptyTables, startPostgres } from './postgres-server.js'
import { cipher } from '../../vault/any-cipher.js'

/** URL of a Citus for tests of distributed tables. Without it they run on plain PostgreSQL. */
const citus = process.env['TEST_CITUS_URL']

/** Ways to run a test: on plain tables, and in the mode for distributed ones. */
export const tableModes = [
  { mode: 'plain tables', distributed: false },
  { mode: citus === undefined ? 'plain tables, as if distributed' : 'distributed tables', distributed: true },
] as const

/** A database with migrated tables. */
export interface MigratedDatabase {
  readonly connectionString: string
  /** Empties the tables. */
  empty(pool: pg.Pool): Promise<void>
  stop(): Promise<void>
}

/** Creates a database with the tables of stores and vault; distributed ones are on Citus if there is one. */
export async function createMigratedDatabase({
  distributed,
}: {
  readonly distributed: boolean
}): Promise<MigratedDatabase> {
  const onCitus = distributed && citus !== undefined ? citus : null
  const { connectionString, stop } = onCitus === null ? await onPostgres() : await inSchemaOf(onCitus)
  await (await createPostgresStorage({ connectionString }, { distributed })).close()
  await (await createPostgresVault({ connectionString }, { cipher, distributed })).close()
  if (onCitus === null) return { connectionString, stop, empty: emptyTables }
  const owner = new pg.Client({ connectionString })
  await owner.connect()
  await owner.query(distributeSql)
  await owner.end()
  return { connectionString, stop, empty: async (pool) => void (await pool.query(emptyAll)) }
}

async function onPostgres() {
  const server = await startPostgres()
  return { connectionString: await server.createDatabase(), stop: () => server.stop() }
}

async function inSchemaOf(url: string) {
  const schema = `kyc_relay_test_${randomUUID().replaceAll('-', '')}`
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  await admin.query(`CREATE SCHEMA ${schema}`)
  const inSchema = new URL(url)
  inSchema.searchParams.set('options', `-c search_path=${schema},public`)
  return {
    connectionString: inSchema.href,
    async stop() {
      await admin.query(`DROP SCHEMA ${schema} CASCADE`)
      await admin.end()
    },
  }
}

/** The coordinator cannot delete in any order. */
const emptyAll = `DO $$ BEGIN
  EXECUTE (SELECT 'TRUNCATE ' || string_agg(quote_ident(relname), ', ') FROM pg_class
    WHERE relkind = 'r' AND relname LIKE 'kyc\\_relay\\_%' AND relname NOT LIKE '%\\_migrations'
      AND relnamespace = current_schema()::regnamespace);
END $$`
