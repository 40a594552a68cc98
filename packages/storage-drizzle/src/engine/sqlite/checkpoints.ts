// What: copies the WAL into the database file in a thread, and makes writers wait when the WAL grows too fast.
// Why: SQLite's automatic checkpoint runs inside a COMMIT. It hides errors there, and stops all writes for its length.
// Cost: a second connection in a thread, and one cheap question about the WAL after each commit.
// Without it: commits stall while the file is synced, a small volume fills with WAL, and erased data stays in the WAL.

import { setTimeout as sleep } from 'node:timers/promises'
import type Database from 'better-sqlite3'
import { StorageError } from '../../storage-error.js'
import { processCheckpointThread, type CheckpointThread } from './checkpoint-thread.js'
import { checkpointPages, emptyWal } from './open.js'
import { createDiskRoom } from './disk-room.js'
import { isDiskFull } from './errors.js'
import { rememberFiles } from './file-identity.js'
import { prepare } from './statement.js'

/** Copies commits from the WAL into the database file, in a thread where possible. */
export interface Checkpoints {
  /**
   * Call before each transaction. Once a second it checks the files and the free space.
   *
   * @returns `FILES_REPLACED` when writes must stop; otherwise null.
   */
  beforeWrite(): StorageError | null
  /**
   * Call when a write found the disk full. Copies the WAL into the file and frees its space.
   *
   * @returns true when the write may be retried.
   * @throws StorageError `STORE_FAILED`
   */
  makeSpace(): boolean
  /**
   * Call after each commit.
   *
   * @returns a promise if no write should start before it settles.
   * @throws errors of better-sqlite3; the promise rejects with them too.
   */
  afterCommit(): Promise<unknown> | null
  /**
   * Empties the WAL, so that erased data is not in it either. It gives up after a second in which another process reads,
   * writes or checkpoints.
   *
   * @throws StorageError `STORE_FAILED`
   */
  empty(): Promise<void>
  /** Call before the connection is closed. */
  close(): Promise<void>
}

/** Length of the WAL in frames; each page of a commit is one frame. */
interface WalLength {
  readonly log: number
}

/** Length of the WAL, and the number of frames already copied into the file. */
interface WalState extends WalLength {
  readonly checkpointed: number
}

/** First version of SQLite that reports the length of the WAL without a checkpoint. */
const tellsLength = [3, 51] as const

/**
 * Frames in the WAL before the thread starts a checkpoint: 48 MiB. Frequently changed pages are then copied once, and
 * commits wait for the sync of the file a quarter as often as with 12 MiB.
 */
export const threadPages = 12_000

/** Frames in the WAL at which writers wait for the thread: 80 MiB. */
export const mostPages = 20_000

/** Next step for the WAL after a commit. */
export type Due = 'nothing' | 'in the thread' | 'here' | 'wait for the thread'

/**
 * Decides the next step after a commit.
 *
 * While the thread copies, writers add frames; the next pass copies those, fewer each time. Usually everything is
 * copied when the next write starts, and the WAL restarts. Otherwise this function limits the growth of the WAL.
 */
export function dueAfter(
  { log }: WalLength,
  thread: 'idle' | 'busy' | 'none',
  walPages: (longest: number) => number = (longest) => longest,
): Due {
  if (thread === 'none') return log < walPages(checkpointPages) ? 'nothing' : 'here'
  const due = walPages(threadPages)
  if (log < due) return 'nothing'
  const most = Math.min(mostPages, 2 * due)
  if (thread === 'idle') return log < most ? 'in the thread' : 'here'
  return log < most ? 'nothing' : 'wait for the thread'
}

/**
 * Leaves checkpoints to SQLite, inside a COMMIT: for a caller's connection, a database in memory, and SQLite before
 * 3.51.
 */
export function leaveCheckpointsToSqlite(client: Database.Database): Checkpoints {
  return {
    beforeWrite: () => null,
    makeSpace: () => false,
    afterCommit: () => null,
    empty: () => emptyWalWithinASecond(client),
    close: async () => undefined,
  }
}

/** Empties the WAL of an open file. Tries for a second. @param check Called before each try; throws to give up. */
async function emptyWalWithinASecond(client: Database.Database, check = () => {}): Promise<void> {
  for (let tries = 0; tries < 10 && client.open && !client.memory; tries += 1) {
    check()
    if (emptyWal(client)) return
    await sleep(100)
  }
}

/** Runs a write during the start. On a full disk, frees the space of the WAL and retries once. */
export function writeWithSpace<T>(client: Database.Database, write: () => T): T {
  try {
    return write()
  } catch (error) {
    if (!isDiskFull(error) || !watchFiles(client).makeSpace()) throw error
    return write()
  }
}

/** Time between two checks of the files and the free space, in milliseconds. */
const lookEveryMs = 1_000

/** The part of {@link Checkpoints} about files, which does not depend on who makes the checkpoints. */
function watchFiles(
  client: Database.Database,
  nowMs: () => number = () => performance.now(),
): Pick<Checkpoints, 'beforeWrite' | 'makeSpace'> & { walPages(longest: number): number } {
  const files = rememberFiles(client.name)
  const room = createDiskRoom(client.name)
  let lookedAtMs = -Infinity
  let replaced: StorageError | null = null

  /** Tries to empty the WAL; false while another process reads or checkpoints it. */
  function isEmptied(): boolean {
    try {
      return emptyWal(client)
    } catch (error) {
      if (isDiskFull(error)) return false
      throw error
    }
  }

  return {
    beforeWrite() {
      if (nowMs() - lookedAtMs < lookEveryMs) return replaced
      lookedAtMs = nowMs()
      if (!files.isSame()) replaced ??= new StorageError('FILES_REPLACED')
      else room.look()
      return replaced
    },
    makeSpace() {
      if (client.inTransaction) return false
      // Growth of the file needs space before the WAL frees its own.
      return isEmptied() || (room.releaseReserve() && isEmptied())
    },
    walPages: room.walPages,
  }
}

/**
 * Takes over checkpoints from SQLite on a connection that the store opened.
 *
 * SQLite does not report errors of its automatic checkpoints: a failing disk would be synced again with every commit,
 * unnoticed. Versions of SQLite that cannot report the length of the WAL keep automatic checkpoints.
 */
export function takeOverCheckpoints(
  client: Database.Database,
  fail: (error: StorageError) => void,
  thread: CheckpointThread = processCheckpointThread,
  nowMs?: () => number,
): Checkpoints {
  const watch = watchFiles(client, nowMs)
  const version = prepare<[], { version: string }>(client, 'SELECT sqlite_version() AS version').get()?.version ?? ''
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const tells = major > tellsLength[0] || (major === tellsLength[0] && minor >= tellsLength[1])
  if (!tells) return { ...leaveCheckpointsToSqlite(client), ...watch }
  client.pragma('wal_autocheckpoint = 0')
  const measure = prepare<[], WalState>(client, 'PRAGMA wal_checkpoint(NOOP)')
  const checkpoint = prepare(client, 'PRAGMA wal_checkpoint(PASSIVE)')
  const checkpointClient = thread.register(client.name)
  let running: Promise<void> | null = null
  /** True after an error of the thread: the next checkpoint runs here and reports the error. */
  let wasRefused = false
  let failure: StorageError | null = null

  function stateOfThread(): 'idle' | 'busy' | 'none' {
    if (running !== null) return 'busy'
    return checkpointClient.isThere() && !wasRefused ? 'idle' : 'none'
  }

  /** True if a checkpoint here would block longer than an automatic one of SQLite. */
  function isMuchToCopy(): boolean {
    const state = measure.get()
    return state !== undefined && state.log - state.checkpointed >= checkpointPages
  }

  async function inThread(): Promise<void> {
    const error = await checkpointClient.checkpoint()
    running = null
    wasRefused = error !== null
    if (error?.code !== 'STORE_FAILED') return
    failure = error
    fail(error)
  }

  function afterCommit(): Promise<unknown> | null {
    const length = measure.get()
    // A failed sync is never retried: the system may have dropped the unwritten pages.
    if (length === undefined || failure !== null) return null
    const due = dueAfter(length, stateOfThread(), watch.walPages)
    // Copies the rest here, before new frames are added.
    if (due === 'wait for the thread') return running?.then(afterCommit) ?? null
    if (due === 'in the thread') running = inThread()
    if (due === 'here') {
      wasRefused = false
      checkpoint.get()
    }
    return null
  }

  return {
    beforeWrite: watch.beforeWrite,
    makeSpace: () => failure === null && watch.makeSpace(),
    afterCommit,
    async empty() {
      if (failure === null && stateOfThread() === 'idle' && isMuchToCopy()) running = inThread()
      // TRUNCATE fails at once during another checkpoint.
      while (running !== null) await running
      await emptyWalWithinASecond(client, () => {
        if (failure !== null) throw failure
      })
    },
    close: () => checkpointClient.release(),
  }
}
