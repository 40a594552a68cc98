import { performance } from 'node:perf_hooks'
import type { Log } from '../../operations/log.js'
import { createShedLog } from '../../operations/rate-limited-warning.js'
import { watchHeap } from './heap-pressure.js'
import { createWaitingConnections, type WaitingConnections } from './paused-connections.js'
import { createLagMeter, createOverloadGuard, lagCheckMs, type OverloadGuard } from './overload.js'

/** The overload guard of this process, looking at its event loop and its heap, and telling what it refused. */
export function startOverloadWatch(options: {
  readonly maxInFlight: number
  readonly log: Log
  /** Told of each request that was refused for overload. */
  readonly onRefused: () => void
  /** Told of each connection that a listener closed unheard. */
  readonly onDropped: (listener: string) => void
}): {
  readonly guard: OverloadGuard
  readonly waiting: WaitingConnections
  readonly onRefused: () => void
  readonly onDropped: (listener: string) => void
  /** Lets none wait any more, before listeners close. */
  stop(): void
} {
  const nowMs = () => performance.now()
  const lag = createLagMeter(nowMs)
  const heap = watchHeap(nowMs)
  const shed = createShedLog(options.log, nowMs, 'requests refused for overload', {
    code: 'UNAVAILABLE',
    detail: 'OVERLOADED',
  })
  const dropped = createShedLog(options.log, nowMs, 'connections dropped: as many are open as MAX_CONNECTIONS allows')
  const guard = createOverloadGuard({ maxInFlight: options.maxInFlight, lag, isHeapFull: () => heap.isFull() })
  const waiting = createWaitingConnections(() => guard.mayRead(), nowMs)
  let usedBefore = performance.eventLoopUtilization()
  const looking = setInterval(() => {
    lag.look()
    const used = performance.eventLoopUtilization()
    guard.look(performance.eventLoopUtilization(used, usedBefore).utilization)
    usedBefore = used
    shed.look()
    dropped.look()
  }, lagCheckMs).unref()
  return {
    guard,
    waiting,
    onRefused() {
      shed.turnedAway()
      options.onRefused()
    },
    onDropped(listener) {
      dropped.turnedAway()
      options.onDropped(listener)
    },
    stop() {
      clearInterval(looking)
      waiting.stop()
      heap.close()
    },
  }
}
