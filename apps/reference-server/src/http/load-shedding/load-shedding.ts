import type { ServerResponse } from 'node:http'
import { performance } from 'node:perf_hooks'
import { createBodyMemory, type BodyMemory } from '../body-memory.js'
import { watchHeap } from './heap-pressure.js'
import type { OpenResponses } from './open-responses.js'
import { createPausedConnections } from './paused-connections.js'

/** Most open requests of one connection. */
export const maxOpenPerConnection = 64

/** Most running handlers. More would make each one slower. */
const maxRunning = 512

/** Slots above both limits, reserved for the portal, so that operators can use it under load. */
const reservedForPortal = 64

/** Most bytes of large bodies that clients are still sending: 64 MiB. Their buffers grow by doubling, to 128 MiB at most. */
const maxBodyBytes = 64 * 1024 * 1024

/** An upload that takes longer than this no longer uses a slot, in milliseconds. */
const slowUploadMs = 1_000

/** Refuses requests that a busy process could not serve in time, before any work is done on them. */
export interface LoadShedding {
  /**
   * Runs the handler of a request, unless one of these limits is reached:
   *
   * - 512 handlers are running, without slow uploads;
   * - `maxInFlight` requests are open: their handler runs, or their client has not read the response;
   * - 64 requests of the same connection are open;
   * - the heap is nearly full.
   *
   * For health checks and metrics only the limit of their connection applies.
   *
   * @returns False if the handler was not run; the caller responds with 503.
   */
  run(response: ServerResponse, openResponses: OpenResponses, handler: () => Promise<void>): boolean
  /**
   * `running`: running handlers. `open`: requests whose handler runs or whose response is not read. `paused`: paused
   * connections.
   */
  state(): { readonly running: number; readonly open: number; readonly paused: number }
  /** Room for large bodies that clients are still sending: 64 MiB in all. */
  readonly bodyMemory: BodyMemory
  /** Stops pausing connections. Call it before listeners close. */
  stop(): void
}

/** Creates the load shedding of a process. It counts over all listeners. */
export function createLoadShedding(options: {
  /** Most open requests. */
  readonly maxInFlight: number
  /** Called for each refused request. */
  readonly onRefused?: () => void
  /** Check of the heap. Default: the heap of this process. */
  readonly isHeapFull?: () => boolean
  /** Monotonic clock, in milliseconds. */
  readonly nowMs?: () => number
}): LoadShedding {
  const { maxInFlight, onRefused, nowMs = () => performance.now() } = options
  const heap = options.isHeapFull === undefined ? watchHeap(nowMs) : { isFull: options.isHeapFull, close() {} }
  /** Responses of running handlers with their start times, oldest first. */
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

  /** Pauses an idle connection after a refusal, or after a response while other connections are paused. */
  function pauseAfter(response: ServerResponse, openResponses: OpenResponses): void {
    // In the next turn, Node parses the rest of the packet: the body and further requests.
    setImmediate(() => {
      const { socket } = response.req
      if (openResponses.countOn(socket) === 0) paused.pause(socket)
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
    run(response, openResponses, handler) {
      const kind = kindOf(response.req.url ?? '')
      const reserve = kind === 'portal' ? reservedForPortal : 0
      const mayRun = openResponses.countOn(response.req.socket) < maxOpenPerConnection
      const taken = openResponses.track(response)
      if (!mayRun || (kind !== 'probe' && room() + reserve <= 0)) {
        onRefused?.()
        void taken.then(() => pauseAfter(response, openResponses))
        return false
      }
      void count(response, taken, handler).then(() => {
        if (kind === 'work' && paused.count() > 0) pauseAfter(response, openResponses)
      })
      return true
    },
    state() {
      room()
      return { running: running.size, open, paused: paused.count() }
    },
    bodyMemory: createBodyMemory(maxBodyBytes, onRefused),
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

/** Returns a random delay in seconds, so that clients refused together do not retry together. */
export function retryAfterOverload(random: number): number {
  return 1 + Math.floor(random * 5)
}
