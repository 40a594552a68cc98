import type { WorkerTimers } from '../../src/delivery/worker-timers.js'

interface Timer {
  readonly atMs: number
  readonly callback: () => void
}

/** Time that passes only when it is told to. */
export class VirtualTime implements WorkerTimers {
  nowMs: number
  readonly #startMs: number
  /** In the order they were set. */
  readonly #timers = new Set<Timer>()
  readonly #settle: () => Promise<void>

  /** @param settle Resolves when nothing moves any more that needs no further time. */
  constructor(start = '2026-03-01T12:00:00.000Z', settle = settlePromises) {
    this.#startMs = this.nowMs = Date.parse(start)
    this.#settle = settle
  }

  monotonicMs(): number {
    return this.nowMs - this.#startMs
  }

  now(): Date {
    return new Date(this.nowMs)
  }

  schedule(callback: () => void, delayMs: number): () => void {
    const timer = { atMs: this.nowMs + Math.max(0, delayMs), callback }
    this.#timers.add(timer)
    return () => {
      this.#timers.delete(timer)
    }
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.schedule(resolve, ms))
  }

  #earliest(): Timer | undefined {
    let earliest: Timer | undefined
    for (const timer of this.#timers) if (earliest === undefined || timer.atMs < earliest.atMs) earliest = timer
    return earliest
  }

  /** When the next timer rings; null when none is set. */
  nextAtMs(): number | null {
    return this.#earliest()?.atMs ?? null
  }

  /** Lets `ms` pass, ringing every timer in its turn and letting all promises run in between. */
  async pass(ms: number): Promise<void> {
    const endMs = this.nowMs + ms
    await this.#settle()
    for (;;) {
      const next = this.#earliest()
      if (next === undefined || next.atMs > endMs) break
      this.#timers.delete(next)
      this.nowMs = Math.max(this.nowMs, next.atMs)
      next.callback()
      await this.#settle()
    }
    this.nowMs = endMs
  }

  /** Time passes and nothing runs, as when the event loop stalls or the machine sleeps. */
  stall(ms: number): void {
    this.nowMs += ms
  }
}

/** Everything that needs no further time has run once the event loop turns. */
export function settlePromises(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
