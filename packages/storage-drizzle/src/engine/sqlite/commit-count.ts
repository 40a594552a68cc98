import { closeSync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import Database from 'better-sqlite3'
import { ledgerOf } from '../migrations/migration-files.js'
import { StorageError } from '../../storage-error.js'
import { storageErrorOf } from './errors.js'
import type { SqliteHistory } from './migrate.js'

/*
 * SQLite cannot tell a database whose WAL was removed from one that never had more: it opens what is left without a word.
 * So the commits of a file are counted twice, in a row of the database, within each commit, and after it in a small file
 * beside it. A database that knows of fewer commits than that file has lost some.
 */

/** Counts the commits of one connection. */
export interface CommitCount {
  /** Inside a transaction that changed something, before its COMMIT. */
  count(): void
  /** After the COMMIT. */
  remember(): void
  close(): void
}

const digits = 16

const tableOf = (history: SqliteHistory): string => ledgerOf(history).replace(/migrations$/, 'commit_count')

function rememberedFile(path: string, history: SqliteHistory): string {
  return `${path}.${history === 'sqlite-vault' ? 'vault-commits' : 'commits'}`
}

/** What the file beside a database says; 0 where it says nothing: it is not synced, and a power cut may have emptied it. */
function readRemembered(path: string, history: SqliteHistory): number {
  let text: string
  try {
    text = readFileSync(rememberedFile(path, history), 'latin1')
  } catch {
    return 0
  }
  return /^\d{16}\n$/.test(text) ? Number(text) : 0
}

/** 0 also for what is no file: opening it will say so. */
function sizeOf(path: string): number {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats?.isFile() === true ? stats.size : 0
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
 * Looks at a database file before it is opened for writing, and changes nothing.
 *
 * @param checkUpToBytes Largest file that is read from its first page to its last.
 * @throws StorageError `COMMITS_MISSING`, `DATABASE_DAMAGED`
 */
export function inspectFile(path: string, history: SqliteHistory, checkUpToBytes: number): void {
  // In this order: what is remembered or in a WAL now is in the database a moment later, whoever else writes to it.
  const remembered = readRemembered(path, history)
  const walBytes = sizeOf(`${path}-wal`)
  const bytes = sizeOf(path)
  if (bytes === 0) {
    // SQLite takes the WAL beside an empty file for a leftover, and removes it.
    if (remembered > 0 || walBytes > 0) throw new StorageError('COMMITS_MISSING')
    return
  }
  if (remembered === 0 && bytes > checkUpToBytes) return
  try {
    // A connection that cannot write leaves the WAL as it is, also when it is the last to close.
    const client = new Database(path, { readonly: true, fileMustExist: true, timeout: 5_000 })
    try {
      const isSound = bytes > checkUpToBytes || client.pragma('quick_check(1)', { simple: true }) === 'ok'
      if (!isSound) throw new StorageError('DATABASE_DAMAGED')
      if (readCounted(client, history) < remembered) throw new StorageError('COMMITS_MISSING')
    } finally {
      client.close()
    }
  } catch (error) {
    const mapped = storageErrorOf(error)
    const isDamage = /^SQLITE_(?:CORRUPT|NOTADB)/.test(mapped.driverCode ?? '')
    throw isDamage ? new StorageError('DATABASE_DAMAGED', mapped.driverCode) : mapped
  }
}

/** Begins to count the commits of a connection on a file of ours. */
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
        // The commit stands, whatever becomes of the note about it.
      }
    },
    close() {
      if (file !== null) closeSync(file)
    },
  }
}

function openRemembered(path: string): number | null {
  try {
    // Written in place: 'a' makes the file and would ignore the position.
    closeSync(openSync(path, 'a', 0o600))
    return openSync(path, 'r+')
  } catch {
    return null
  }
}
