import { onTestFinished, vi } from 'vitest'

/** Holds `performance.now` until the test ends, so that no limit refills, however long the requests take. */
export function holdClock(): void {
  const held = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
  onTestFinished(() => held.mockRestore())
}
