import { describe, expect, test } from 'vitest'
import { createMemoryWebhookStore, webhookStoreCases, type WebhookStoreHarness } from '../../src/testing/index.js'

function createHarness(): WebhookStoreHarness {
  let nowMs = Date.parse('2026-01-01T00:00:00.000Z')
  const store = createMemoryWebhookStore({ nowMs: () => nowMs })
  return {
    open: async () => ({ store, close: async () => {} }),
    advance: async (ms) => void (nowMs += ms),
  }
}

test('every case has an id of its own and says what a store must do', () => {
  const ids = webhookStoreCases.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  for (const { id, name } of webhookStoreCases) {
    expect(id).toMatch(/^WS-[A-Z]+-\d+$/)
    expect(name).toContain('MUST')
  }
})

describe('the memory store', () => {
  test.each(webhookStoreCases.map((one) => [one.id, one.name, one] as const))('%s %s', async (_id, _name, one) => {
    await one.run(createHarness())
  })
})
