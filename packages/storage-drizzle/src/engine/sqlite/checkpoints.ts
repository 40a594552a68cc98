import type Database from 'better-sqlite3'
import { StorageError } from '../../storage-error.js'
import { processCheckpointThread, type CheckpointThread } from './checkpoint-thread.js'
import { checkpointPages, emptyWal } from './open.js'
import { createDiskRoom } from './disk-room.js'
import { isDiskFull } from './errors.js'
import { rememberFiles } from './file-identity.js'
import { prepare } from './prepared.js'

/** Copies what was committed from the WAL into the file, beside the work where that can be. */
export interface Checkpoints {
  /**
   * To be called before each transaction. Once a second it looks at the files and at the space that is left.
   *
   * @returns why nothing may be written any more, `FILES_REPLACED`; else null.
   */
  beforeWrite(): StorageError | null
  /**
   * To be called when a write found the disk full: copies the WAL into the file and gives its space back.
   *
   * @returns whether the write may be tried again.
   * @throws StorageError `STORE_FAILED`
   */
  makeSpace(): boolean
  /**
   * To be called after each commit.
   *
   * @returns a promise where no further write should begin before it is settled.
   * @throws what better-sqlite3 throws, as the promise does.
   */
  afterCommit(): Promise<unknown> | null
  /**
   * What was erased is also out of the WAL then, unless another process reads or checkpoints just then.
   *
   * @throws StorageError `STORE_FAILED`
   */
  empty(): Promise<void>
  /** To be called before the connection is closed. */
  close(): Promise<void>
}

/** How long the WAL is, in frames: one for each page of each commit. */
interface WalLength {
  readonly log: number
}

/** The same, and how many of its first frames are in the file. */
interface WalState extends WalLength {
  readonly checkpointed: number
}

/** First version of SQLite that tells how long the WAL is without checkpointing it. */
const tellsLength = [3, 51] as const

/**
 * Frames in the WAL before the thread is asked: 48 MiB. Pages that change often are copied once for all that time, and commits
 * wait beside the sync of the file a quarter as often as with 12.
 */
export const threadPages = 12_000

/** Frames in the WAL before writers wait for a thread that is slower than they are: 80 MiB. */
export const mostPages = 20_000

/** What a commit leaves to be done about the WAL. */
export type Due = 'nothing' | 'in the thread' | 'here' | 'wait for the thread'

/**
 * Says what a commit leaves to be done.
 *
 * While the thread copies, writers add frames, and the next pass of the thread copies those: fewer each time. Most often it
 * has copied everything when the next write begins, and the WAL begins anew. Where it does not get that far, the WAL is kept from
 * growing here.
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

/** The connection of a caller, a database in memory, and SQLite before 3.51: it makes them itself, inside a COMMIT. */
export function leaveCheckpointsToSqlite(client: Database.Database): Checkpoints {
  return {
    beforeWrite: () => null,
    makeSpace: () => false,
    afterCommit: () => null,
    async empty() {
      emptyWal(client)
    },
    close: async () => undefined,
  }
}

/** Runs a write of the start, once more if the disk was full and the WAL could give back its space. */
export function writeWithSpace<T>(client: Database.Database, write: () => T): T {
  try {
    return write()
  } catch (error) {
    if (!isDiskFull(error) || !watchFiles(client).makeSpace()) throw error
    return write()
  }
}

/** Between two looks at the files and at the space that is left. */
const lookEveryMs = 1_000

/** What {@link Checkpoints} does about the files of a connection of ours, whoever makes its checkpoints. */
export function watchFiles(
  client: Database.Database,
  nowMs: () => number = () => performance.now(),
): Pick<Checkpoints, 'beforeWrite' | 'makeSpace'> & { walPages(longest: number): number } {
  const files = rememberFiles(client.name)
  const room = createDiskRoom(client.name)
  let lookedAtMs = -Infinity
  let replaced: StorageError | null = null

  /** Whether the WAL was emptied: not where another process reads from it or checkpoints it just then. */
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
      // What is new in the file needs space before the WAL gives its own back.
      return isEmptied() || (room.releaseReserve() && isEmptied())
    },
    walPages: room.walPages,
  }
}

/**
 * Takes checkpoints over from SQLite on a connection of ours.
 *
 * The checkpoint that SQLite makes by itself inside a COMMIT keeps its errors: a disk that fails to sync would be asked again
 * with every commit, and nobody would know. It stays with SQLite where this SQLite cannot tell when one is due.
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
  /** Whether the thread met an error: the next checkpoint is made here, and tells what it is. */
  let wasRefused = false
  let failure: StorageError | null = null

  function stateOfThread(): 'idle' | 'busy' | 'none' {
    if (running !== null) return 'busy'
    return checkpointClient.isThere() && !wasRefused ? 'idle' : 'none'
  }

  /** Whether a checkpoint here would hold everything up for longer than one that SQLite makes inside a COMMIT. */
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
    // Nothing is tried again after a failed sync: the system may have dropped the pages that it could not write.
    if (length === undefined || failure !== null) return null
    const due = dueAfter(length, stateOfThread(), watch.walPages)
    // What the thread left is copied here then, before anything is added.
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
      // TRUNCATE gives up at once beside another checkpoint.
      while (running !== null) await running
      if (failure !== null) throw failure
      emptyWal(client)
    },
    close: () => checkpointClient.release(),
  }
}
