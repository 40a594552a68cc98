import { describe, expect, it, vi } from 'vitest'
import { createMetrics } from '../../src/operations/metrics.js'

// No server runs in this file: faked timers would stop its stores too.
describe('metrics beside a database that does not answer', () => {
  const state = { waiting: 1, inFlight: 2, oldestDueMs: 3_000 }
  const never = () => new Promise<never>(() => undefined)
  it.each([
    ['the queue', never, async () => 0],
    ['the feed', async () => state, never],
  ])('are rendered in time: %s', async (_, inspectQueue, measureLag) => {
    vi.useFakeTimers()
    try {
      const disk = { state: () => new Map(), isLow: () => false, refusals: () => 0 }
      const metrics = createMetrics({ queue: { inspectQueue }, feed: { measureLag }, droppedLogLines: () => 0, disk })
      const rendered = metrics.render()
      await vi.advanceTimersByTimeAsync(2_000)
      const text = await rendered
      expect(text).toContain('\nkyc_relay_queue_readable 0\n')
      expect(text).not.toMatch(/^kyc_relay_deliveries_waiting /m)
    } finally {
      vi.useRealTimers()
    }
  })
})
