/** Monotonic time and timers of a worker; replaced by virtual ones in simulations. */
export interface WorkerTimers {
  /** Milliseconds from any fixed point; never goes back. */
  monotonicMs(): number
  /** Calls `callback` once after `delayMs`; the returned function prevents it. */
  schedule(callback: () => void, delayMs: number): () => void
}

/** Node, Deno and Bun have both, browsers neither. */
interface Immediates {
  readonly setImmediate?: (callback: () => void) => unknown
  readonly clearImmediate?: (immediate: unknown) => void
}

/** `performance.now()`, `setTimeout`, and `setImmediate` where it is there: no time-out is shorter than a millisecond. */
export function timersOf(runtime: Immediates): WorkerTimers {
  return {
    monotonicMs: () => performance.now(),
    schedule(callback, delayMs) {
      const { setImmediate, clearImmediate } = runtime
      if (delayMs <= 0 && setImmediate !== undefined) {
        const immediate = setImmediate(callback)
        return () => clearImmediate?.(immediate)
      }
      const timer = setTimeout(callback, delayMs)
      return () => clearTimeout(timer)
    },
  }
}

/** Those of the runtime that this is in. */
export const systemTimers: WorkerTimers = timersOf(globalThis as Immediates)

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
