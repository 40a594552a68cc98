import { closeSync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import type Database from 'better-sqlite3'
import { ledgerOf } from '../migrations/migration-files.js'
import { StorageError } from '../../storage-error.js'
import { openingErrorOf } from './errors.js'
import type { SqliteHistory } from './migrate.js'
import { openReadOnly } from './open-read-only.js'

/*
 * Detects lost commits. SQLite opens a database whose WAL was removed without an error. So each commit is counted
 * twice: in a row of the database, and afterwards in a small file in the same folder. A database with a lower count
 * than the file has lost commits.
 */

/** Counts the commits of one connection. */
export interface CommitCount {
  /** Counts a transaction with changes; call before its COMMIT. */
  count(): void
  /** Writes the count to the file; call after the COMMIT. */
  remember(): void
  close(): void
}

const digits = 16

const tableOf = (history: SqliteHistory): string => ledgerOf(history).replace(/migrations$/, 'commit_count')

function rememberedFile(path: string, history: SqliteHistory): string {
  return `${path}.${history === 'sqlite-vault' ? 'vault-commits' : 'commits'}`
}

/**
 * Reads the count in the file; 0 if it is missing or empty. The file is not synced, so a power failure may empty it.
 *
 * @throws StorageError `DATABASE_UNUSABLE` if it cannot be read: with a count of 0, lost commits would go unnoticed.
 */
function readRemembered(path: string, history: SqliteHistory): number {
  let text: string
  try {
    text = readFileSync(rememberedFile(path, history), 'latin1')
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (code === 'EACCES' || code === 'EPERM' || code === 'EISDIR') throw new StorageError('DATABASE_UNUSABLE', code)
    return 0
  }
  return /^\d{16}\n$/.test(text) ? Number(text) : 0
}

/** Returns 0 also for a path that is not a file, or cannot be one; opening it gives the error. */
function sizeOf(path: string): number {
  try {
    const stats = statSync(path)
    return stats.isFile() ? stats.size : 0
  } catch {
    return 0
  }
}

function readCounted(client: Database.Database, history: SqliteHistory): number {
  const known = client.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`).get(tableOf(history))
  if (known === undefined) return 0
  return (
    client
      .prepare<[], number>(`SELECT number FROM ${tableOf(history)}`)
      .pluck()
      .get() ?? 0
  )
}

/**
 * Checks a database file before it is opened for writing. Changes nothing, but for a journal that `openReadOnly` applies.
 *
 * @param checkUpToBytes Largest file that is checked completely, in bytes.
 * @throws StorageError `COMMITS_MISSING`, `DATABASE_DAMAGED`, `DATABASE_UNUSABLE`
 */
export function inspectFile(path: string, history: SqliteHistory, checkUpToBytes: number): void {
  // The order matters: commits counted in the file or held in the WAL now are in the database at the next read, also
  // with other writers.
  const remembered = readRemembered(path, history)
  const walBytes = sizeOf(`${path}-wal`)
  const bytes = sizeOf(path)
  if (bytes === 0) {
    // SQLite removes the WAL of an empty file.
    if (remembered > 0 || walBytes > 0) throw new StorageError('COMMITS_MISSING')
    return
  }
  if (remembered === 0 && bytes > checkUpToBytes) return
  try {
    // A read-only connection does not change the WAL, even when it closes last.
    const client = openReadOnly(path)
    try {
      const isSound = bytes > checkUpToBytes || client.pragma('quick_check(1)', { simple: true }) === 'ok'
      if (!isSound) throw new StorageError('DATABASE_DAMAGED')
      if (readCounted(client, history) < remembered) throw new StorageError('COMMITS_MISSING')
    } finally {
      client.close()
    }
  } catch (error) {
    throw openingErrorOf(error)
  }
}

/** Starts to count the commits of a connection. */
export function openCommitCount(client: Database.Database, history: SqliteHistory): CommitCount {
  const table = tableOf(history)
  const counted = client.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`)
  if (counted.get(table) === undefined) {
    client
      .transaction(() => {
        if (counted.get(table) !== undefined) return
        client.exec(`CREATE TABLE ${table} (number INTEGER NOT NULL) STRICT; INSERT INTO ${table} VALUES (0)`)
      })
      .immediate()
  }
  const countOne = client.prepare<[], number>(`UPDATE ${table} SET number = number + 1 RETURNING number`).pluck()
  const file = openRemembered(rememberedFile(client.name, history))
  let number = 0

  return {
    count() {
      number = countOne.get() ?? 0
    },
    remember() {
      if (file === null) return
      try {
        writeSync(file, `${String(number).padStart(digits, '0')}\n`, 0)
      } catch {
        // An error in writing the file does not affect the commit.
      }
    },
    close() {
      if (file !== null) closeSync(file)
    },
  }
}

function openRemembered(path: string): number | null {
  try {
    // Opened for writing in place: 'a' creates the file but ignores the position.
    closeSync(openSync(path, 'a', 0o600))
    return openSync(path, 'r+')
  } catch {
    return null
  }
}
