import type Database from 'better-sqlite3'
import { StorageError } from '../../storage-error.js'
import type { CommitCount } from './commit-count.js'
import type { Checkpoints } from './checkpoints.js'
import { isDiskFull, storageErrorOf } from './errors.js'

/** Runs writes of concurrent callers in one transaction, so that they share one fsync. */
export interface GroupCommit {
  /**
   * Runs `work` inside the next shared transaction and resolves with its answer once that transaction is durable.
   *
   * `work` is synchronous and holds one whole unit of work; when it throws, its own writes are undone and those of the
   * other callers in the same transaction stay. It may be run twice, the first time undone as a whole: what it changes
   * is in the database alone.
   */
  write<T>(work: () => T): Promise<T>
  /**
   * Another number whenever the rows may be others than those that the last work left: in a new transaction, and after
   * work that was undone. What is remembered from one work to the next is good while it stays the same.
   */
  epoch(): number
  /** Counts the commits from now on. */
  countWith(count: CommitCount): void
  /**
   * Leaves to this, from now on, whether a write may begin, what is done about a full disk, and what is done after a commit:
   * its callers have their answers whatever that throws, and no write begins before a promise that it returned is settled.
   */
  checkpointWith(checkpoints: Pick<Checkpoints, 'beforeWrite' | 'makeSpace' | 'afterCommit'>): void
  /** Refuses every later write with this error, and tells of it, unless one failed before. */
  fail(error: StorageError): void
  /** Runs what is queued and refuses everything later. */
  close(): void
}

interface Waiting {
  readonly work: () => unknown
  readonly resolve: (value: unknown) => void
  readonly reject: (error: StorageError) => void
}

type Outcome = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: StorageError }

/** Most writes in one transaction: bounds how long the first of them waits for the last. */
const mostPerCommit = 256

/**
 * @param onFailure Called once when the disk or the file failed (`STORE_FAILED`, `FILES_REPLACED`). Every later write is refused: after
 *   a failed fsync only a new process, which recovers from the WAL, knows what is on disk.
 * @param delayTurns Most turns of the event loop that a commit is put off while each of them brings more writes.
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
  /** While writes wait for a checkpoint; `isDue` once there are some. */
  let pause: { isDue: boolean } | null = null
  let refusal: StorageError | null = null
  let epoch = 0

  /** Commits; a transaction that changed nothing since `before` is not counted, so that it writes nothing either. */
  function commitAfter(before: number | undefined): void {
    const isCounted = commitCount !== null && changes.get() !== before
    if (isCounted) commitCount?.count()
    commit.run()
    if (isCounted) commitCount?.remember()
  }

  function fail(error: StorageError): void {
    if (refusal !== null) return
    refusal = error
    onFailure(error)
  }

  function runCheckpoint(): void {
    try {
      const over = checkpoints?.afterCommit() ?? null
      if (over !== null) void pauseUntil(over)
    } catch (error) {
      checkpointFailed(error)
    }
  }

  /** What was committed is in the WAL. One that found no space is tried again after the next commit. */
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

  /** Runs one write so that it can be undone alone. */
  function runUndoable(work: () => unknown): Outcome {
    savepoint.run()
    let outcome: Outcome
    try {
      outcome = { ok: true, value: work() }
    } catch (error) {
      // A full disk or an I/O error rolls the whole transaction back by itself: then nobody's write is left.
      if (!client.inTransaction) throw error
      rollbackToSavepoint.run()
      epoch++
      outcome = { ok: false, error: storageErrorOf(error) }
    }
    release.run()
    return outcome
  }

  /** Null when a write failed and took the others back with it. */
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
      // Under a savepoint SQLite keeps a copy of every page before its first change: that costs more than the writes
      // themselves, and hardly ever serves anyone.
      return runAll(batch) ?? runEachUndoable(batch)
    } catch (error) {
      const mapped = storageErrorOf(error)
      if (mapped.code !== 'TRANSACTION_OPEN' && client.open && client.inTransaction) rollback.run()
      return batch.map(() => ({ ok: false, error: mapped }))
    }
  }

  /** On a full disk once more, if the WAL could give back its space: each write is whole or not there, so none is made twice. */
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

  function mayWrite(): boolean {
    const reason = refusal ?? checkpoints?.beforeWrite() ?? null
    if (reason !== null) fail(reason)
    return reason === null
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
    const outcomes = mayWrite() ? runWithSpace(batch) : null
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

  /** A turn that brings nothing more costs microseconds; a commit for half of those who are about to write, its fsync. */
  function delayCommit(queuedBefore: number, turnsLeft: number): void {
    if (turnsLeft === 0 || queue.length === queuedBefore) flush()
    else setImmediate(delayCommit, queue.length, turnsLeft - 1)
  }

  return {
    write<T>(work: () => T): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        if (refusal !== null) return reject(refusal)
        // Joining would put this write at the mercy of the caller's own COMMIT or ROLLBACK.
        if (client.inTransaction) return reject(new StorageError('TRANSACTION_OPEN'))
        queue.push({ work, resolve: (value) => resolve(value as T), reject })
        if (scheduled) return
        scheduled = true
        // After the I/O callbacks of this turn of the loop: the requests that arrived together are all here by then.
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
      // What is written now is checkpointed when the file is closed.
      checkpoints = null
      pause = null
      while (queue.length > 0) flush()
      refusal ??= new StorageError('STORE_CLOSED')
    },
  }
}
