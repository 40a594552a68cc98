import { attemptStateOf } from './delivery-state.js'
import type { AttemptCause } from './webhook-store.js'
import type { WorkerTimers } from './worker-timers.js'

/** Pause between two looks at something of ours that does not work: 1 s. So work goes on within a second of its return. */
export const outagePauseMs = 1_000

/**
 * Knows whether something of ours that every delivery needs does not work: grants, signing keys, name resolution, sockets.
 * One delivery that cannot be sent while others can is no outage.
 */
export interface OwnOutage {
  /** Grants or signing keys could not be read, so that a delivery was not sent. */
  lookUpFailed(): void
  /** An attempt ended with this cause, null for a 2xx. One that reached its endpoint ends an outage, whatever came of it. */
  recordCause(cause: AttemptCause | null): void
  /** So many deliveries were claimed now. */
  claimed(count: number): void
  /** How many may be claimed now: during an outage so many a second, to find out when it ends. Else any number. */
  slotsLeft(): number
  /** Milliseconds until more than {@link slotsLeft} may be claimed. */
  moreSlotsInMs(): number
  /**
   * How long a delivery that was not sent waits: 1 s during an outage. Else as long as it has waited so far, since the fault
   * is its own: at least 1 s, at most `longestMs`.
   */
  delayMs(unsentForMs: number, longestMs: number): number
}

/** @param claimsASecond Most deliveries that are claimed in a second of an outage. */
export function createOwnOutage(timers: Pick<WorkerTimers, 'monotonicMs'>, claimsASecond: number): OwnOutage {
  let isFailing = false
  let gotThroughAtMs = -Infinity
  let countedSinceMs = -Infinity
  let counted = 0

  /** Something failed since the last attempt that got through, and that one ended a second ago or earlier. */
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
      if (cause === 'RESOLVER_DOWN' || cause === 'OUT_OF_SOCKETS') isFailing = true
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
