import { createHash } from 'node:crypto'
import type Database from 'better-sqlite3'
import { ledgerOf, ownsTable } from '../migrations/history-tables.js'
import { pendingMigrations, type LedgerRow, type MigrationStatus, type MigrationStep } from '../migrations/ledger.js'
import { readMigrations, type Migration, type MigrationSet } from '../migrations/migration-files.js'
import { StorageError } from '../../storage-error.js'
import { storageErrorOf } from './errors.js'

/** A history of migrations, with its own ledger, so that stores, vault and receiver may share a database or not. */
export type SqliteHistory = Extract<MigrationSet, `sqlite${string}`>

/** The objects of a history, as SQLite keeps their text, in a stable order. Tables of the embedding system are left out. */
export function dumpSchema(client: Database.Database, history: SqliteHistory): string {
  const rows = client
    .prepare<[], { tbl_name: string; sql: string }>(
      `SELECT tbl_name, sql FROM sqlite_schema WHERE tbl_name GLOB 'kyc_relay_*' AND sql IS NOT NULL ORDER BY type DESC, name`,
    )
    .all()
  return rows
    .filter((row) => ownsTable(history, row.tbl_name))
    .map((row) => `${row.sql};\n`)
    .join('\n')
}

function schemaSha256(client: Database.Database, history: SqliteHistory): string {
  return createHash('sha256').update(dumpSchema(client, history), 'utf8').digest('hex')
}

function readLedger(client: Database.Database, history: SqliteHistory): readonly LedgerRow[] {
  const known = client.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`).get(ledgerOf(history))
  if (known === undefined) return []
  return client
    .prepare<[], LedgerRow>(
      `SELECT number, name, sha256, schema_sha256 AS schemaSha256 FROM ${ledgerOf(history)} ORDER BY number`,
    )
    .all()
}

/**
 * What is applied and what is left, without writing anything.
 *
 * @throws `SCHEMA_NEWER`, `SCHEMA_EDITED`
 */
export function migrationStatus(client: Database.Database, history: SqliteHistory): MigrationStatus {
  const ledger = readLedger(client, history)
  const pending = pendingMigrations(readMigrations(history), ledger, schemaSha256(client, history))
  return { applied: ledger.map(({ number, name }) => ({ number, name })), pending }
}

/** @throws `SCHEMA_OUTDATED` when something is left to apply; `SCHEMA_NEWER`, `SCHEMA_EDITED`. */
export function requireMigrated(client: Database.Database, history: SqliteHistory): void {
  if (migrationStatus(client, history).pending.length > 0) throw new StorageError('SCHEMA_OUTDATED')
}

/**
 * Applies what is left, each migration in a transaction of its own together with its ledger row: after a kill at any
 * point the schema is that of the last whole migration. Concurrent starts wait for each other at `BEGIN IMMEDIATE` and
 * look again under the lock.
 *
 * @returns the names applied by this call.
 * @throws `SCHEMA_NEWER`, `SCHEMA_EDITED`, `STORE_UNAVAILABLE`; nothing is changed then.
 */
export function migrate(
  client: Database.Database,
  history: SqliteHistory,
  now: () => Date,
  onMigration: (step: MigrationStep) => void = () => undefined,
): readonly string[] {
  const shipped = readMigrations(history)
  const applied: string[] = []
  try {
    for (;;) {
      const next = inTransaction(client, () => applyNext(client, { history, shipped, onMigration }, now()))
      if (next === null) break
      onMigration({ state: 'applied', name: next.name, number: next.number, total: shipped.length })
      applied.push(next.name)
    }
    // Into the file itself: a database whose WAL was lost must not look like a new one.
    if (applied.length > 0) client.pragma('wal_checkpoint(PASSIVE)')
    return applied
  } catch (error) {
    throw storageErrorOf(error)
  }
}

interface MigrationRun {
  readonly history: SqliteHistory
  readonly shipped: readonly Migration[]
  readonly onMigration: (step: MigrationStep) => void
}

function applyNext(
  client: Database.Database,
  { history, shipped, onMigration }: MigrationRun,
  now: Date,
): Migration | null {
  const ledger = readLedger(client, history)
  const next = pendingMigrations(shipped, ledger, schemaSha256(client, history))[0]
  if (next === undefined) {
    // A write that changes nothing, so that the pragmas can be proved as they are after a write.
    client.exec(`UPDATE ${ledgerOf(history)} SET name = name WHERE number = ${shipped.length}`)
    return null
  }
  onMigration({ state: 'applying', name: next.name, number: next.number, total: shipped.length })
  if (ledger.length === 0) {
    client.exec(`CREATE TABLE ${ledgerOf(history)} (
  number INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  schema_sha256 TEXT NOT NULL,
  applied_at INTEGER NOT NULL
) STRICT`)
  }
  client.exec(next.sql)
  client
    .prepare(
      `INSERT INTO ${ledgerOf(history)} (number, name, sha256, schema_sha256, applied_at) VALUES (?, ?, ?, ?, ?)`,
    )
    .run(next.number, next.name, next.sha256, schemaSha256(client, history), now.getTime())
  return next
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
