import { describe, expect, test } from 'vitest'
import {
  createMemoryTransactionStore,
  createMemoryWebhookData,
  createMemoryWebhookStore,
  transactionStoreCases,
} from '../../src/testing/index.js'

test('every case has an id of its own and says what a store must do', () => {
  const ids = transactionStoreCases.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  for (const { id, name } of transactionStoreCases) {
    expect(id).toMatch(/^TS-[A-Z]+-\d+$/)
    expect(name).toContain('MUST')
  }
})

describe('the memory store', () => {
  test.each(transactionStoreCases)('$id $name', async ({ run }) => {
    const data = createMemoryWebhookData()
    const store = createMemoryTransactionStore({ data })
    const webhooks = createMemoryWebhookStore({ data })
    await run({ open: async () => ({ store, webhooks, close: async () => {} }) })
  })
})
