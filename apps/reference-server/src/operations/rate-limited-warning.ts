import type { Log, LogFields } from './log.js'

/** Counts what is turned away while there is too much of it: a line for each would be a flood of its own. */
export interface RateLimitedWarning {
  add(): void
  /** Writes what was not told yet, at most every 10 s. */
  check(): void
}

const everyMs = 10_000

/** The first one is told at the next check. `message` is a fixed text. */
export function createRateLimitedWarning(
  log: Log,
  nowMs: () => number,
  message: string,
  fields: LogFields = {},
): RateLimitedWarning {
  let count = 0
  let toldMs = -everyMs
  return {
    add() {
      count += 1
    },
    check() {
      if (count === 0 || nowMs() - toldMs < everyMs) return
      log.warn(message, { ...fields, count })
      count = 0
      toldMs = nowMs()
    },
  }
}
