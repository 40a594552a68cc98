import type { WorkerTimers } from '../../src/delivery/worker-timers.js'

/** Time that passes only when it is told to. */
export class VirtualTime implements WorkerTimers {
  nowMs: number
  readonly #startMs: number
  #timers: { readonly atMs: number; readonly order: number; readonly callback: () => void }[] = []
  #order = 0

  constructor(start = '2026-03-01T12:00:00.000Z') {
    this.#startMs = this.nowMs = Date.parse(start)
  }

  monotonicMs(): number {
    return this.nowMs - this.#startMs
  }

  now(): Date {
    return new Date(this.nowMs)
  }

  schedule(callback: () => void, delayMs: number): () => void {
    const timer = { atMs: this.nowMs + Math.max(0, delayMs), order: (this.#order += 1), callback }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer)
    }
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.schedule(resolve, ms))
  }

  /** When the next timer rings; null when none is set. */
  nextAtMs(): number | null {
    return this.#timers.length === 0 ? null : Math.min(...this.#timers.map(({ atMs }) => atMs))
  }

  /** Lets `ms` pass, ringing every timer in its turn and letting all promises run in between. */
  async pass(ms: number): Promise<void> {
    const endMs = this.nowMs + ms
    await settlePromises()
    for (;;) {
      const next = this.#timers.filter(({ atMs }) => atMs <= endMs).sort(byTime)[0]
      if (next === undefined) break
      this.#timers = this.#timers.filter((timer) => timer !== next)
      this.nowMs = Math.max(this.nowMs, next.atMs)
      next.callback()
      await settlePromises()
    }
    this.nowMs = endMs
  }

  /** Time passes and nothing runs, as when the event loop stalls or the machine sleeps. */
  stall(ms: number): void {
    this.nowMs += ms
  }
}

function byTime(one: { atMs: number; order: number }, other: { atMs: number; order: number }): number {
  return one.atMs - other.atMs || one.order - other.order
}

/** Everything that needs no further time has run once the event loop turns. */
export function settlePromises(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
