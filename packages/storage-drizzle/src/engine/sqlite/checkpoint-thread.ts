import { existsSync } from 'node:fs'
import { dirname, join, resolve as absolute } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { StorageError } from '../../storage-error.js'
import { storageErrorOf } from './errors.js'

/** The thread of a process that makes the checkpoints of its SQLite files, one at a time. */
export interface CheckpointThread {
  /** Registers a store. The thread starts with the first checkpoint, and ends when the last store is released. */
  register(path: string): CheckpointClient
}

/** One store's access to the thread. */
export interface CheckpointClient {
  /** False once the thread could not be started or died: it is not started again while a store is registered. */
  isThere(): boolean
  /**
   * Copies what the WAL holds into the file. The process lives until that is over.
   *
   * @returns null when that went well, or when the thread died.
   */
  checkpoint(): Promise<StorageError | null>
  /** Waits for the checkpoint that runs and closes the thread's connection. Harmless when repeated. */
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

/** The thread opens a connection and two statements: it needs hardly any heap, and is not given the means to take more. */
const resourceLimits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 }

/** Null where a bundler took the code out of the package. Looks upwards, since builds differ in how deep they put it. */
function findProgram(): string | null {
  let folder = dirname(fileURLToPath(import.meta.url))
  for (;;) {
    const candidate = join(folder, 'threads', 'sqlite-checkpoints.mjs')
    if (existsSync(candidate)) return candidate
    const parent = dirname(folder)
    if (parent === folder) return null
    folder = parent
  }
}

/** @param program Path of what the thread runs; null for none. Default: the file that is shipped beside the code. */
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
      // Neither the environment, with what is secret in it, nor the options of the process: nothing else is to load there.
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
    // A thread that died may be tried again by those who open a store later.
    isLost = program === null
    ended?.worker.ref()
    await ended?.worker.terminate()
  }

  return {
    register(path) {
      const store = ++last
      // As SQLite does it: the name stays the same file when the process changes its folder.
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

/** The thread that all stores of this process share. */
export const processCheckpointThread = createCheckpointThread()
