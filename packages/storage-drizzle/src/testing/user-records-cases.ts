import { deepEqual, equal } from 'node:assert/strict'
import type { TransactionStore, WebhookStore } from '@kyc-relay/webhooks/delivery'
import type { AppDirectory } from '../apps/app-directory.js'
import type { UserErasure } from '../erasure/user-erasure.js'
import type { UserEvent, UserRecords, UserTransaction } from '../user-records/user-records.js'
import { endpoint, event, startOfTests, transactionMove, uuid } from './sample-records.js'
import { refused, storageCase, type StorageCase } from './storage-case.js'

/** Handle for the cases of `UserRecords`: the port, and the stores of its rows. */
export interface UserRecordsHandle {
  readonly userRecords: UserRecords
  readonly users: UserErasure
  readonly apps: AppDirectory
  readonly webhooks: WebhookStore
  readonly transactions: TransactionStore
}

const hook = endpoint('a')
const owner = { appId: uuid('app'), userId: uuid('user') }
const otherId = uuid('other user')

/** Reads all pages of this size. */
async function all<Row, Place>(
  read: (page: { limit: number; after?: Place }) => Promise<{ items: readonly Row[]; next: Place | null }>,
  limit: number,
): Promise<readonly Row[]> {
  const first = await read({ limit })
  const items = [...first.items]
  for (let next = first.next; next !== null;) {
    const page = await read({ limit, after: next })
    equal(page.items.length > 0, true, 'a page after another has rows')
    equal(items.length < 100, true, 'the pages end')
    items.push(...page.items)
    next = page.next
  }
  return items
}

const eventIds = async ({ userRecords }: UserRecordsHandle, of = owner, limit = 2) =>
  (await all<UserEvent, number>((page) => userRecords.listEvents({ ...of, ...page }), limit)).map(
    ({ eventId }) => eventId,
  )

/**
 * Lists the rules of the `UserRecords` port as cases for any test runner. Each case needs a fresh harness.
 *
 * @example
 * ```ts
 * import { userRecordsCases } from '@kyc-relay/storage-drizzle/testing'
 *
 * type Harness = Parameters<(typeof userRecordsCases)[number]['run']>[0]
 * export async function check(newHarness: () => Harness): Promise<void> {
 *   for (const { run } of userRecordsCases) await run(newHarness())
 * }
 * ```
 */
export const userRecordsCases: readonly StorageCase<UserRecordsHandle>[] = [
  storageCase('UX-01', 'MUST list each event once, oldest first, on pages of any size', async (one, use) => {
    await one.webhooks.registerEndpoint(hook, 50)
    const names = ['one', 'two', 'three', 'four', 'five']
    for (const name of names) await one.webhooks.insertEvent(event(name, [hook]))
    const ids = names.map((name) => uuid(`event ${name}`))
    for (const limit of [1, 2, 5, 200]) deepEqual(await eventIds(use.other, owner, limit), ids)
    deepEqual(await use.other.userRecords.listEvents({ ...owner, limit: 5 }), {
      ...(await use.other.userRecords.listEvents({ ...owner, limit: 200 })),
      next: null,
    })
    for (const limit of [0, 201, 1.5])
      await refused(one.userRecords.listEvents({ ...owner, limit }), { code: 'ARGUMENT_INVALID' })
  }),
  storageCase('UX-02', 'MUST tell withheld events and those without a delivery, with their bodies', async (one) => {
    await one.webhooks.insertEvent(event('withheld', [], { withheld: 'NO_GRANT' }))
    const { items } = await one.userRecords.listEvents({ ...owner, limit: 10 })
    deepEqual(items, [
      {
        eventId: uuid('event withheld'),
        type: 'TRANSACTION_CREATE',
        occurredAt: startOfTests,
        createdAt: startOfTests,
        test: false,
        withheld: 'NO_GRANT',
        body: event('withheld', []).body,
      },
    ])
  }),
  storageCase('UX-03', 'MUST list nothing of another user or another app', async (one) => {
    await one.webhooks.insertEvent(event('mine', []))
    await one.webhooks.insertEvent(event('other', [], { userId: otherId }))
    await one.webhooks.insertEvent(event('elsewhere', [], { appId: uuid('other app') }))
    await one.transactions.moveTransaction({
      ...transactionMove('of other', [], { userId: otherId }),
      event: event('moved', [], { userId: otherId }),
    })
    deepEqual(await eventIds(one), [uuid('event mine')])
    deepEqual(await eventIds(one, { ...owner, userId: uuid('nobody') }), [])
    deepEqual((await one.userRecords.listTransactions({ ...owner, limit: 10 })).items, [])
  }),
  storageCase('UX-04', 'MUST list each transaction once, with its fields', async (one, use) => {
    const names = ['one', 'two', 'three']
    for (const name of names) await one.transactions.moveTransaction(transactionMove(name, []))
    for (const limit of [1, 2, 3, 200]) {
      const found = await all<UserTransaction, string>(
        (page) => use.other.userRecords.listTransactions({ ...owner, ...page }),
        limit,
      )
      const expected = names
        .map((name) => transactionMove(name, []))
        .map(({ transactionId, fields }) => {
          return { transactionId, state: 'PENDING', revision: 1, movedAt: startOfTests, fields }
        })
      deepEqual(
        found,
        expected.sort((a, b) => (a.transactionId < b.transactionId ? -1 : 1)),
      )
    }
  }),
  storageCase('UX-05', 'MUST tell that an erasure has blanked bodies and fields', async (one) => {
    await one.transactions.moveTransaction(transactionMove('one', []))
    await one.users.eraseUser(owner)
    const { items } = await one.userRecords.listEvents({ ...owner, limit: 10 })
    deepEqual(
      items.map(({ body }) => body),
      [null],
    )
    const transactions = await one.userRecords.listTransactions({ ...owner, limit: 10 })
    deepEqual(
      transactions.items.map(({ fields }) => fields),
      [null],
    )
  }),
  storageCase('UX-06', 'MUST read access tokens and revoked grants of the user in all apps', async (one) => {
    const [first, second] = [uuid('first app'), uuid('second app')].sort() as [string, string]
    for (const appId of [first, second]) {
      const times = { createdAt: startOfTests, signsFrom: startOfTests, retiredAt: null }
      const hash = new Uint8Array(32).fill(appId === first ? 1 : 2)
      await one.apps.createApp({ appId, name: 'a', firstKey: { appId, version: 1, hash, sealed: hash, ...times } })
      for (const userId of [owner.userId, otherId]) {
        await one.apps.putGrant({ appId, userId, accountId: uuid('account'), externalReferenceId: 'r', scopes: ['A'] })
        const token = new Uint8Array(32).fill((appId === first ? 3 : 4) + (userId === otherId ? 2 : 0))
        await one.apps.addAccessToken({ hash: token, appId, userId, scopes: ['A'], expiresAt: startOfTests })
      }
    }
    await one.apps.revokeGrant({ appId: second, userId: owner.userId })
    deepEqual(await one.userRecords.readAccess(owner.userId), {
      revokedGrants: [{ appId: second, revokedAt: startOfTests }],
      accessTokens: [{ appId: first, scopes: ['A'], expiresAt: startOfTests }],
    })
    deepEqual(await one.userRecords.readAccess(uuid('nobody')), { revokedGrants: [], accessTokens: [] })
  }),
]
