import type { WorkerTimers } from './worker-timers.js'

/** The pauses of a worker between two claims. It is in one pause at a time. */
export interface WorkerPauses {
  /** Pauses until the time is over or something calls `wake`. Returns at once after a call since the last sleep. */
  sleep(ms: number): Promise<void>
  /** Pauses until the time is over or the worker stops. `wake` does not end this pause. */
  rest(ms: number): Promise<void>
  /** Ends the sleep, or keeps the next one from starting. */
  wake(): void
  /** Ends any pause, because the worker stops. */
  endAll(): void
}

/** Creates the pauses of one worker. */
export function createWorkerPauses(timers: Pick<WorkerTimers, 'schedule'>): WorkerPauses {
  let wokenUp = false
  let endSleep = () => {}
  let endRest = () => {}

  /** Resolves after `ms`, or when the function that `onStart` gets is called. */
  const pause = (ms: number, onStart: (end: () => void) => void) =>
    new Promise<void>((resolve) => {
      const cancel = timers.schedule(resolve, ms)
      onStart(() => {
        cancel()
        resolve()
      })
    })

  function wake(): void {
    wokenUp = true
    endSleep()
  }

  return {
    async sleep(ms) {
      if (!wokenUp) {
        await pause(ms, (end) => (endSleep = end))
        endSleep = () => {}
      }
      wokenUp = false
    },
    async rest(ms) {
      await pause(ms, (end) => (endRest = end))
      endRest = () => {}
    },
    wake,
    endAll() {
      wake()
      endRest()
    },
  }
}
