import type Database from 'better-sqlite3'
import { checkpointPages } from './connection.js'
import { prepare } from './prepared.js'

/** First version of SQLite that tells how long the WAL is without checkpointing it. */
const tellsLength = [3, 51] as const

/**
 * Takes checkpoints over from SQLite on a connection of ours, to be called after each commit.
 *
 * The checkpoint that SQLite makes by itself inside a COMMIT keeps its errors: a disk that fails to sync would be asked again
 * with every commit, and nobody would know. Null where this SQLite cannot tell when a checkpoint is due.
 *
 * @returns a function that throws what better-sqlite3 throws.
 */
export function takeOverCheckpoints(client: Database.Database): (() => void) | null {
  const version = prepare<[], { version: string }>(client, 'SELECT sqlite_version() AS version').get()?.version ?? ''
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major < tellsLength[0] || (major === tellsLength[0] && minor < tellsLength[1])) return null
  client.pragma('wal_autocheckpoint = 0')
  const measure = prepare<[], { log: number }>(client, 'PRAGMA wal_checkpoint(NOOP)')
  const checkpoint = prepare<[], { log: number }>(client, 'PRAGMA wal_checkpoint(PASSIVE)')
  return () => {
    if ((measure.get()?.log ?? 0) >= checkpointPages) checkpoint.get()
  }
}
