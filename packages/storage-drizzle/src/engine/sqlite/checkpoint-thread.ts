// What: one thread for each process, which runs the checkpoints of all its SQLite files one after another.
// Why: a checkpoint syncs the whole file. On the main thread it would stop every request.
// Cost: a thread with a connection. Its program is a separate file, because a thread starts from a file.
// Without it (also where a bundler removed the file): checkpoints run on the main thread and stop requests meanwhile.

import { dirname, join, resolve as absolute } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { StorageError } from '../../storage-error.js'
import { findAbove } from '../find-above.js'
import { storageErrorOf } from './errors.js'

/** The thread of a process that checkpoints its SQLite files, one at a time. */
export interface CheckpointThread {
  /** Registers a store. The thread starts with the first checkpoint, and ends when the last store is released. */
  register(path: string): CheckpointClient
}

/** Access of one store to the thread. */
export interface CheckpointClient {
  /** False after the thread failed to start or died. It is not restarted while a store is registered. */
  isThere(): boolean
  /**
   * Copies the WAL into the database file. The process does not exit before the end.
   *
   * @returns null on success, or when the thread died.
   */
  checkpoint(): Promise<StorageError | null>
  /** Waits for the running checkpoint and closes the thread's connection. A repeated call does nothing. */
  release(): Promise<void>
}

interface Answer {
  readonly id: number
  readonly code: string | null
}

interface Running {
  readonly worker: Worker
  readonly waiting: Map<number, (error: StorageError | null) => void>
}

/** Heap limit of the thread, which needs only a connection and two statements. */
const resourceLimits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 }

/** Finds the file of the thread; null if a bundler removed it. */
function findProgram(): string | null {
  // A bundler may leave no URL of this module.
  const url: unknown = import.meta.url
  if (typeof url !== 'string' || !url.startsWith('file:')) return null
  return findAbove(dirname(fileURLToPath(url)), join('threads', 'sqlite-checkpoints.mjs'))
}

/** @param program Path of the thread's program; null for none. Default: the file of the package. */
export function createCheckpointThread(program: string | null = findProgram()): CheckpointThread {
  let clients = 0
  let running: Running | null = null
  let isLost = program === null
  let last = 0

  function lose(lost: Running): void {
    if (running !== lost) return
    running = null
    isLost = true
    for (const settle of lost.waiting.values()) settle(null)
  }

  function start(file: string): Running | null {
    try {
      // The thread gets no environment, which holds secrets, and no process options, which could load other code.
      const worker = new Worker(file, { env: {}, execArgv: [], resourceLimits, name: 'kyc-relay checkpoints' })
      const started: Running = { worker, waiting: new Map() }
      worker.on('error', () => lose(started))
      worker.on('exit', () => lose(started))
      worker.on('message', ({ id, code }: Answer) => {
        const settle = started.waiting.get(id)
        started.waiting.delete(id)
        if (started.waiting.size === 0) worker.unref()
        settle?.(code === null ? null : storageErrorOf({ code }))
      })
      return started
    } catch {
      isLost = true
      return null
    }
  }

  function ask(store: number, path: string | null): Promise<StorageError | null> {
    if (program === null || isLost) return Promise.resolve(null)
    const started = (running ??= start(program))
    if (started === null) return Promise.resolve(null)
    return new Promise((resolve) => {
      const id = ++last
      started.waiting.set(id, resolve)
      started.worker.ref()
      started.worker.postMessage({ id, store, path })
    })
  }

  async function end(): Promise<void> {
    const ended = running
    running = null
    // A store opened later may start the thread again.
    isLost = program === null
    ended?.worker.ref()
    await ended?.worker.terminate()
  }

  return {
    register(path) {
      const store = ++last
      // An absolute path, as SQLite uses: it is still valid after the process changes its working directory.
      const file = absolute(path)
      clients += 1
      let wasUsed = false
      let released: Promise<void> | null = null
      const release = async (): Promise<void> => {
        if (wasUsed && running !== null) await ask(store, null)
        clients -= 1
        if (clients === 0) await end()
      }
      return {
        isThere: () => !isLost,
        checkpoint() {
          wasUsed = true
          return ask(store, file)
        },
        release: () => (released ??= release()),
      }
    },
  }
}

/** Thread shared by all stores of this process. */
export const processCheckpointThread = createCheckpointThread()
