import { deepEqual, equal, ok } from 'node:assert/strict'
import type { TransactionStore, WebhookStore } from '@kyc-relay/webhooks/delivery'
import type { UserErasure } from '../erasure/user-erasure.js'
import type { Retention } from '../retention/retention.js'
import type { UserRetention } from '../user-retention/user-retention.js'
import { claimRequest, endpoint, event, report, startOfTests, transactionMove, uuid } from './sample-records.js'
import { race, refused, reopenCase, storageCase, type StorageCase } from './storage-case.js'

/** Handle for the cases of `UserRetention`: the port, and the stores of the data that it keeps. */
export interface UserRetentionHandle {
  readonly userRetention: UserRetention
  readonly users: UserErasure
  readonly retention: Retention
  readonly webhooks: WebhookStore
  readonly transactions: TransactionStore
}

const day = 86_400_000
const hook = endpoint('a')
const { appId } = hook
const userId = uuid('user')
const otherId = uuid('other user')
const why = { actor: { name: 'operator:Ada', reason: 'case 4711' }, reason: 'case 4711' }
const open = { hold: null, closedAt: null, erasureStartedAt: null }
const [first, second] = [uuid('first erasure'), uuid('second erasure')]
const years = (count: number) => new Date(startOfTests.getTime() - count * 365 * day)

const find = ({ webhooks }: UserRetentionHandle, name: string) =>
  webhooks.findDelivery({ appId, deliveryId: uuid(`delivery ${name} ${hook.endpointId}`) })

/** Publishes one event for each user and delivers them. The user's event is the older one. */
async function deliver({ webhooks }: UserRetentionHandle): Promise<void> {
  await webhooks.registerEndpoint(hook, 50)
  await webhooks.insertEvent(event('one', [hook]))
  await webhooks.insertEvent(event('other', [hook], { userId: otherId }))
  const { claimed } = await webhooks.claimDue(claimRequest)
  await webhooks.recordAttemptResults(
    claimed.map(({ fence }) => ({ fence, attempt: { state: 'SUCCEEDED', report }, next: { state: 'DELIVERED' } })),
  )
}

/** What is left of an event: the length of its body, and the number of its attempts. */
async function kept(handle: UserRetentionHandle, name: string): Promise<readonly (number | undefined)[]> {
  const found = await find(handle, name)
  return [found?.body.length, found?.attempts.length]
}

/** What is left of a transaction's fields. */
async function fieldsOf({ transactions }: UserRetentionHandle, name: string): Promise<unknown> {
  const { transactionId } = transactionMove(name, [])
  return (await transactions.findTransaction({ transactionId, appId, sourceEventId: null })).transaction?.fields ?? null
}

/**
 * Lists the rules of the `UserRetention` port as cases for any test runner. Each case needs a fresh harness.
 *
 * @example
 * ```ts
 * import { userRetentionCases } from '@kyc-relay/storage-drizzle/testing'
 *
 * type Harness = Parameters<(typeof userRetentionCases)[number]['run']>[0]
 * export async function check(newHarness: () => Harness): Promise<void> {
 *   for (const { run } of userRetentionCases) await run(newHarness())
 * }
 * ```
 */
export const userRetentionCases: readonly StorageCase<UserRetentionHandle>[] = [
  storageCase('UR-01', 'MUST tell a hold with its time and its newest reason', async (one, use) => {
    deepEqual(await one.userRetention.find(userId), open)
    equal(await one.userRetention.hold({ userId, ...why }), 'held')
    await use.advance(5)
    equal(await use.other.userRetention.hold({ userId, ...why, reason: 'case 4712' }), 'held')
    deepEqual(await one.userRetention.find(userId), { ...open, hold: { heldAt: startOfTests, reason: 'case 4712' } })
    deepEqual(await one.userRetention.find(otherId), open)
  }),
  storageCase('UR-02', 'MUST refuse to erase a held user, for every handle, and erase nothing', async (one, use) => {
    await deliver(one)
    const before = await kept(one, 'one')
    await one.userRetention.hold({ userId, ...why })
    equal(await use.other.userRetention.startErasure({ userId, erasureId: first, ...why }), 'held')
    await refused(use.other.users.eraseUser({ appId, userId }), { code: 'LEGAL_HOLD', hidden: [userId, why.reason] })
    deepEqual(await kept(one, 'one'), before)
    deepEqual((await one.userRetention.find(userId)).erasureStartedAt, null)
    equal(await one.userRetention.startErasure({ userId: otherId, erasureId: first, ...why }), 'started')
    equal((await one.users.eraseUser({ appId, userId: otherId })).bodiesBlanked, 1)
  }),
  storageCase('UR-03', 'MUST erase a user whose hold was released', async (one) => {
    equal(await one.userRetention.release({ userId, ...why }), false)
    await one.userRetention.hold({ userId, ...why })
    await one.userRetention.hold({ userId: otherId, ...why })
    equal(await one.userRetention.release({ userId, ...why }), true)
    equal(await one.userRetention.release({ userId, ...why }), false)
    deepEqual(await one.userRetention.find(userId), open)
    equal(await one.userRetention.startErasure({ userId, erasureId: first, ...why }), 'started')
    equal((await one.users.eraseUser({ appId, userId })).bodiesBlanked, 0)
    equal(await one.userRetention.startErasure({ userId: otherId, erasureId: second, ...why }), 'held')
  }),
  storageCase('UR-04', 'MUST refuse a hold from the start of an erasure to its end', async (one, use) => {
    await one.userRetention.startErasure({ userId, erasureId: first, ...why })
    equal(await use.other.userRetention.hold({ userId, ...why }), 'erasure_in_progress')
    deepEqual(await one.userRetention.find(userId), { ...open, erasureStartedAt: startOfTests })
    await one.users.eraseUser({ appId, userId })
    equal(await use.other.userRetention.hold({ userId, ...why }), 'erasure_in_progress')
    await one.userRetention.finishErasure({ userId, erasureId: first })
    equal(await use.other.userRetention.hold({ userId, ...why }), 'held')
  }),
  storageCase('UR-05', 'MUST refuse a hold after the erasure of rows that nobody started', async (one) => {
    await one.users.eraseUser({ appId, userId })
    equal(await one.userRetention.hold({ userId, ...why }), 'erasure_in_progress')
    await one.userRetention.finishErasure({ userId, erasureId: first })
    equal(await one.userRetention.hold({ userId, ...why }), 'held')
  }),
  storageCase('UR-06', 'MUST finish only the erasure that was started last', async (one, use) => {
    await one.userRetention.startErasure({ userId, erasureId: first, ...why })
    await use.advance(5)
    equal(await use.other.userRetention.startErasure({ userId, erasureId: second, ...why }), 'started')
    await one.userRetention.finishErasure({ userId, erasureId: first })
    deepEqual((await one.userRetention.find(userId)).erasureStartedAt, startOfTests)
    await use.other.users.eraseUser({ appId, userId })
    await use.other.userRetention.finishErasure({ userId, erasureId: second })
    deepEqual(await one.userRetention.find(userId), open)
    // No erasure is left to finish: a hold stays.
    await one.userRetention.hold({ userId, ...why })
    await one.userRetention.finishErasure({ userId, erasureId: second })
    equal((await one.userRetention.find(userId)).hold?.reason, why.reason)
  }),
  storageCase('UR-07', 'MUST let exactly one of racing holds and erasures win', async (one, other) => {
    for (let round = 0; round < 5; round++) {
      const raced = { userId: uuid(`raced ${round}`), ...why }
      const outcomes = await race(one, other.other, ({ userRetention }, racer) =>
        racer % 4 < 2
          ? userRetention.hold(raced)
          : userRetention.startErasure({ ...raced, erasureId: uuid(`erasure ${racer}`) }),
      )
      const [holds, erasures] = [0, 2].map((kind) => new Set(outcomes.filter((_, racer) => (racer & 2) === kind)))
      const { hold, erasureStartedAt } = await one.userRetention.find(raced.userId)
      ok((hold === null) !== (erasureStartedAt === null), 'a hold and an erasure exclude each other')
      deepEqual([...(holds ?? [])], [hold === null ? 'erasure_in_progress' : 'held'])
      deepEqual([...(erasures ?? [])], [hold === null ? 'started' : 'held'])
    }
  }),
  storageCase(
    'UR-08',
    'MUST keep bodies and attempts of a held user, and let no hold delay others',
    async (one, use) => {
      await deliver(one)
      const [whole, ofOther] = [await kept(one, 'one'), await kept(one, 'other')]
      await one.userRetention.hold({ userId, ...why })
      await use.advance(91 * day)
      const removed = await use.other.retention.removeOld({ limit: 1 })
      deepEqual([removed.bodiesBlanked, removed.attemptsRemoved], [1, 1])
      const rest = await use.other.retention.removeOld()
      deepEqual([rest.bodiesBlanked, rest.attemptsRemoved], [0, 0])
      deepEqual([await kept(one, 'one'), await kept(one, 'other')], [whole, [0, 0]])
      ok(whole[0] !== 0 && whole[1] === 1 && ofOther[1] === 1)
      await one.userRetention.release({ userId, ...why })
      await use.other.retention.removeOld()
      deepEqual(await kept(one, 'one'), [0, 0])
    },
  ),
  storageCase('UR-13', 'MUST keep the fields of transactions of a held user', async (one, use) => {
    await one.transactions.moveTransaction(transactionMove('one', []))
    await one.transactions.moveTransaction({
      ...transactionMove('other', []),
      userId: otherId,
      event: event('of other', [], { userId: otherId }),
    })
    await one.userRetention.hold({ userId, ...why })
    await use.advance(91 * day)
    equal((await use.other.retention.removeOld()).transactionsBlanked, 1)
    deepEqual([await fieldsOf(one, 'one'), await fieldsOf(one, 'other')], [transactionMove('one', []).fields, null])
    await one.userRetention.release({ userId, ...why })
    equal((await use.other.retention.removeOld()).transactionsBlanked, 1)
  }),
  storageCase('UR-09', 'MUST remove nothing of a user after a hold has resolved', async (one, use) => {
    await one.webhooks.registerEndpoint(hook, 50)
    const names = Array.from({ length: 12 }, (_, index) => `old ${index}`)
    for (const name of names) await one.webhooks.insertEvent(event(name, [hook]))
    await one.webhooks.cancelPending({ appId, userId, reason: 'GRANT_REVOKED' })
    await use.advance(91 * day)
    const bodies = async () => (await Promise.all(names.map((name) => kept(one, name)))).map(([length]) => length)
    const steps = Promise.all(names.map(() => use.other.retention.removeOld({ limit: 1 })))
    // A step that fails before it is awaited must not end the process.
    steps.catch(() => undefined)
    await one.userRetention.hold({ userId, ...why })
    const atHold = await bodies()
    await steps
    deepEqual(await bodies(), atHold)
  }),
  storageCase('UR-10', 'MUST list closed users from the oldest on, apart by holds', async (one, use) => {
    const names = ['a', 'b', 'c', 'd'].map(uuid).sort()
    const [a = '', b = '', c = '', d = ''] = names
    const close = (id: string, closedAt: Date | null) =>
      one.userRetention.close({ userId: id, closedAt, actor: why.actor })
    await close(a, years(5))
    await close(c, years(6))
    await close(b, years(5))
    await close(d, new Date(years(5).getTime() + 1))
    await one.userRetention.hold({ userId: b, ...why })
    const list = (request: { held?: boolean; limit?: number } = {}) =>
      use.other.userRetention.listClosed({ closedUntil: years(5), held: false, limit: 10, ...request })
    deepEqual(await list(), [
      { userId: c, closedAt: years(6) },
      { userId: a, closedAt: years(5) },
    ])
    deepEqual(await list({ limit: 1 }), [{ userId: c, closedAt: years(6) }])
    deepEqual(await list({ held: true }), [{ userId: b, closedAt: years(5) }])
    await one.userRetention.release({ userId: b, ...why })
    deepEqual(
      (await list()).map((closed) => closed.userId),
      [c, a, b],
    )
    for (const limit of [0, 1.5, 10_001]) await refused(list({ limit }), { code: 'ARGUMENT_INVALID' })
  }),
  storageCase('UR-11', 'MUST forget a closure when the account opens again or is erased', async (one) => {
    const list = () => one.userRetention.listClosed({ closedUntil: startOfTests, held: false, limit: 10 })
    await one.userRetention.close({ userId, closedAt: years(7), actor: why.actor })
    await one.userRetention.close({ userId: otherId, closedAt: years(7), actor: why.actor })
    await one.userRetention.close({ userId, closedAt: years(6), actor: why.actor })
    deepEqual((await one.userRetention.find(userId)).closedAt, years(6))
    await one.userRetention.close({ userId, closedAt: null, actor: why.actor })
    deepEqual(await one.userRetention.find(userId), open)
    await one.userRetention.startErasure({ userId: otherId, erasureId: first, ...why })
    equal((await list()).length, 1)
    await one.userRetention.finishErasure({ userId: otherId, erasureId: first })
    deepEqual(await list(), [])
  }),
  storageCase('UR-14', 'MUST refuse a closure from the start of an erasure to its end', async (one, use) => {
    const close = (closedAt: Date | null) => use.other.userRetention.close({ userId, closedAt, actor: why.actor })
    equal(await close(years(7)), 'recorded')
    await one.userRetention.startErasure({ userId, erasureId: first, ...why })
    for (const closedAt of [years(6), null]) equal(await close(closedAt), 'erasure_in_progress')
    deepEqual((await one.userRetention.find(userId)).closedAt, years(7))
    await one.userRetention.finishErasure({ userId, erasureId: first })
    equal(await close(years(6)), 'recorded')
    deepEqual((await one.userRetention.find(userId)).closedAt, years(6))
  }),
  storageCase('UR-15', 'MUST erase after a closure only an account that was closed in time', async (one, use) => {
    const close = (closedAt: Date | null) => one.userRetention.close({ userId, closedAt, actor: why.actor })
    const start = (closedUntil: Date, { userRetention } = use.other) =>
      userRetention.startErasure({ userId, erasureId: first, closedUntil, ...why })
    equal(await start(years(5)), 'not_due')
    await close(years(4))
    equal(await start(years(5)), 'not_due')
    await close(null)
    equal(await start(years(5)), 'not_due')
    deepEqual(await one.userRetention.find(userId), open)
    await close(years(5))
    await one.userRetention.hold({ userId, ...why })
    equal(await start(years(5)), 'held')
    await one.userRetention.release({ userId, ...why })
    equal(await start(years(5)), 'started')
    await one.userRetention.finishErasure({ userId, erasureId: first })
    for (let round = 0; round < 5; round++) {
      await close(years(6))
      const outcomes = await race(one, use.other, (handle, racer) =>
        racer % 4 < 2
          ? handle.userRetention.close({ userId, closedAt: null, actor: why.actor })
          : start(years(5), handle),
      )
      const { closedAt } = await one.userRetention.find(userId)
      const expected = closedAt === null ? ['not_due', 'recorded'] : ['erasure_in_progress', 'started']
      deepEqual([...new Set(outcomes)].sort(), expected)
      await one.userRetention.finishErasure({ userId, erasureId: first })
    }
  }),
  reopenCase(
    'UR-12',
    'MUST keep holds, closures and started erasures when it is closed',
    async ({ userRetention }) => {
      await userRetention.close({ userId, closedAt: years(5), actor: why.actor })
      await userRetention.hold({ userId, ...why })
      await userRetention.startErasure({ userId: otherId, erasureId: first, ...why })
    },
    async ({ userRetention }) => {
      const hold = { heldAt: startOfTests, reason: why.reason }
      deepEqual(await userRetention.find(userId), { ...open, hold, closedAt: years(5) })
      equal(await userRetention.hold({ userId: otherId, ...why }), 'erasure_in_progress')
    },
  ),
]
