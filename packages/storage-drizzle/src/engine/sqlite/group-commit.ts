// What: concurrent writes run in one transaction and share its fsync. Each has a savepoint, so a failed one undoes only itself.
// Why: with `synchronous=FULL` one write per transaction gives about 2,800 a second; 64 per commit give 19,000.
// Cost: a write waits for the writes that came with it, at most 256, and runs in a synchronous function.
// Without it: the server is limited by fsync, and each submission waits for every earlier one.

import type Database from 'better-sqlite3'
import { StorageError } from '../../storage-error.js'
import type { CommitCount } from './commit-count.js'
import type { Checkpoints } from './checkpoints.js'
import { isDiskFull, storageErrorOf } from './errors.js'

/** Runs writes of concurrent callers in one transaction, so that they share one fsync. */
export interface GroupCommit {
  /**
   * Runs `work` inside the next shared transaction. Resolves with its result when that transaction is durable.
   *
   * `work` is synchronous and atomic: when it throws, only its own writes in the transaction are undone. It may run
   * twice, with the first run undone, so it must change only the database.
   */
  write<T>(work: () => T): Promise<T>
  /**
   * Changes when cached rows may be outdated: in each new transaction and after undone work. A cache between works is
   * valid while this number is the same.
   */
  epoch(): number
  /** Sets the counter of commits. */
  countWith(count: CommitCount): void
  /**
   * Sets the checkpoints. They decide whether a write may start, handle a full disk, and run after each commit. An
   * error after a commit does not affect its callers. No write starts before a returned promise settles.
   */
  checkpointWith(checkpoints: Pick<Checkpoints, 'beforeWrite' | 'makeSpace' | 'afterCommit'>): void
  /** Refuses every later write with this error and reports it. Only the first failure counts. */
  fail(error: StorageError): void
  /** Runs queued writes and refuses later ones. */
  close(): void
}

interface Waiting {
  readonly work: () => unknown
  readonly resolve: (value: unknown) => void
  readonly reject: (error: StorageError) => void
}

type Outcome = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: StorageError }

/** Most writes in one transaction. Bounds the wait of the first write for the last. */
const mostPerCommit = 256

/**
 * @param onFailure Called once when the disk or the file failed (`STORE_FAILED`, `FILES_REPLACED`). Every later write
 *   is refused: after a failed fsync only a new process, which recovers from the WAL, reads the true state of the disk.
 * @param delayTurns Most turns of the event loop by which a commit is delayed while each turn adds writes.
 */
export function createGroupCommit(
  client: Database.Database,
  onFailure: (error: StorageError) => void = () => undefined,
  delayTurns = 0,
): GroupCommit {
  const begin = client.prepare('BEGIN IMMEDIATE')
  const commit = client.prepare('COMMIT')
  const rollback = client.prepare('ROLLBACK')
  const savepoint = client.prepare('SAVEPOINT kyc_relay_write')
  const release = client.prepare('RELEASE kyc_relay_write')
  const rollbackToSavepoint = client.prepare('ROLLBACK TO kyc_relay_write')
  const changes = client.prepare<[], number>('SELECT total_changes()').pluck()
  let commitCount: CommitCount | null = null
  let checkpoints: Parameters<GroupCommit['checkpointWith']>[0] | null = null

  let queue: Waiting[] = []
  let scheduled = false
  /** Set while writes wait for a checkpoint; `isDue` when writes are queued. */
  let pause: { isDue: boolean } | null = null
  let refusal: StorageError | null = null
  let epoch = 0

  /** Commits. A transaction without changes since `before` is not counted and writes nothing. */
  function commitAfter(before: number | undefined): void {
    const isCounted = commitCount !== null && changes.get() !== before
    if (isCounted) commitCount?.count()
    commit.run()
    if (isCounted) commitCount?.remember()
  }

  function fail(error: StorageError): void {
    if (refusal !== null) return
    refusal = error
    // Not here: if it throws, the writes that wait would never be answered.
    queueMicrotask(() => onFailure(error))
  }

  function runCheckpoint(): void {
    try {
      const over = checkpoints?.afterCommit() ?? null
      if (over !== null) void pauseUntil(over)
    } catch (error) {
      checkpointFailed(error)
    }
  }

  /** The commit is in the WAL. A checkpoint that found the disk full is retried after the next commit. */
  function checkpointFailed(error: unknown): void {
    const mapped = storageErrorOf(error)
    if (mapped.code === 'STORE_FAILED') fail(mapped)
  }

  async function pauseUntil(over: Promise<unknown>): Promise<void> {
    const ours = (pause = { isDue: false })
    await over.catch(checkpointFailed)
    if (pause !== ours) return
    pause = null
    if (ours.isDue) setImmediate(flush)
  }

  /** Runs one write under a savepoint. */
  function runUndoable(work: () => unknown): Outcome {
    savepoint.run()
    let outcome: Outcome
    try {
      outcome = { ok: true, value: work() }
    } catch (error) {
      // A full disk or an I/O error rolls back the whole transaction.
      if (!client.inTransaction) throw error
      rollbackToSavepoint.run()
      epoch++
      outcome = { ok: false, error: storageErrorOf(error) }
    }
    release.run()
    return outcome
  }

  /** Runs the writes of one transaction; null when a write failed and all were rolled back. */
  function runAll(batch: readonly Waiting[]): readonly Outcome[] | null {
    begin.run()
    epoch++
    const before = commitCount === null ? undefined : changes.get()
    let outcomes: readonly Outcome[]
    try {
      outcomes = batch.map(({ work }) => ({ ok: true, value: work() }))
    } catch (error) {
      const isOver = !client.inTransaction || storageErrorOf(error).code === 'STORE_FAILED'
      if (isOver || batch.length === 1) throw error
      rollback.run()
      return null
    }
    commitAfter(before)
    return outcomes
  }

  function runEachUndoable(batch: readonly Waiting[]): readonly Outcome[] {
    begin.run()
    epoch++
    const before = commitCount === null ? undefined : changes.get()
    const outcomes = batch.map(({ work }) => runUndoable(work))
    if (outcomes.some((outcome) => outcome.ok)) commitAfter(before)
    else rollback.run()
    return outcomes
  }

  function runTogether(batch: readonly Waiting[]): readonly Outcome[] {
    try {
      if (client.inTransaction) throw new StorageError('TRANSACTION_OPEN')
      // Savepoints are used only after a failure: under a savepoint SQLite copies every page before its first change,
      // which costs more than the writes.
      return runAll(batch) ?? runEachUndoable(batch)
    } catch (error) {
      const mapped = storageErrorOf(error)
      if (mapped.code !== 'TRANSACTION_OPEN' && client.open && client.inTransaction) rollback.run()
      return batch.map(() => ({ ok: false, error: mapped }))
    }
  }

  /**
   * Retries once on a full disk if the space of the WAL could be freed. Each write is atomic, so none is applied twice.
   */
  function runWithSpace(batch: readonly Waiting[]): readonly Outcome[] {
    const outcomes = runTogether(batch)
    if (outcomes.some((outcome) => outcome.ok || !isDiskFull(outcome.error))) return outcomes
    try {
      return checkpoints?.makeSpace() === true ? runTogether(batch) : outcomes
    } catch (error) {
      const mapped = storageErrorOf(error)
      return batch.map(() => ({ ok: false, error: mapped }))
    }
  }

  function flush(): void {
    if (pause !== null) {
      pause.isDue = true
      return
    }
    const batch = queue.slice(0, mostPerCommit)
    queue = queue.slice(mostPerCommit)
    scheduled = queue.length > 0
    if (scheduled) setImmediate(flush)
    const reason = refusal ?? checkpoints?.beforeWrite() ?? null
    if (reason !== null) fail(reason)
    const outcomes = reason === null ? runWithSpace(batch) : null
    batch.forEach((waiting, index) => {
      const outcome = outcomes?.[index]
      if (outcome === undefined) waiting.reject(refusal ?? new StorageError('STORE_UNAVAILABLE'))
      else if (outcome.ok) waiting.resolve(outcome.value)
      else waiting.reject(outcome.error)
    })
    const failure = outcomes?.find((outcome) => !outcome.ok && outcome.error.code === 'STORE_FAILED')
    if (failure !== undefined && !failure.ok) fail(failure.error)
    if (refusal === null && outcomes?.some((outcome) => outcome.ok) === true) runCheckpoint()
  }

  /** A turn without new writes costs microseconds; a separate commit for later writes costs an fsync. */
  function delayCommit(queuedBefore: number, turnsLeft: number): void {
    if (turnsLeft === 0 || queue.length === queuedBefore) flush()
    else setImmediate(delayCommit, queue.length, turnsLeft - 1)
  }

  return {
    write<T>(work: () => T): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        if (refusal !== null) return reject(refusal)
        // Inside the caller's transaction, this write would depend on its COMMIT or ROLLBACK.
        if (client.inTransaction) return reject(new StorageError('TRANSACTION_OPEN'))
        queue.push({ work, resolve: (value) => resolve(value as T), reject })
        if (scheduled) return
        scheduled = true
        // Runs after the I/O callbacks of this turn, so that requests that arrived together share the commit.
        setImmediate(delayCommit, 0, delayTurns)
      })
    },
    epoch: () => epoch,
    countWith(count) {
      commitCount = count
    },
    checkpointWith(next) {
      checkpoints = next
    },
    fail,
    close() {
      // The last writes are checkpointed when the file is closed.
      checkpoints = null
      pause = null
      while (queue.length > 0) flush()
      refusal ??= new StorageError('STORE_CLOSED')
    },
  }
}
