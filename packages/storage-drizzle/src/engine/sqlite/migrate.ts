import { createHash } from 'node:crypto'
import type Database from 'better-sqlite3'
import {
  failedMigration,
  pendingMigrations,
  stepOf,
  type LedgerRow,
  type MigrationStatus,
  type SqliteMigrationListeners,
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
import { storageErrorOf } from './errors.js'

/** A migration history of the package; each has its ledger, so that stores, vault and receiver can share a database. */
export type SqliteHistory = Extract<MigrationSet, `sqlite${string}`>

type History = SqliteHistory | OwnTables

interface SchemaObject {
  readonly tbl_name: string
  readonly name: string
  readonly sql: string
}

/**
 * Lists the objects of a history with SQLite's text, in a stable order. Tables of the embedding system are not
 * included.
 */
function listObjects(client: Database.Database, history: History): readonly SchemaObject[] {
  return client
    .prepare<[string], SchemaObject>(
      'SELECT tbl_name, name, sql FROM sqlite_schema WHERE tbl_name GLOB ? AND sql IS NOT NULL ORDER BY type DESC, name',
    )
    .all(`${familyOf(history)}*`)
    .filter((row) => ownsTable(history, row.tbl_name))
}

const textOf = (objects: readonly SchemaObject[]): string => objects.map(({ sql }) => `${sql};\n`).join('\n')

/** The schema of a history as text: every table and index on it. */
export function dumpSchema(client: Database.Database, history: History): string {
  return textOf(listObjects(client, history))
}

/** A plain index that no migration created: an operator's own. */
const isUnknown = (shipped: readonly Migration[]): ((object: SchemaObject) => boolean) => {
  const own = shippedIndexes(shipped)
  return ({ name, sql }) => /^CREATE INDEX/i.test(sql) && !own.has(name)
}

function schemaSha256(client: Database.Database, history: History, shipped: readonly Migration[]): string {
  const isUnknownIndex = isUnknown(shipped)
  const objects = listObjects(client, history).filter((object) => !isUnknownIndex(object))
  return createHash('sha256').update(textOf(objects), 'utf8').digest('hex')
}

function readLedger(client: Database.Database, history: History): readonly LedgerRow[] {
  const known = client.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`).get(ledgerOf(history))
  if (known === undefined) return []
  return client
    .prepare<[], LedgerRow>(
      `SELECT number, name, sha256, schema_sha256 AS schemaSha256 FROM ${ledgerOf(history)} ORDER BY number`,
    )
    .all()
}

/**
 * Reads applied and pending migrations as of one moment: a migration that ends between two reads would look like an edited
 * schema. Writes nothing.
 *
 * @throws `SCHEMA_NEWER`, `SCHEMA_EDITED`
 */
export function migrationStatus(client: Database.Database, history: History): MigrationStatus {
  const shipped = readMigrations(history)
  const [ledger, sha256] = client.transaction(
    () => [readLedger(client, history), schemaSha256(client, history, shipped)] as const,
  )()
  const pending = pendingMigrations(shipped, ledger, sha256)
  const prefix = tablePrefixOf(history)
  return { applied: ledger.map(({ number, name }) => ({ number, name, prefix })), pending }
}

/** @throws `SCHEMA_OUTDATED` when migrations are pending; `SCHEMA_NEWER`, `SCHEMA_EDITED`. */
export function requireMigrated(client: Database.Database, history: History): void {
  if (migrationStatus(client, history).pending.length > 0) throw new StorageError('SCHEMA_OUTDATED')
}

/** Options of {@link migrate}. */
export interface SqliteMigrationOptions extends SqliteMigrationListeners {
  readonly now: () => Date
  /** Default: the migrations of the package. */
  readonly shipped?: readonly Migration[]
}

/**
 * Applies pending migrations, each in one transaction with its ledger row. After a crash the schema is that of the last
 * complete migration. Concurrent starts wait for each other at `BEGIN IMMEDIATE` and then check again. It writes also if
 * nothing is pending: call it before `assertDurable`, also after {@link requireMigrated}.
 *
 * @returns the names applied by this call.
 * @throws `SCHEMA_NEWER`, `SCHEMA_EDITED`, `STATEMENT_REFUSED`, `STORE_UNAVAILABLE`; the failed
 *   migration then changes nothing.
 */
export function migrate(
  client: Database.Database,
  history: History,
  { now, shipped = readMigrations(history), onMigration, onUnknownIndex }: SqliteMigrationOptions,
): readonly string[] {
  const applied: string[] = []
  try {
    for (;;) {
      const next = inTransaction(client, () => applyNext(client, { history, shipped, onMigration }, now()))
      if (next === null) break
      onMigration?.(stepOf(next, 'applied', shipped))
      applied.push(next.name)
    }
    for (const { name } of listObjects(client, history).filter(isUnknown(shipped))) onUnknownIndex?.(name)
    // Checkpoints into the file: a database whose WAL was lost must not look new.
    if (applied.length > 0) client.pragma('wal_checkpoint(PASSIVE)')
    return applied
  } catch (error) {
    throw storageErrorOf(error)
  }
}

interface MigrationRun {
  readonly history: History
  readonly shipped: readonly Migration[]
  readonly onMigration: SqliteMigrationListeners['onMigration']
}

function applyNext(
  client: Database.Database,
  { history, shipped, onMigration }: MigrationRun,
  now: Date,
): Migration | null {
  const ledger = readLedger(client, history)
  const next = pendingMigrations(shipped, ledger, schemaSha256(client, history, shipped))[0]
  if (next === undefined) {
    writeWithoutChange(client, history, shipped.length)
    return null
  }
  onMigration?.(stepOf(next, 'applying', shipped))
  if (ledger.length === 0) {
    client.exec(`CREATE TABLE ${ledgerOf(history)} (
  number INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  schema_sha256 TEXT NOT NULL,
  applied_at INTEGER NOT NULL
) STRICT`)
  }
  try {
    client.exec(next.sql)
  } catch (error) {
    throw failedMigration(storageErrorOf(error), next)
  }
  client
    .prepare(
      `INSERT INTO ${ledgerOf(history)} (number, name, sha256, schema_sha256, applied_at) VALUES (?, ?, ?, ?, ?)`,
    )
    .run(next.number, next.name, next.sha256, schemaSha256(client, history, shipped), now.getTime())
  return next
}

/** Writes a row of the ledger as it is: `assertDurable` reads the pragmas as they hold only after a write. */
function writeWithoutChange(client: Database.Database, history: History, number: number): void {
  client.exec(`UPDATE ${ledgerOf(history)} SET name = name WHERE number = ${number}`)
}

function inTransaction<T>(client: Database.Database, work: () => T): T {
  client.exec('BEGIN IMMEDIATE')
  try {
    const value = work()
    client.exec('COMMIT')
    return value
  } catch (error) {
    if (client.inTransaction) client.exec('ROLLBACK')
    throw error
  }
}
