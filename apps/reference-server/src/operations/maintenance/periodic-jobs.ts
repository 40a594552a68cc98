/** Something to be done again and again. */
export interface PeriodicJob {
  readonly name: string
  /** From the end of one run to the start of the next; the first run is at once. */
  readonly intervalMs: number
  /** `shouldContinue` turns false when the server stops: the job then ends after what it is doing. */
  run(shouldContinue: () => boolean): Promise<void>
}

/** Runs jobs beside each other until they are stopped. A job that fails is run again at its next time. */
export interface PeriodicJobs {
  start(): void
  /** Resolves when no job is running any more. */
  stop(): Promise<void>
}

/** @param schedule Calls back after so many milliseconds unless cancelled; `setTimeout` by default. */
export function createPeriodicJobs(
  jobs: readonly PeriodicJob[],
  onFailure: (job: string, error: unknown) => void,
  schedule: (callback: () => void, ms: number) => () => void = scheduleByTimeout,
): PeriodicJobs {
  let stopping = false
  const running = new Set<Promise<void>>()
  const cancels = new Map<PeriodicJob, () => void>()

  function runNow(job: PeriodicJob): void {
    if (stopping) return
    const run = job
      .run(() => !stopping)
      .catch((error: unknown) => onFailure(job.name, error))
      .finally(() => {
        running.delete(run)
        if (!stopping)
          cancels.set(
            job,
            schedule(() => runNow(job), job.intervalMs),
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
