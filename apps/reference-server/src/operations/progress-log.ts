import type { Log, LogFields } from './log.js'

/** What has been done so far, and what is left where that is known. */
export interface Progress {
  readonly count: number
  readonly remaining?: number
  /** How many were looked at, where that is more than was done: the rate is theirs then. */
  readonly examined?: number
}

/** Tells of one piece of long work. */
export interface ProgressLog {
  /** A line now and then, however often it is called. */
  tell(progress: Progress): void
  /** The last line, unless nothing was done and nothing was told. */
  end(message: string, progress: Progress): void
}

/** Least time between two lines. */
const everyMs = 10_000

/** @param nowMs Milliseconds that never run backwards. */
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
