import { beforeEach, expect, test, vi } from 'vitest'
import { createWebhooks } from '../../src/delivery/index.js'
import { createHttpsSender } from '../../src/https/https-sender.js'
import { createMemoryWebhookStore } from '../../src/testing/index.js'
import { allGranted, oneKey } from '../delivery/delivery-samples.js'
import { VirtualTime } from '../delivery/virtual-time.js'

vi.mock('../../src/https/https-sender.js', { spy: true })

beforeEach(() => void vi.mocked(createHttpsSender).mockClear())

function newWebhooks() {
  const time = new VirtualTime()
  const store = createMemoryWebhookStore({ nowMs: () => time.nowMs })
  return createWebhooks({
    storage: { webhooks: store, insertEvent: (_transaction: null, prepared) => store.insertEvent(prepared) },
    grants: allGranted,
    signingKeys: oneKey,
    timers: time,
    now: () => time.now(),
  })
}

test('a sender that could not be loaded is loaded by the next start', async () => {
  const webhooks = newWebhooks()
  vi.mocked(createHttpsSender).mockImplementationOnce(() => {
    throw new Error('node:tls is missing')
  })
  await expect(webhooks.start()).rejects.toMatchObject({ code: 'SENDER_UNAVAILABLE' })
  await webhooks.start()
  await webhooks.stop()
  expect(createHttpsSender).toHaveBeenCalledTimes(2)
})

test('a loaded sender is kept for later starts', async () => {
  const webhooks = newWebhooks()
  await webhooks.start()
  await webhooks.stop()
  await webhooks.start()
  await webhooks.stop()
  expect(createHttpsSender).toHaveBeenCalledTimes(1)
})
