import { deepEqual, equal, ok } from 'node:assert/strict'
import type { VerificationStore } from '@kyc-relay/kyc-core'
import type { TransactionStore, WebhookStore } from '@kyc-relay/webhooks/delivery'
import type { AppDirectory } from '../apps/app-directory.js'
import type { UserErasure } from '../erasure/user-erasure.js'
import type { UserRetention } from '../user-retention/user-retention.js'
import {
  claimRequest,
  endpoint,
  event,
  report,
  startOfTests,
  submission,
  transactionMove,
  uuid,
} from './sample-records.js'
import { race, refused, reopenCase, storageCase, type StorageCase } from './storage-case.js'

/** Handle for the cases of `UserErasure`: the port, and the stores of its rows. */
export interface UserErasureHandle {
  readonly users: UserErasure
  readonly userRetention: UserRetention
  readonly apps: AppDirectory
  readonly webhooks: WebhookStore
  readonly transactions: TransactionStore
  readonly verifications: VerificationStore
}

const hook = endpoint('a')
const owner = { appId: uuid('app'), userId: uuid('user') }
const other = { ...owner, userId: uuid('other user') }
const all = { limit: 200 }
const untouched = {
  deliveriesCancelled: 0,
  bodiesBlanked: 0,
  transactionsBlanked: 0,
  photoJobIds: [],
  photosErased: 0,
  verificationsKept: 0,
}

const find = ({ webhooks }: UserErasureHandle, name: string) =>
  webhooks.findDelivery({ appId: owner.appId, deliveryId: uuid(`delivery ${name} ${hook.endpointId}`) })

/** Creates an event, a transaction with its event, and a verification with a photo, all of one user. */
async function fill({ webhooks, transactions, verifications }: UserErasureHandle): Promise<void> {
  await webhooks.registerEndpoint(hook, 50)
  await webhooks.insertEvent(event('one', [hook]))
  await transactions.moveTransaction(transactionMove('one', [hook]))
  await verifications.record(submission('one'))
}

async function claimOne({ webhooks }: UserErasureHandle) {
  const [claimed] = (await webhooks.claimDue(claimRequest)).claimed
  if (claimed === undefined) throw new Error('nothing was claimed')
  return claimed
}

async function createApp({ apps }: UserErasureHandle, appId: string): Promise<void> {
  const times = { createdAt: startOfTests, signsFrom: startOfTests, retiredAt: null }
  const firstKey = { appId, version: 1, hash: new Uint8Array(32), sealed: new Uint8Array(1), ...times }
  await apps.createApp({ appId, name: 'a', firstKey })
}

/**
 * Lists the rules of the `UserErasure` port as cases for any test runner. Each case needs a fresh harness.
 *
 * @example
 * ```ts
 * import { userErasureCases } from '@kyc-relay/storage-drizzle/testing'
 *
 * type Harness = Parameters<(typeof userErasureCases)[number]['run']>[0]
 * export async function check(newHarness: () => Harness): Promise<void> {
 *   for (const { run } of userErasureCases) await run(newHarness())
 * }
 * ```
 */
export const userErasureCases: readonly StorageCase<UserErasureHandle>[] = [
  storageCase('UE-01', 'MUST report erased and kept rows', async (one) => {
    await fill(one)
    deepEqual(await one.users.eraseUser(owner), {
      deliveriesCancelled: 2,
      bodiesBlanked: 2,
      transactionsBlanked: 1,
      photoJobIds: [uuid('photo one')],
      photosErased: 0,
      verificationsKept: 1,
    })
    deepEqual(await one.users.eraseUser({ ...owner, userId: uuid('nobody') }), untouched)
  }),
  storageCase('UE-02', 'MUST cancel pending deliveries, for every handle', async (one, use) => {
    await fill(one)
    await one.users.eraseUser(owner)
    const found = await find(use.other, 'one')
    deepEqual([found?.state, found?.cancelReason], ['CANCELLED', 'USER_ERASED'])
    deepEqual((await use.other.webhooks.claimDue(claimRequest)).claimed, [])
  }),
  storageCase('UE-03', 'MUST blank the bodies of events, delivered ones as well', async (one) => {
    await one.webhooks.registerEndpoint(hook, 50)
    await one.webhooks.insertEvent(event('one', [hook]))
    const { fence } = await claimOne(one)
    await one.webhooks.recordAttemptResults([
      { fence, attempt: { state: 'SUCCEEDED', report }, next: { state: 'DELIVERED' } },
    ])
    deepEqual(await one.users.eraseUser(owner), { ...untouched, bodiesBlanked: 1 })
    const found = await find(one, 'one')
    deepEqual([found?.state, found?.body], ['DELIVERED', new Uint8Array()])
  }),
  storageCase('UE-04', 'MUST blank the fields of transactions and keep their states', async (one) => {
    await fill(one)
    await one.users.eraseUser(owner)
    const { transactionId } = transactionMove('one', [])
    const { transaction } = await one.transactions.findTransaction({ transactionId, appId: null, sourceEventId: null })
    deepEqual([transaction?.state, transaction?.revision, transaction?.fields], ['PENDING', 1, null])
  }),
  storageCase('UE-05', 'MUST keep the record of every verification', async (one) => {
    await fill(one)
    const before = await one.verifications.listVerifications(owner, { limit: 10 })
    await one.users.eraseUser(owner)
    const withoutTokens = before.items.map((record) => ({ ...record, ssn: null }))
    deepEqual((await one.verifications.listVerifications(owner, { limit: 10 })).items, withoutTokens)
    equal(await one.verifications.findKycStatus(owner.userId), 'PASS')
  }),
  storageCase('UE-06', 'MUST blank the responses of receivers and keep the rest of the attempt', async (one) => {
    await one.webhooks.registerEndpoint(hook, 50)
    await one.webhooks.insertEvent(event('one', [hook]))
    const { fence } = await claimOne(one)
    const next = { state: 'PENDING', delayMs: 60_000 } as const
    await one.webhooks.recordAttemptResults([{ fence, attempt: { state: 'FAILED', report }, next }])
    await one.users.eraseUser(owner)
    const attempt = (await find(one, 'one'))?.attempts[0]
    deepEqual([attempt?.report?.responseBody, attempt?.report?.status], [null, report.status])
  }),
  storageCase('UE-07', 'MUST make the attempt in flight the last one', async (one) => {
    await one.webhooks.registerEndpoint(hook, 50)
    await one.webhooks.insertEvent(event('one', [hook]))
    const { fence } = await claimOne(one)
    deepEqual(await one.users.eraseUser(owner), { ...untouched, deliveriesCancelled: 1, bodiesBlanked: 1 })
    const retry = { state: 'PENDING', delayMs: 1_000 } as const
    await one.webhooks.recordAttemptResults([{ fence, attempt: { state: 'FAILED', report }, next: retry }])
    const found = await find(one, 'one')
    deepEqual([found?.state, found?.cancelReason], ['CANCELLED', 'USER_ERASED'])
    deepEqual((await one.webhooks.claimDue(claimRequest)).claimed, [])
  }),
  storageCase('UE-14', 'MUST NOT keep the answer to an attempt that it met in flight', async (one, use) => {
    await one.webhooks.registerEndpoint(hook, 50)
    for (const name of ['ended', 'retried']) {
      await one.webhooks.insertEvent(event(name, [hook]))
      const { fence } = await claimOne(one)
      await use.other.users.eraseUser(owner)
      const isEnd = name === 'ended'
      const next = isEnd ? ({ state: 'DELIVERED' } as const) : ({ state: 'PENDING', delayMs: 1_000 } as const)
      const attempt = { state: isEnd ? 'SUCCEEDED' : 'FAILED', report } as const
      await one.webhooks.recordAttemptResults([{ fence, attempt, next }])
      const stored = (await find(one, name))?.attempts[0]?.report
      deepEqual([stored?.responseBody, stored?.status], [null, report.status])
    }
  }),
  storageCase('UE-08', 'MUST change nothing when repeated, and name the photos again', async (one) => {
    await fill(one)
    await one.users.eraseUser(owner)
    const photoJobIds = [uuid('photo one')]
    deepEqual(await one.users.eraseUser(owner), { ...untouched, photoJobIds, verificationsKept: 1 })
  }),
  storageCase('UE-09', 'MUST NOT change another user of the app', async (one) => {
    await fill(one)
    await one.webhooks.insertEvent({ ...event('other', [hook]), userId: other.userId })
    await one.users.eraseUser(owner)
    const found = await find(one, 'other')
    deepEqual([found?.state, found?.body], ['PENDING', event('other', []).body])
    deepEqual(await one.users.eraseUser(other), { ...untouched, deliveriesCancelled: 1, bodiesBlanked: 1 })
  }),
  storageCase('UE-10', 'MUST NOT change the same user of another app', async (one) => {
    await fill(one)
    deepEqual(await one.users.eraseUser({ ...owner, appId: uuid('other app') }), untouched)
    const found = await find(one, 'one')
    deepEqual([found?.state, found?.body], ['PENDING', event('one', []).body])
    deepEqual((await one.users.eraseUser(owner)).photoJobIds, [uuid('photo one')])
  }),
  storageCase('UE-11', 'MUST list every app with any data of the user', async (one) => {
    deepEqual(await one.users.listAppsOfUser(owner.userId), [])
    const names = ['grant', 'verification', 'event', 'transaction'].map((name) => uuid(`app of ${name}`))
    const [ofGrant = '', ofVerification = '', ofEvent = '', ofTransaction = ''] = names
    await createApp(one, ofGrant)
    const grant = { accountId: uuid('account'), externalReferenceId: 'r', scopes: [] }
    await one.apps.putGrant({ appId: ofGrant, userId: owner.userId, ...grant })
    await one.verifications.record(submission('one', { key: { appId: ofVerification } }))
    await one.webhooks.insertEvent(event('one', [], { appId: ofEvent }))
    const move = transactionMove('one', [], { appId: ofTransaction })
    await one.transactions.moveTransaction({ ...move, event: event('two', [], { appId: ofTransaction }) })
    deepEqual([...(await one.users.listAppsOfUser(owner.userId))].sort(), [...names].sort())
    deepEqual(await one.users.listAppsOfUser(uuid('nobody')), [])
  }),
  storageCase(
    'UE-13',
    'MUST blank what an SSN can be guessed from, and keep the answer of a replay',
    async (one, use) => {
      await fill(one)
      await one.verifications.record(submission('two', { key: { userId: other.userId } }))
      const keyOf = (name: string, userId: string) => ({ ...submission(name).key, userId })
      const before = await one.verifications.findExisting(keyOf('one', owner.userId))
      await one.users.eraseUser(owner)
      const after = await use.other.verifications.findExisting(keyOf('one', owner.userId))
      equal(before?.kind === 'replayed' && after?.kind === 'replayed', true)
      deepEqual(after, { ...before, payloadDigest: null })
      const { verification } = submission('one')
      const kept = await use.other.verifications.findVerification(owner, verification.verificationId)
      deepEqual([kept?.ssn, kept?.documentNumber], [null, verification.documentNumber])
      const untouchedRow = await one.verifications.findExisting(keyOf('two', other.userId))
      equal(untouchedRow?.kind === 'replayed' && untouchedRow.payloadDigest !== null, true)
    },
  ),
  reopenCase(
    'UE-12',
    'MUST keep erasures when it is closed',
    async (before) => {
      await fill(before)
      await before.users.eraseUser(owner)
    },
    async (after) => {
      const found = await find(after, 'one')
      deepEqual([found?.state, found?.body], ['CANCELLED', new Uint8Array()])
      equal((await after.users.eraseUser(owner)).bodiesBlanked, 0)
    },
  ),
  storageCase('UE-15', 'MUST refuse an erasure without an app or without a user', async (one) => {
    await fill(one)
    const incomplete: Partial<typeof owner>[] = [{ userId: owner.userId }, { appId: owner.appId }]
    for (const each of incomplete) {
      await refused(one.users.eraseUser(each as typeof owner), { code: 'ARGUMENT_INVALID' })
    }
    equal((await one.users.eraseUser(owner)).bodiesBlanked, 2)
  }),
  storageCase('UE-16', 'MUST record no submission that arrived before the end of an erasure', async (one, use) => {
    const { userId } = owner
    const erasureId = uuid('erasure')
    const refusedAt = (recordedAt: Date) =>
      refused(use.other.verifications.record({ ...submission('late'), recordedAt }), { code: 'ERASURE_IN_PROGRESS' })
    await one.userRetention.startErasure({ userId, erasureId })
    await refusedAt(new Date(startOfTests.getTime() + 60_000))
    await one.users.eraseUser(owner)
    await use.advance(5)
    await one.userRetention.finishErasure({ userId, erasureId })
    await refusedAt(new Date(startOfTests.getTime() + 4))
    equal(await use.other.verifications.findExisting(submission('late').key), null)
    deepEqual((await one.verifications.listVerifications(owner, { limit: 10 })).items, [])
    const stranger = submission('other', { key: { userId: other.userId } })
    equal((await one.verifications.record(stranger)).kind, 'recorded')
    const after = { ...submission('late'), recordedAt: new Date(startOfTests.getTime() + 5) }
    equal((await use.other.verifications.record(after)).kind, 'recorded')
  }),
  storageCase('UE-18', 'MUST answer a known submission with its result, also during an erasure', async (one, use) => {
    const { userId } = owner
    const first = submission('known')
    equal((await one.verifications.record(first)).kind, 'recorded')
    await one.userRetention.startErasure({ userId, erasureId: uuid('erasure') })
    equal((await use.other.verifications.record(first)).kind, 'replayed')
  }),
  storageCase('UE-17', 'MUST erase or refuse each submission that races with an erasure', async (one, use) => {
    for (let round = 0; round < 5; round++) {
      const userId = uuid(`raced ${round}`)
      const submissionOf = (racer: number) => ({
        ...submission(`${round} ${racer}`, { key: { userId, appId: uuid(`app ${racer % 3}`) } }),
        recordedAt: new Date(startOfTests.getTime() - 1),
      })
      await race(one, use.other, async ({ verifications, userRetention, users }, racer) => {
        if (racer !== 7) return verifications.record(submissionOf(racer)).catch(() => null)
        const erasure = { userId, erasureId: uuid('erasure') }
        await userRetention.startErasure(erasure)
        for (const appId of await users.listAppsOfUser(userId)) await users.eraseUser({ appId, userId })
        return userRetention.finishErasure(erasure)
      })
      for (let racer = 0; racer < 3; racer++) {
        const { items } = await one.verifications.listVerifications({ userId, appId: uuid(`app ${racer}`) }, all)
        ok(
          items.every(({ ssn }) => ssn === null),
          'a token outlives the erasure',
        )
      }
    }
  }),
]
