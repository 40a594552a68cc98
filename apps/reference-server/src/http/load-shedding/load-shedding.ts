import type { ServerResponse } from 'node:http'
import { performance } from 'node:perf_hooks'
import { watchHeap } from './heap-pressure.js'
import type { OpenAnswers } from './open-answers.js'
import { createPausedConnections } from './paused-connections.js'

/** Requests of one connection that may be open at once. */
export const maxOpenPerConnection = 64

/** Handlers that may run at once. More of them would only make each one slower. */
const maxRunning = 512

/** Places above both limits that only the portal takes: operators must see what is going on. */
const reservedForPortal = 64

/** A body that takes longer to arrive takes no place from others any more. */
const slowUploadMs = 1_000

/** Refuses requests that a busy process could not serve in time, before any work is done on them. */
export interface LoadShedding {
  /**
   * Runs the handler of a request, unless
   *
   * - 512 handlers run already, slow uploads not counted;
   * - `maxInFlight` requests are open: their handler runs, or their client has not taken the answer;
   * - 64 requests of the same connection are open;
   * - the heap is nearly full.
   *
   * Health checks and metrics need a place on their connection only.
   *
   * @returns False if nothing was run: the caller answers 503.
   */
  run(response: ServerResponse, answers: OpenAnswers, handler: () => Promise<void>): boolean
  /** `running`: handlers that run. `open`: requests whose handler runs or whose answer is not taken. `paused`: connections. */
  state(): { readonly running: number; readonly open: number; readonly paused: number }
  /** Pauses no connection from now on. To be called before listeners close. */
  stop(): void
}

/** The load shedding of a process: it counts over all its listeners. */
export function createLoadShedding(options: {
  /** Requests open at once. */
  readonly maxInFlight: number
  /** Told of each request that is refused. */
  readonly onRefused?: () => void
  /** Default: the heap of this process is watched. */
  readonly isHeapFull?: () => boolean
  /** Milliseconds that never run backwards. */
  readonly nowMs?: () => number
}): LoadShedding {
  const { maxInFlight, onRefused, nowMs = () => performance.now() } = options
  const heap = options.isHeapFull === undefined ? watchHeap(nowMs) : { isFull: options.isHeapFull, close() {} }
  /** Answers whose handlers run, oldest first, with when they started. */
  const running = new Map<ServerResponse, number>()
  let open = 0

  function room(): number {
    for (const [response, sinceMs] of running) {
      if (nowMs() - sinceMs < slowUploadMs) break
      if (!response.req.complete) running.delete(response)
    }
    return heap.isFull() ? Number.NEGATIVE_INFINITY : Math.min(maxRunning - running.size, maxInFlight - open)
  }

  const paused = createPausedConnections(room, nowMs)

  /** A connection that waits for its next request is paused after a refusal; after an answer, while others are paused. */
  function pauseAfter(response: ServerResponse, answers: OpenAnswers): void {
    // Node parses what came in the same packet after the head only in the next turn: the body and further requests.
    setImmediate(() => {
      const { socket, complete } = response.req
      if (complete && answers.countOn(socket) === 0) paused.pause(socket)
    })
  }

  async function count(response: ServerResponse, taken: Promise<void>, handler: () => Promise<void>): Promise<void> {
    open += 1
    running.set(response, nowMs())
    try {
      await handler()
    } finally {
      running.delete(response)
      await taken
      open -= 1
    }
  }

  return {
    run(response, answers, handler) {
      const kind = kindOf(response.req.url ?? '')
      const reserve = kind === 'portal' ? reservedForPortal : 0
      const mayRun = answers.countOn(response.req.socket) < maxOpenPerConnection
      const taken = answers.follow(response)
      if (!mayRun || (kind !== 'probe' && room() + reserve <= 0)) {
        onRefused?.()
        void taken.then(() => pauseAfter(response, answers))
        return false
      }
      void count(response, taken, handler).then(() => {
        if (kind === 'work' && paused.count() > 0) pauseAfter(response, answers)
      })
      return true
    },
    state() {
      room()
      return { running: running.size, open, paused: paused.count() }
    },
    stop() {
      paused.stop()
      heap.close()
    },
  }
}

function kindOf(target: string): 'probe' | 'portal' | 'work' {
  const [path = ''] = target.split('?', 1)
  if (path === '/healthz' || path === '/readyz' || path === '/metrics') return 'probe'
  return path === '/portal' || path.startsWith('/portal/') || path.startsWith('/assets/') ? 'portal' : 'work'
}

/** Seconds to wait, each as likely as the others: clients that were refused at once must not all return at once. */
export function retryAfterOverload(random: number): number {
  return 1 + Math.floor(random * 5)
}
