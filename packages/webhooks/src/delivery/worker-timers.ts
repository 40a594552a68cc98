/** Monotonic time and timers of a worker. Simulations replace them by virtual ones. */
export interface WorkerTimers {
  /** Monotonic time in milliseconds. */
  monotonicMs(): number
  /** Calls `callback` once after `delayMs`. The returned function cancels the call. */
  schedule(callback: () => void, delayMs: number): () => void
}

/** Node, Deno and Bun have both; browsers have neither. */
interface Immediates {
  readonly setImmediate?: (callback: () => void) => unknown
  readonly clearImmediate?: (immediate: unknown) => void
}

/**
 * Timers of the runtime: `performance.now()`, `setTimeout`, and `setImmediate` where it exists, because a time-out
 * takes at least 1 ms.
 */
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

/** Timers of the current runtime. */
export const systemTimers: WorkerTimers = timersOf(globalThis as Immediates)

/** What {@link withTimeLimit} resolves to when the time is over. */
export const timedOut = Symbol('timed out')

/** Resolves to the promise's value, or to `timedOut` after `limitMs`. Rejects when the promise rejects. */
export function withTimeLimit<T>(
  promise: Promise<T>,
  limitMs: number,
  timers: WorkerTimers,
): Promise<T | typeof timedOut> {
  return new Promise((resolve, reject) => {
    const cancel = timers.schedule(() => resolve(timedOut), Math.max(0, limitMs))
    promise.then(
      (value) => {
        cancel()
        resolve(value)
      },
      (error: unknown) => {
        cancel()
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- passed on unchanged
        reject(error)
      },
    )
  })
}
