/** A periodic job. */
export interface PeriodicJob {
  readonly name: string
  /** Time from the end of one run to the start of the next. The first run starts at once. */
  readonly intervalMs: number
  /** The same time after a run that resolved to true: more is to do. Default: {@link intervalMs}. */
  readonly busyIntervalMs?: number
  /** Runs the job. `shouldContinue` returns false when the server stops; the job then ends after its current step. */
  run(shouldContinue: () => boolean): Promise<boolean | void>
}

/** Runs jobs in parallel until they are stopped. A failed job runs again at its next time. */
export interface PeriodicJobs {
  start(): void
  /** Stops the jobs. Resolves when no job is running. */
  stop(): Promise<void>
}

/** What happened to a run of a job. */
export interface PeriodicJobsObserver {
  onFailure(job: string, error: unknown): void
  onSuccess?(job: string): void
}

/** @param schedule Calls back after a number of milliseconds unless cancelled; default `setTimeout`. */
export function createPeriodicJobs(
  jobs: readonly PeriodicJob[],
  observer: PeriodicJobsObserver,
  schedule: (callback: () => void, ms: number) => () => void = scheduleByTimeout,
): PeriodicJobs {
  let stopping = false
  const running = new Set<Promise<void>>()
  const cancels = new Map<PeriodicJob, () => void>()

  function runNow(job: PeriodicJob): void {
    if (stopping) return
    const run = job
      .run(() => !stopping)
      .then(
        (isBusy) => {
          observer.onSuccess?.(job.name)
          return isBusy
        },
        (error: unknown) => observer.onFailure(job.name, error),
      )
      .then((isBusy) => {
        running.delete(run)
        if (stopping) return
        const { intervalMs, busyIntervalMs = intervalMs } = job
        cancels.set(
          job,
          schedule(() => runNow(job), isBusy === true ? busyIntervalMs : intervalMs),
        )
      })
    running.add(run)
  }

  return {
    start() {
      for (const job of jobs) runNow(job)
    },
    async stop() {
      stopping = true
      for (const cancel of cancels.values()) cancel()
      await Promise.all(running)
    },
  }
}

function scheduleByTimeout(callback: () => void, ms: number): () => void {
  const timer = setTimeout(callback, ms).unref()
  return () => clearTimeout(timer)
}
