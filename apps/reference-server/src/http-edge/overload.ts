/** How often the event loop is looked at. */
export const lagCheckMs = 100

/** So many looks in a row must show the lag: one long pause (garbage, a slow disk) is no overload. */
const standingLooks = 4

/** Measures how late timers run: the time that work waits before it is begun. */
export interface LagMeter {
  /** To be called every {@link lagCheckMs}. */
  look(): void
  /** The smallest lag of the last looks, in milliseconds: a queue that stands, not a spike. 0 until there were enough. */
  standingLagMs(): number
}

/** A lag meter; `nowMs` never runs backwards. */
export function createLagMeter(nowMs: () => number): LagMeter {
  let lookedAtMs = nowMs()
  let lags: number[] = []
  return {
    look() {
      const now = nowMs()
      lags = [...lags.slice(1 - standingLooks), Math.max(0, now - lookedAtMs - lagCheckMs)]
      lookedAtMs = now
    },
    standingLagMs: () => (lags.length < standingLooks ? 0 : Math.min(...lags)),
  }
}

/** Admits requests while the process can still serve them in time. */
export interface OverloadGuard {
  /** Whether this request may be worked on; then {@link OverloadGuard.leave} must follow. Costs nothing when refused. */
  enter(target: string): boolean
  leave(): void
}

/** Answered however busy the process is: who asks decides whether it lives. */
const always = new Set(['/healthz', '/readyz', '/metrics'])

/** Places kept for people who want to see what is going on. */
const reservedForPortal = 64

/**
 * Refuses work before any of it is done: beyond `maxInFlight` requests at once, or while the event loop is late by
 * `maxLagMs` for good. What is refused early costs microseconds; what times out half done costs all of its work, and is
 * tried again.
 */
export function createOverloadGuard(options: {
  /** Requests under way at once, over all listeners of the process. */
  readonly maxInFlight: number
  /** Default 1,000. */
  readonly maxLagMs?: number
  readonly lag: Pick<LagMeter, 'standingLagMs'>
}): OverloadGuard {
  const { maxInFlight, maxLagMs = 1_000, lag } = options
  let inFlight = 0
  return {
    enter(target) {
      const path = target.split('?', 1)[0] ?? ''
      if (!always.has(path)) {
        const forPeople = path === '/portal' || path.startsWith('/portal/') || path.startsWith('/assets/')
        if (inFlight >= maxInFlight + (forPeople ? reservedForPortal : 0)) return false
        if (!forPeople && lag.standingLagMs() >= maxLagMs) return false
      }
      inFlight += 1
      return true
    },
    leave() {
      inFlight -= 1
    },
  }
}
