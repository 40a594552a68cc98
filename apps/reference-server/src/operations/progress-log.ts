import type { Log, LogFields } from './log.js'

/** Progress of a long task: the finished number and, if known, the remaining one. */
export interface Progress {
  readonly count: number
  readonly remaining?: number
  /** Number of examined items, if larger than `count`. The rate is then based on it. */
  readonly examined?: number
}

/** Logs the progress of a long task. */
export interface ProgressLog {
  /** Writes a line at most once per interval. */
  tell(progress: Progress): void
  /** Writes the last line, unless nothing was done and no line was written. */
  end(message: string, progress: Progress): void
}

/** Minimum time between two lines, in milliseconds. */
const everyMs = 10_000

/** @param nowMs Monotonic clock, in milliseconds. */
export function startProgressLog(job: string, log: Log, nowMs: () => number): ProgressLog {
  const startedMs = nowMs()
  let toldMs = startedMs

  function fields({ count, remaining, examined }: Progress): LogFields {
    const durationMs = Math.round(nowMs() - startedMs)
    return {
      job,
      count,
      ...(examined === undefined ? {} : { examined }),
      ...(remaining === undefined ? {} : { remaining }),
      ...(durationMs === 0 ? {} : { perSecond: Math.round(((examined ?? count) * 10_000) / durationMs) / 10 }),
      durationMs,
    }
  }

  return {
    tell(progress) {
      if (nowMs() - toldMs < everyMs) return
      toldMs = nowMs()
      log.info('work goes on', fields(progress))
    },
    end(message, progress) {
      if (progress.count > 0 || toldMs !== startedMs) log.info(message, fields(progress))
    },
  }
}
