import { expect, test } from 'vitest'
import { reportOfCause } from '../../src/delivery/delivery-state.js'
import { createResultBatcher } from '../../src/delivery/result-batcher.js'
import type { AttemptResult, WebhookStore } from '../../src/delivery/webhook-store.js'
import { VirtualTime } from './virtual-time.js'

const attempt = { startedAtMs: 0 }
const result = (deliveryId: string, token: string): AttemptResult => ({
  fence: { appId: 'app', deliveryId, attempt: 1, token },
  attempt: { state: 'SUCCEEDED', report: { ...reportOfCause('HTTP_STATUS'), cause: null } },
  next: { state: 'DELIVERED' },
})

function batcherOver(recordAttemptResults: WebhookStore['recordAttemptResults']) {
  const time = new VirtualTime()
  const batcher = createResultBatcher({
    store: { recordAttemptResults },
    timers: time,
    maxBatch: 256,
    retryMs: 500,
    inFlight: () => 100,
    onWriting: () => {},
    onHealthChanged: () => {},
    onError: () => {},
  })
  return { time, batcher }
}

test('only the claim that is stale is told so, not another claim of the delivery', async () => {
  const stale = { deliveryId: 'delivery', token: 'old' }
  const { batcher } = batcherOver(async () => ({ stale: [{ appId: 'app', attempt: 1, ...stale }], healthChanges: [] }))
  const claims = [
    ['delivery', 'old'],
    ['delivery', 'new'],
    ['other delivery', 'old'],
  ] as const
  const outcomes = await Promise.all(claims.map(([id, token]) => batcher.add(attempt, result(id, token))))
  expect(outcomes).toEqual(['stale', 'applied', 'applied'])
})

test('a store that is down is asked once for all and for three alone', async () => {
  const writes: number[] = []
  const { time, batcher } = batcherOver((results) => {
    writes.push(results.length)
    return Promise.reject(new Error('down'))
  })
  for (let n = 0; n < 9; n += 1) void batcher.add(attempt, result(String(n), 'token'))
  await time.pass(400)
  expect(writes).toEqual([9, 1, 1, 1])
})

test('abandoning ends the pause before a retry', async () => {
  const { time, batcher } = batcherOver(() => Promise.reject(new Error('down')))
  let outcome: string | null = null
  void batcher.add(attempt, result('delivery', 'token')).then((one) => (outcome = one))
  await time.pass(100)
  expect(outcome).toBeNull()
  batcher.abandon()
  await time.pass(0)
  expect(outcome).toBe('abandoned')
})
