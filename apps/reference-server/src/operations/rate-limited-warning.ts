import type { Log, LogFields } from './log.js'

/** Counts refusals during overload and logs their number: one line each would flood the log. */
export interface RateLimitedWarning {
  add(): void
  /** Logs refusals since the last line, at most every 10 s. */
  check(): void
}

const everyMs = 10_000

/** Creates the counter. The first refusal is logged at the next check. `message` is a fixed text. */
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
