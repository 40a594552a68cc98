/** Monotonic time and timers of a worker; replaced by virtual ones in simulations. */
export interface WorkerTimers {
  /** Milliseconds from any fixed point; never goes back. */
  monotonicMs(): number
  /** Calls `callback` once after `delayMs`; the returned function prevents it. */
  schedule(callback: () => void, delayMs: number): () => void
}

/** `performance.now()` and `setTimeout`. */
export const systemTimers: WorkerTimers = {
  monotonicMs: () => performance.now(),
  schedule(callback, delayMs) {
    const timer = setTimeout(callback, delayMs)
    return () => clearTimeout(timer)
  },
}

/** The promise's value, or `fallback` once `limitMs` passed. Rejects when the promise does. */
export function withTimeLimit<T, F>(
  promise: Promise<T>,
  limitMs: number,
  fallback: F,
  timers: WorkerTimers,
): Promise<T | F> {
  return new Promise((resolve, reject) => {
    const cancel = timers.schedule(() => resolve(fallback), Math.max(0, limitMs))
    promise.then(
      (value) => {
        cancel()
        resolve(value)
      },
      (error: unknown) => {
        cancel()
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- it is passed on as it came
        reject(error)
      },
    )
  })
}
