import { describe, expect, test } from 'vitest'
import { sized } from '../../../../scripts/test-sizes.js'
import { createMemoryWebhookStore, webhookStoreCases } from '../../src/testing/index.js'

/** The clock goes on at one of its first calls. */
const calls = sized(60, 400)

/** A clock that only the harness moves, but that goes on by one millisecond at one of the calls. */
function harnessWithTick(tickAt: number) {
  let nowMs = Date.parse('2026-01-01T00:00:00.000Z')
  let calls = 0
  const clock = () => {
    calls += 1
    if (calls === tickAt) nowMs += 1
    return nowMs
  }
  const store = createMemoryWebhookStore({ nowMs: clock })
  return {
    open: async () => ({ store, close: async () => {} }),
    advance: async (ms: number) => void (nowMs += ms),
    ticked: () => calls >= tickAt,
  }
}

describe('a store with a clock of its own', () => {
  test.each(webhookStoreCases)('passes $id when the clock goes on at any call', async ({ run }) => {
    const failed: number[] = []
    for (let tickAt = 1, ticked = true; ticked && tickAt <= calls; tickAt += 1) {
      const harness = harnessWithTick(tickAt)
      await run(harness).catch(() => failed.push(tickAt))
      ticked = harness.ticked()
    }
    expect(failed).toEqual([])
  })
})
