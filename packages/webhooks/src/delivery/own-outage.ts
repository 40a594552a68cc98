import { attemptStateOf } from './delivery-state.js'
import type { AttemptCause } from './webhook-store.js'
import type { WorkerTimers } from './worker-timers.js'

/** Pause between two attempts during an outage of the service: 1 s. So work resumes within 1 s after the outage. */
export const outagePauseMs = 1_000

/**
 * Detects an outage of something that every delivery needs: grants, signing keys, name resolution, sockets, the
 * outbound proxy. A single unsent delivery is not an outage while other deliveries are sent.
 */
export interface OwnOutage {
  /** Records that a delivery was not sent because grants or signing keys could not be read. */
  lookUpFailed(): void
  /** Records the cause of an ended attempt, null for a 2xx. An attempt that reached its endpoint ends the outage. */
  recordCause(cause: AttemptCause | null): void
  /** Records the number of claimed deliveries. */
  claimed(count: number): void
  /**
   * Returns how many deliveries may be claimed now. During an outage it is a small number for each second, to detect
   * its end; otherwise any number.
   */
  slotsLeft(): number
  /** Returns the milliseconds until more than {@link slotsLeft} may be claimed. */
  moreSlotsInMs(): number
  /**
   * Returns the delay of an unsent delivery: 1 s during an outage. Otherwise the fault concerns this delivery alone,
   * and the delay equals its total wait so far, at least 1 s and at most `longestMs`.
   */
  delayMs(unsentForMs: number, longestMs: number): number
}

/** Faults of what every delivery needs, seen by an attempt. */
const sharedFaults: ReadonlySet<AttemptCause> = new Set<AttemptCause>([
  'RESOLVER_DOWN',
  'OUT_OF_SOCKETS',
  'PROXY_FAILED',
])

/** @param claimsASecond Most deliveries to claim in each second of an outage. */
export function createOwnOutage(timers: Pick<WorkerTimers, 'monotonicMs'>, claimsASecond: number): OwnOutage {
  let isFailing = false
  let gotThroughAtMs = -Infinity
  let countedSinceMs = -Infinity
  let counted = 0

  /** True after a fault since the last attempt that reached its endpoint, if that attempt ended at least 1 s ago. */
  const isOn = () => isFailing && timers.monotonicMs() - gotThroughAtMs >= outagePauseMs

  function countAnew(): void {
    if (timers.monotonicMs() - countedSinceMs < outagePauseMs) return
    countedSinceMs = timers.monotonicMs()
    counted = 0
  }

  return {
    lookUpFailed() {
      isFailing = true
    },
    recordCause(cause) {
      const state = attemptStateOf(cause)
      if (cause !== null && sharedFaults.has(cause)) isFailing = true
      if (state !== 'SUCCEEDED' && state !== 'FAILED') return
      isFailing = false
      gotThroughAtMs = timers.monotonicMs()
    },
    claimed(count) {
      countAnew()
      counted += count
    },
    slotsLeft() {
      countAnew()
      return isOn() ? Math.max(0, claimsASecond - counted) : Infinity
    },
    moreSlotsInMs: () => Math.max(0, countedSinceMs + outagePauseMs - timers.monotonicMs()),
    delayMs(unsentForMs, longestMs) {
      const waitMs = isOn() ? outagePauseMs : Math.max(outagePauseMs, unsentForMs)
      return Math.min(waitMs, longestMs)
    },
  }
}
