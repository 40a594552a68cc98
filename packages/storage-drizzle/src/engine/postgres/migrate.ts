import { createHash } from 'node:crypto'
import type pg from 'pg'
import {
  failedMigration,
  pendingMigrations,
  stepOf,
  type LedgerRow,
  type MigrationListeners,
  type MigrationStatus,
} from '../migrations/ledger.js'
import {
  familyOf,
  ledgerOf,
  ownsTable,
  readMigrations,
  shippedIndexes,
  tablePrefixOf,
  type Migration,
  type MigrationSet,
  type OwnTables,
} from '../migrations/migration-files.js'
import { StorageError } from '../../storage-error.js'
import type { PostgresConnection } from './pool.js'
import { storageErrorOf } from './errors.js'
import { watchForLocks, type LockWatch } from './lock-watch.js'

/** A migration history of the package; each has its ledger, so that stores, vault and receiver can share a database. */
export type PostgresHistory = Extract<MigrationSet, `postgres${string}`>

type History = PostgresHistory | OwnTables

type Client = Pick<pg.ClientBase, 'query'>

interface SchemaObject {
  readonly table: string
  readonly name: string
  readonly line: string
  /** An index that refuses nothing. */
  readonly isPlainIndex: boolean
}

/**
 * Lists the objects of a history in a stable order: columns with types, constraints and indexes by name. Definitions
 * printed by PostgreSQL are not compared because they differ between major versions.
 */
async function listObjects(client: Client, history: History): Promise<readonly SchemaObject[]> {
  const { rows } = await client.query<SchemaObject>(
    `
    SELECT c.relname AS "table", o.name, c.relname || ' ' || o.line AS line, o.plain AS "isPlainIndex"
    FROM pg_catalog.pg_class c
    CROSS JOIN LATERAL (
      SELECT a.attname AS name, false AS plain, 'column ' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
        || CASE WHEN a.attnotnull THEN ' not null' ELSE '' END AS line
      FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      UNION ALL
      SELECT k.conname, false, 'constraint ' || k.conname FROM pg_catalog.pg_constraint k
      WHERE k.conrelid = c.oid AND k.contype <> 'n'
      UNION ALL
      SELECT c.relname, false, 'partitioned' WHERE c.relkind = 'p'
      UNION ALL
      SELECT i.relname, NOT x.indisunique AND NOT x.indisexclusion, 'index ' || i.relname
      FROM pg_catalog.pg_index x JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid
      WHERE x.indrelid = c.oid AND x.indisvalid
    ) o
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND starts_with(c.relname, $1)
    ORDER BY c.relname COLLATE "C", o.line COLLATE "C"`,
    [familyOf(history)],
  )
  return rows.filter(({ table }) => ownsTable(history, table))
}

const textOf = (objects: readonly SchemaObject[]): string => objects.map(({ line }) => `${line}\n`).join('')

/** The schema of a history as text: a line for each column, constraint and index. */
export async function describeSchema(client: Client, history: History): Promise<string> {
  return textOf(await listObjects(client, history))
}

/** A plain index that no migration created: an operator's own. */
const isUnknown = (shipped: readonly Migration[]): ((object: SchemaObject) => boolean) => {
  const own = shippedIndexes(shipped)
  return ({ name, isPlainIndex }) => isPlainIndex && !own.has(name)
}

async function schemaSha256(client: Client, history: History, shipped: readonly Migration[]): Promise<string> {
  const isUnknownIndex = isUnknown(shipped)
  const objects = (await listObjects(client, history)).filter((object) => !isUnknownIndex(object))
  return createHash('sha256').update(textOf(objects), 'utf8').digest('hex')
}

async function readLedger(client: Client, history: History): Promise<readonly LedgerRow[]> {
  const known = await client.query<{ known: boolean }>(
    `SELECT to_regclass(quote_ident(current_schema()) || '.' || $1) IS NOT NULL AS known`,
    [ledgerOf(history)],
  )
  if (known.rows[0]?.known !== true) return []
  const { rows } = await client.query<LedgerRow>(
    `SELECT number, name, sha256, schema_sha256 AS "schemaSha256" FROM ${ledgerOf(history)} ORDER BY number`,
  )
  return rows
}

/**
 * Reads applied and pending migrations. Writes nothing.
 *
 * @throws `SCHEMA_NEWER`, `SCHEMA_EDITED`
 */
export async function migrationStatus(client: Client, history: History): Promise<MigrationStatus> {
  const shipped = readMigrations(history)
  const ledger = await readLedger(client, history)
  const pending = pendingMigrations(shipped, ledger, await schemaSha256(client, history, shipped))
  const prefix = tablePrefixOf(history)
  return { applied: ledger.map(({ number, name }) => ({ number, name, prefix })), pending }
}

/**
 * Reads the status of histories as of one moment: a migration that ends between two reads would look like an edited schema.
 *
 * @throws `SCHEMA_NEWER`, `SCHEMA_EDITED`
 */
export async function readStatus(
  pool: Pick<pg.Pool, 'connect'>,
  histories: readonly History[],
): Promise<readonly MigrationStatus[]> {
  const client = await pool.connect()
  let broken = true
  const ignore = () => undefined
  client.on('error', ignore)
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const parts: MigrationStatus[] = []
    for (const each of histories) parts.push(await migrationStatus(client, each))
    await client.query('COMMIT')
    broken = false
    return parts
  } finally {
    client.off('error', ignore)
    client.release(broken)
  }
}

/** @throws `SCHEMA_OUTDATED` when migrations are pending; `SCHEMA_NEWER`, `SCHEMA_EDITED`. */
export async function requireMigrated(
  pool: pg.Pool,
  history: History,
  { onUnknownIndex }: MigrationListeners = {},
): Promise<void> {
  try {
    const parts = await readStatus(pool, [history])
    if (parts.some(({ pending }) => pending.length > 0)) throw new StorageError('SCHEMA_OUTDATED')
    await tellUnknownIndexes(pool, { history, shipped: readMigrations(history), onUnknownIndex })
  } catch (error) {
    throw storageErrorOf(error)
  }
}

async function tellUnknownIndexes(
  client: Client,
  {
    history,
    shipped,
    onUnknownIndex,
  }: Pick<MigrationRun, 'history' | 'shipped'> & Pick<MigrationListeners, 'onUnknownIndex'>,
): Promise<void> {
  if (onUnknownIndex === undefined) return
  const objects = await listObjects(client, history)
  for (const { name } of objects.filter(isUnknown(shipped))) onUnknownIndex(name)
}

/**
 * Applies pending migrations under an advisory lock, each in one transaction with its ledger row. Concurrent starts
 * wait for each other and then check again. A migration that PostgreSQL ends because of a deadlock is restarted, up to
 * ten times.
 *
 * @returns the names applied by this call.
 * @throws `SCHEMA_NEWER`, `SCHEMA_EDITED`, `STATEMENT_REFUSED`, `STORE_UNAVAILABLE`; the failed
 *   migration then changes nothing.
 */
export async function migrate(
  { newClient }: Pick<PostgresConnection, 'newClient'>,
  history: History,
  { onMigration, onMigrationWaiting, onUnknownIndex }: MigrationListeners = {},
  shipped: readonly Migration[] = readMigrations(history),
): Promise<readonly string[]> {
  // Uses a separate connection: waiting for another start or a large table can exceed the time limits of requests.
  const client = newClient(noTimeouts)
  client.on('error', () => undefined)
  const watch = watchForLocks(newClient, (waitedMs) => onMigrationWaiting?.({ waitedMs }))
  try {
    await client.connect()
    const applied = await applyAll(client, { history, shipped, onMigration, watch })
    await tellUnknownIndexes(client, { history, shipped, onUnknownIndex })
    return applied
  } catch (error) {
    throw storageErrorOf(error)
  } finally {
    await watch.stop()
    await client.end().catch(() => undefined)
  }
}

/** Sets no time limits of this package; {@link withoutTimeouts} disables those of the database or the user. */
const noTimeouts = { statement_timeout: false, idle_in_transaction_session_timeout: 0, query_timeout: 0 } as const

interface MigrationRun {
  readonly watch: LockWatch
  readonly history: History
  readonly shipped: readonly Migration[]
  readonly onMigration: MigrationListeners['onMigration']
}

async function applyAll(client: pg.Client, run: MigrationRun): Promise<readonly string[]> {
  const applied: string[] = []
  for (;;) {
    const next = await outlivingDeadlocks(client, () => inTransaction(client, run, () => applyNext(client, run)))
    if (next === null) return applied
    run.onMigration?.(stepOf(next, 'applied', run.shipped))
    applied.push(next.name)
  }
}

async function applyNext(client: Client, { history, shipped, onMigration }: MigrationRun): Promise<Migration | null> {
  const ledger = await readLedger(client, history)
  const next = pendingMigrations(shipped, ledger, await schemaSha256(client, history, shipped))[0]
  if (next === undefined) return null
  onMigration?.(stepOf(next, 'applying', shipped))
  if (ledger.length === 0) {
    await client.query(`CREATE TABLE ${ledgerOf(history)} (
      number integer NOT NULL PRIMARY KEY,
      name text COLLATE "C" NOT NULL,
      sha256 text COLLATE "C" NOT NULL,
      schema_sha256 text COLLATE "C" NOT NULL,
      applied_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
    )`)
  }
  try {
    await client.query(next.sql)
  } catch (error) {
    throw failedMigration(storageErrorOf(error), next)
  }
  await client.query(`INSERT INTO ${ledgerOf(history)} (number, name, sha256, schema_sha256) VALUES ($1, $2, $3, $4)`, [
    next.number,
    next.name,
    next.sha256,
    await schemaSha256(client, history, shipped),
  ])
  return next
}

const mostDeadlocks = 10

/**
 * Restarts a migration after a deadlock. Processes of the previous version keep running and may hold one table and wait
 * for another. PostgreSQL then rolls the migration back.
 */
async function outlivingDeadlocks<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  for (let deadlocks = 0; ; deadlocks += 1) {
    try {
      return await work()
    } catch (error) {
      const isDeadlock = storageErrorOf(error).driverCode === '40P01'
      if (!isDeadlock || deadlocks === mostDeadlocks) throw error
      await client.query('ROLLBACK')
    }
  }
}

async function inTransaction<T>(
  client: pg.Client,
  { history, watch }: MigrationRun,
  work: () => Promise<T>,
): Promise<T> {
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED')
  const { rows } = await client.query<{ pid: number }>(withoutTimeouts)
  watch.began(rows[0]?.pid ?? null)
  // After a failure the connection is closed, and the server rolls back.
  await client.query(`SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || $1, 0))`, [ledgerOf(history)])
  const value = await work()
  await client.query('COMMIT')
  watch.began(null)
  return value
}

/** Disables time limits for this transaction. Versions have different settings, so only existing ones are changed. */
const withoutTimeouts = `SELECT pg_backend_pid() AS pid, set_config(name, '0', true) FROM pg_catalog.pg_settings WHERE name IN
  ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`
