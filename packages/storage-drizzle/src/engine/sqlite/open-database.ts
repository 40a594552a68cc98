import type Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import type { SqliteMigrationListeners } from '../migrations/ledger.js'
import type { OwnTables } from '../migrations/migration-files.js'
import type { StorageError } from '../../storage-error.js'
import { leaveCheckpointsToSqlite, takeOverCheckpoints, writeWithSpace, type Checkpoints } from './checkpoints.js'
import { inspectFile, openCommitCount, type CommitCount } from './commit-count.js'
import { openWithReserve } from './disk-room.js'
import { type DrizzleDatabase, read } from './statement.js'
import { createGroupCommit, type GroupCommit } from './group-commit.js'
import { migrate, requireMigrated, type SqliteHistory } from './migrate.js'
import { assertDurable, defaultCheckUpToBytes, openConnection, ownFile, type SqliteLocation } from './open.js'

/** How a database is opened. */
export interface OpenOptions<Started> extends SqliteMigrationListeners {
  readonly history: SqliteHistory
  readonly ownTables?: OwnTables | undefined
  readonly clock: () => Date
  readonly migrations?: 'apply' | 'require' | undefined
  readonly onFailure?: ((error: StorageError) => void) | undefined
  readonly checkUpToBytes?: number | undefined
  /** Turns of the event loop by which a commit waits for more writes. Default: 0. */
  readonly delayTurns?: number
  /** Runs on the migrated database, before the commits are counted. */
  readonly start: (client: Database.Database, commits: GroupCommit) => Started
}

/** An open database. */
export interface OpenDatabase<Started> {
  readonly client: Database.Database
  readonly db: DrizzleDatabase
  readonly commits: GroupCommit
  readonly checkpoints: Checkpoints
  readonly started: Started
  /** Commits the queued writes and closes the file. Another call does nothing. */
  close(): Promise<void>
}

/**
 * Opens a database of one history for writing, or adopts a connection.
 *
 * A file of its own is checked before it is opened, and its commits are counted. Migrations run before anything is
 * prepared. Then this process takes over the checkpoints of a file. On any error the connection is closed again.
 *
 * @throws StorageError what `createSqliteStorage` states
 */
export function openDatabase<Started>(location: SqliteLocation, options: OpenOptions<Started>): OpenDatabase<Started> {
  const { history, ownTables, clock, migrations = 'apply', checkUpToBytes = defaultCheckUpToBytes } = options
  const histories = ownTables === undefined ? [history] : [history, ownTables]
  const file = ownFile(location)
  const { client, close } = openWithReserve(file, () => {
    if (file !== null) inspectFile(file, history, checkUpToBytes)
    return openConnection(location)
  })
  const commits = createGroupCommit(client, options.onFailure, options.delayTurns)
  let checkpoints = leaveCheckpointsToSqlite(client)
  let commitCount: CommitCount | null = null
  let started: Started
  try {
    for (const each of histories) {
      if (migrations === 'require') requireMigrated(client, each)
      writeWithSpace(client, () => migrate(client, each, { ...options, now: clock }))
    }
    assertDurable(client)
    started = options.start(client, commits)
    if (file !== null) {
      commitCount = openCommitCount(client, history)
      commits.countWith(commitCount)
      checkpoints = takeOverCheckpoints(client, commits.fail)
      commits.checkpointWith(checkpoints)
    }
  } catch (error) {
    close()
    throw error
  }
  return {
    client,
    db: drizzle({ client }),
    commits,
    checkpoints,
    started,
    async close() {
      commits.close()
      await checkpoints.close()
      await read(() => {
        commitCount?.close()
        commitCount = null
        close()
      })
    },
  }
}
