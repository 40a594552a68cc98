import { deepEqual, equal, ok } from 'node:assert/strict'
import type { VerificationStore } from '@kyc-relay/kyc-core'
import type { TransactionStore, WebhookStore } from '@kyc-relay/webhooks/delivery'
import type { AppDirectory } from '../apps/app-directory.js'
import type { RemovedRows, Retention } from '../retention/retention.js'
import { claimRequest, endpoint, event, report, startOfTests, submission, uuid } from './sample-records.js'
import { refused, reopenCase, storageCase, type StorageCase } from './storage-case.js'

/** Handle for the cases of `Retention`: the port, and the stores of its rows. */
export interface RetentionHandle {
  readonly retention: Retention
  readonly webhooks: WebhookStore
  readonly transactions: TransactionStore
  readonly apps: AppDirectory
  readonly verifications: VerificationStore
}

const day = 86_400_000
const hook = endpoint('a')
const { appId } = hook
const userId = uuid('user')
const idOf = (name: string) => uuid(`delivery ${name} ${hook.endpointId}`)
const find = ({ webhooks }: RetentionHandle, name: string) => webhooks.findDelivery({ appId, deliveryId: idOf(name) })

/** Registers an endpoint, publishes one event to it and delivers the event. */
async function deliver({ webhooks }: RetentionHandle, name: string): Promise<void> {
  await webhooks.insertEvent(event(name, [hook]))
  const { claimed } = await webhooks.claimDue(claimRequest)
  await webhooks.recordAttemptResults(
    claimed.map(({ fence }) => ({ fence, attempt: { state: 'SUCCEEDED', report }, next: { state: 'DELIVERED' } })),
  )
}

/** Adds an app with a grant and an access token that expires a number of milliseconds after the start. */
async function addToken({ apps }: RetentionHandle, expiresInMs: number): Promise<Uint8Array> {
  const hash = new Uint8Array(32).fill(1)
  const times = { createdAt: startOfTests, signsFrom: startOfTests, retiredAt: null }
  const firstKey = { appId, version: 1, hash: new Uint8Array(32), sealed: new Uint8Array(1), ...times }
  await apps.createApp({ appId, name: 'a', firstKey })
  await apps.putGrant({ appId, userId, accountId: uuid('account'), externalReferenceId: 'r', scopes: [] })
  const expiresAt = new Date(startOfTests.getTime() + expiresInMs)
  await apps.addAccessToken({ hash, appId, userId, scopes: [], expiresAt })
  return hash
}

const counts = ({ bodiesBlanked, attemptsRemoved, accessTokensRemoved }: RemovedRows) => [
  bodiesBlanked,
  attemptsRemoved,
  accessTokensRemoved,
]

/**
 * Lists the rules of the `Retention` port as cases for any test runner. Each case needs a fresh harness.
 *
 * @example
 * ```ts
 * import { retentionCases } from '@kyc-relay/storage-drizzle/testing'
 *
 * type Harness = Parameters<(typeof retentionCases)[number]['run']>[0]
 * export async function check(newHarness: () => Harness): Promise<void> {
 *   for (const { run } of retentionCases) await run(newHarness())
 * }
 * ```
 */
export const retentionCases: readonly StorageCase<RetentionHandle>[] = [
  storageCase('RT-01', 'MUST blank a body a millisecond after its 30 days and leave the log', async (one, use) => {
    await one.webhooks.registerEndpoint(hook, 5)
    await deliver(one, 'one')
    await use.advance(30 * day)
    deepEqual(counts(await one.retention.removeOld()), [0, 0, 0])
    ok(((await find(one, 'one'))?.body.byteLength ?? 0) > 0)
    await use.advance(1)
    deepEqual(counts(await one.retention.removeOld()), [1, 0, 0])
    const found = await find(use.other, 'one')
    deepEqual([found?.state, found?.body, found?.attempts.length], ['DELIVERED', new Uint8Array(), 1])
    deepEqual(counts(await one.retention.removeOld()), [0, 0, 0])
  }),
  storageCase('RT-02', 'MUST refuse to resend a delivery with a blanked body', async (one, use) => {
    await one.webhooks.registerEndpoint(hook, 5)
    await deliver(one, 'one')
    await use.advance(31 * day)
    await one.retention.removeOld()
    const answer = await one.webhooks.resendDelivery({ appId, deliveryId: idOf('one'), newDeliveryId: uuid('again') })
    equal(answer, 'not_found')
  }),
  storageCase(
    'RT-03',
    'MUST remove an attempt a millisecond after its 90 days and keep the delivery',
    async (one, use) => {
      await one.webhooks.registerEndpoint(hook, 5)
      await deliver(one, 'one')
      await use.advance(90 * day)
      deepEqual(counts(await one.retention.removeOld()), [1, 0, 0])
      await use.advance(1)
      deepEqual(counts(await one.retention.removeOld()), [0, 1, 0])
      const found = await find(one, 'one')
      deepEqual([found?.state, found?.attemptsMade, found?.attempts], ['DELIVERED', 1, []])
      deepEqual(counts(await one.retention.removeOld()), [0, 0, 0])
    },
  ),
  storageCase('RT-04', 'MUST keep the body and the attempts of a pending delivery of any age', async (one, use) => {
    await one.webhooks.registerEndpoint(hook, 5)
    await one.webhooks.registerEndpoint(endpoint('b'), 5)
    await one.webhooks.insertEvent(event('one', [hook, endpoint('b')]))
    const { claimed } = await one.webhooks.claimDue(claimRequest)
    await one.webhooks.recordAttemptResults(
      claimed.map(({ fence }, index) => ({
        fence,
        attempt: { state: 'FAILED', report },
        next: index === 0 ? { state: 'FAILED' } : { state: 'PENDING', delayMs: 1_000 },
      })),
    )
    await use.advance(400 * day)
    deepEqual(counts(await one.retention.removeOld()), [0, 1, 0])
    const again = (await one.webhooks.claimDue(claimRequest)).claimed
    deepEqual(
      again.map(({ fence, body }) => [fence.attempt, body.byteLength > 0]),
      [[2, true]],
    )
  }),
  storageCase('RT-05', 'MUST work in limited steps, oldest first, and report remaining rows', async (one, use) => {
    const names = ['one', 'two', 'three', 'four', 'five']
    await one.webhooks.registerEndpoint(hook, 5)
    for (const name of names) {
      await deliver(one, name)
      await use.advance(1_000)
    }
    await use.advance(91 * day)
    const first = await one.retention.removeOld({ limit: 2 })
    deepEqual([counts(first), first.more], [[2, 2, 0], true])
    const left = await Promise.all(names.map(async (name) => ((await find(one, name))?.body.byteLength ?? 0) > 0))
    deepEqual(left, [false, false, true, true, true])
    const rest = [await one.retention.removeOld({ limit: 2 }), await one.retention.removeOld({ limit: 2 })]
    deepEqual(
      rest.map((step) => [counts(step), step.more]),
      [
        [[2, 2, 0], true],
        [[1, 1, 0], false],
      ],
    )
  }),
  storageCase('RT-12', 'MUST keep the counts of each hour as they are for 31 days', async (one, use) => {
    const since = new Date(0)
    await one.webhooks.registerEndpoint(hook, 5)
    for (const name of ['one', 'two', 'three']) await deliver(one, name)
    const before = await one.webhooks.listEndpointHours({ appId, since })
    deepEqual(
      before.map(({ attempts, firstAttempts, failedDeliveries }) => [attempts, firstAttempts, failedDeliveries]),
      [[3, 3, 0]],
    )
    await use.advance(day)
    await deliver(use.other, 'four')
    for (let step = 0; step < 2; step += 1) {
      await one.retention.removeOld()
      const listed = await use.other.webhooks.listEndpointHours({ appId, since })
      const found = listed.toSorted((one, other) => one.hour.getTime() - other.hour.getTime())
      deepEqual([found[0], found[1]?.attempts, found.length], [before[0], 1, 2])
    }
    const hour = before[0]?.hour.getTime() ?? 0
    await use.advance(hour + 31 * day - startOfTests.getTime() - day)
    await one.retention.removeOld()
    equal((await one.webhooks.listEndpointHours({ appId, since })).length, 2)
    await use.advance(1)
    await one.retention.removeOld()
    equal((await one.webhooks.listEndpointHours({ appId, since })).length, 1)
  }),
  storageCase('RT-06', 'MUST refuse a step of no rows, and one of more than 10,000', async ({ retention }) => {
    for (const limit of [0, -1, 1.5, 10_001])
      await refused(retention.removeOld({ limit }), { code: 'ARGUMENT_INVALID' })
  }),
  storageCase(
    'RT-07',
    'MUST remove an access token a millisecond after it has been expired for 7 days',
    async (one, use) => {
      const hash = await addToken(one, 1_000)
      await use.advance(7 * day + 1_000)
      deepEqual(counts(await one.retention.removeOld()), [0, 0, 0])
      ok(await one.apps.findAccessToken(hash, startOfTests))
      await use.advance(1)
      deepEqual(counts(await one.retention.removeOld()), [0, 0, 1])
      equal(await one.apps.findAccessToken(hash, startOfTests), null)
    },
  ),
  storageCase('RT-08', 'MUST use the given ages', async (one, use) => {
    await one.webhooks.registerEndpoint(hook, 5)
    await deliver(one, 'one')
    await addToken(one, 0)
    await use.advance(1_001)
    deepEqual(counts(await one.retention.removeOld({ bodyAgeMs: 1_000 })), [1, 0, 0])
    deepEqual(counts(await one.retention.removeOld({ attemptAgeMs: 1_000 })), [0, 1, 0])
    deepEqual(counts(await one.retention.removeOld({ expiredTokenAgeMs: 1_000 })), [0, 0, 1])
  }),
  storageCase('RT-14', 'MUST remove nothing at the largest ages', async (one, use) => {
    await one.webhooks.registerEndpoint(hook, 5)
    await deliver(one, 'one')
    await addToken(one, 0)
    await use.advance(100 * day)
    const age = Number.MAX_SAFE_INTEGER
    const policy = { bodyAgeMs: age, attemptAgeMs: age, expiredTokenAgeMs: age, endpointHourAgeMs: age }
    const removed = await one.retention.removeOld(policy)
    deepEqual([counts(removed), removed.endpointHoursRemoved], [[0, 0, 0], 0])
    ok(((await find(one, 'one'))?.body.byteLength ?? 0) > 0)
  }),
  storageCase('RT-09', 'MUST NOT change verifications', async ({ retention, verifications }, use) => {
    const { key } = submission('one')
    await verifications.record(submission('one'))
    const before = await verifications.listVerifications(key, { limit: 1 })
    await use.advance(4_000 * day)
    await retention.removeOld()
    deepEqual(await verifications.listVerifications(key, { limit: 1 }), before)
    equal(await verifications.findKycStatus(key.userId), 'PASS')
  }),
  storageCase('RT-11', 'MUST cancel what waits too long for the end of a pause, and only that', async (one, use) => {
    const [held, free] = [hook, endpoint('b')]
    for (const each of [held, free]) await one.webhooks.registerEndpoint(each, 5)
    await one.webhooks.pauseEndpoint({ appId, endpointId: held.endpointId, by: 'PARTNER' })
    await one.webhooks.insertEvent(event('one', [held, free]))
    await one.webhooks.insertEvent(event('test', [held], { test: true }))
    await use.advance(30 * day)
    equal((await one.retention.removeOld()).deliveriesExpired, 0)
    await one.webhooks.insertEvent(event('young', [held]))
    await use.advance(1)
    equal((await one.retention.removeOld({ limit: 1 })).deliveriesExpired, 1)
    equal((await one.retention.removeOld()).deliveriesExpired, 0)
    const log = async () => {
      const { items } = await use.other.webhooks.listDeliveries({ appId, limit: 10 })
      return items.map(({ endpointId, test, state, cancelReason }) => ({ endpointId, test, state, cancelReason }))
    }
    const pending = { test: false, state: 'PENDING', cancelReason: null }
    const ofHeld = { ...pending, endpointId: held.endpointId }
    const kept = [ofHeld, { ...ofHeld, test: true }]
    const expired = { ...ofHeld, state: 'CANCELLED', cancelReason: 'EXPIRED' }
    const found = await log()
    deepEqual(found.slice(0, 2), kept)
    deepEqual(new Set(found.slice(2)), new Set([expired, { ...pending, endpointId: free.endpointId }]))
    await one.webhooks.resumeEndpoint({ appId, endpointId: held.endpointId, by: 'PARTNER' })
    const { claimed } = await one.webhooks.claimDue(claimRequest)
    equal(claimed.length, 3)
  }),
  storageCase('RT-13', 'MUST blank the fields of a transaction a millisecond after its last move', async (one, use) => {
    const transactionId = uuid('transaction')
    const move = { transactionId, appId, userId, next: 'PENDING', fields: { note: 'x' } } as const
    for (const fromRevision of [0, 1]) {
      const movedAt = new Date(startOfTests.getTime() + fromRevision * day)
      const told = event(`move ${fromRevision}`, [])
      const written = await one.transactions.moveTransaction({ ...move, fromRevision, movedAt, event: told })
      ok(written !== 'stale')
    }
    const find = async () =>
      (await use.other.transactions.findTransaction({ transactionId, appId, sourceEventId: null })).transaction
    const before = await find()
    await use.advance(31 * day)
    equal((await one.retention.removeOld()).transactionsBlanked, 0)
    deepEqual(await find(), before)
    await use.advance(1)
    equal((await one.retention.removeOld()).transactionsBlanked, 1)
    deepEqual(await find(), { ...before, fields: null })
    equal((await one.retention.removeOld()).transactionsBlanked, 0)
  }),
  reopenCase(
    'RT-10',
    'MUST keep removals when it is closed',
    async (before) => {
      await addToken(before, -8 * day)
      deepEqual(counts(await before.retention.removeOld()), [0, 0, 1])
    },
    async ({ apps, retention }) => {
      equal(await apps.findAccessToken(new Uint8Array(32).fill(1), new Date(0)), null)
      deepEqual(counts(await retention.removeOld()), [0, 0, 0])
    },
  ),
]
