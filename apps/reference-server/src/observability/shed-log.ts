import type { Log } from './log.js'

/** Counts requests that were refused for overload: a line for each would be a flood of its own. */
export interface ShedLog {
  refused(): void
  /** Writes what was not told yet, at most every 10 s. */
  look(): void
}

const everyMs = 10_000

/** The first refusal is told at the next look. */
export function createShedLog(log: Log, nowMs: () => number): ShedLog {
  let count = 0
  let toldMs = -everyMs
  return {
    refused() {
      count += 1
    },
    look() {
      if (count === 0 || nowMs() - toldMs < everyMs) return
      log.warn('requests refused for overload', { code: 'UNAVAILABLE', detail: 'OVERLOADED', count })
      count = 0
      toldMs = nowMs()
    },
  }
}
