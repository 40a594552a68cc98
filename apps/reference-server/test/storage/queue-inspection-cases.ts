import { deepEqual } from 'node:assert/strict'
import type { WebhookStore } from '@kyc-relay/webhooks/delivery'
import type { QueueInspection } from '../../src/storage/queue-inspection.js'
import {
  claimRequest,
  endpoint,
  event,
  reopenCase,
  report,
  storageCase,
  type StorageCase,
} from '../../../../packages/storage-drizzle/test/storage-cases.js'

/** Handle for the cases of `QueueInspection`: the port, and the store of its queue. */
export interface QueueInspectionHandle {
  readonly queue: QueueInspection
  readonly webhooks: WebhookStore
}

const hook = endpoint('a')
const claimOne = { ...claimRequest, limit: 1, keepForHealthy: 0 }

/** Publishes events to one endpoint and registers it first if needed. */
async function publish({ webhooks }: QueueInspectionHandle, ...names: readonly string[]): Promise<void> {
  if ((await webhooks.listEndpoints(hook.appId)).length === 0) await webhooks.registerEndpoint(hook, 50)
  for (const name of names) await webhooks.insertEvent(event(name, [hook]))
}

/** Makes one attempt, which fails and is due again after 30 s. */
async function failOne({ webhooks }: QueueInspectionHandle): Promise<void> {
  const { claimed } = await webhooks.claimDue(claimOne)
  await webhooks.recordAttemptResults(
    claimed.map(({ fence }) => ({
      fence,
      attempt: { state: 'FAILED', report },
      next: { state: 'PENDING', delayMs: 30_000 },
    })),
  )
}

/**
 * Lists the rules of the `QueueInspection` port as cases for any test runner. Each case needs a fresh harness.
 */
export const queueInspectionCases: readonly StorageCase<QueueInspectionHandle>[] = [
  storageCase('QI-01', 'MUST see an empty queue', async ({ queue }) => {
    deepEqual(await queue.inspectQueue(), { waiting: 0, inFlight: 0, oldestDueMs: 0 })
  }),
  storageCase('QI-02', 'MUST count what waits, whichever handle published it', async (one, { other }) => {
    await publish(one, 'one', 'two')
    await publish(other, 'three')
    deepEqual(await one.queue.inspectQueue(), { waiting: 3, inFlight: 0, oldestDueMs: 0 })
  }),
  storageCase('QI-03', 'MUST count attempts in flight of every handle, and no longer as waiting', async (one, use) => {
    await publish(one, 'one', 'two', 'three')
    await one.webhooks.claimDue(claimOne)
    await use.other.webhooks.claimDue(claimOne)
    deepEqual(await one.queue.inspectQueue(), { waiting: 1, inFlight: 2, oldestDueMs: 0 })
  }),
  storageCase('QI-04', 'MUST tell for how long the oldest due delivery has been due', async (one, use) => {
    await publish(one, 'one')
    await use.advance(7_000)
    await publish(one, 'two')
    await use.advance(1_000)
    deepEqual(await one.queue.inspectQueue(), { waiting: 2, inFlight: 0, oldestDueMs: 8_000 })
  }),
  storageCase('QI-05', 'MUST count a retry as waiting before it is due, and as due from then on', async (one, use) => {
    await publish(one, 'one')
    await failOne(one)
    await use.advance(20_000)
    deepEqual(await one.queue.inspectQueue(), { waiting: 1, inFlight: 0, oldestDueMs: 0 })
    await use.advance(15_000)
    deepEqual(await one.queue.inspectQueue(), { waiting: 1, inFlight: 0, oldestDueMs: 5_000 })
  }),
  storageCase('QI-06', 'MUST NOT count what has ended', async (one) => {
    await publish(one, 'one', 'two')
    const [delivered] = (await one.webhooks.claimDue(claimOne)).claimed
    if (delivered === undefined) throw new Error('nothing was claimed')
    const { fence } = delivered
    await one.webhooks.recordAttemptResults([
      { fence, attempt: { state: 'SUCCEEDED', report }, next: { state: 'DELIVERED' } },
    ])
    const { appId, userId } = event('two', [])
    await one.webhooks.cancelPending({ appId, userId, reason: 'GRANT_REVOKED' })
    deepEqual(await one.queue.inspectQueue(), { waiting: 0, inFlight: 0, oldestDueMs: 0 })
  }),
  storageCase('QI-08', 'MUST NOT count what waits behind an attempt in flight', async (one, use) => {
    await publish(one, 'one', 'two')
    await use.advance(60_000)
    await one.webhooks.claimDue(claimOne)
    await publish(one, 'three')
    await use.advance(10_000)
    deepEqual(await one.queue.inspectQueue(), { waiting: 2, inFlight: 1, oldestDueMs: 0 })
  }),
  storageCase('QI-09', 'MUST count the whole time again after an attempt has ended', async (one, use) => {
    await publish(one, 'one', 'two')
    await use.advance(60_000)
    await failOne(one)
    const { oldestDueMs } = await one.queue.inspectQueue()
    deepEqual(oldestDueMs, 60_000)
  }),
  storageCase('QI-10', 'MUST count attempts whose lease ended, for nobody takes them over', async (one, use) => {
    await publish(one, 'one')
    await one.webhooks.claimDue(claimOne)
    await use.advance(claimOne.leaseMs + 9_000)
    deepEqual(await one.queue.inspectQueue(), { waiting: 0, inFlight: 1, oldestDueMs: 9_000 })
  }),
  reopenCase(
    'QI-07',
    'MUST see what was there before it was closed',
    (before) => publish(before, 'one'),
    async ({ queue }) => deepEqual(await queue.inspectQueue(), { waiting: 1, inFlight: 0, oldestDueMs: 0 }),
  ),
]
