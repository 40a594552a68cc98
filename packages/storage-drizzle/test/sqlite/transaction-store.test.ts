import { expect, test } from 'vitest'
import { createSqliteStorage } from '../../src/sqlite/index.js'
import { endpoint, event, submission, transactionMove, uuid } from '../samples.js'
import { transactionStoreCases } from '../transaction-store-cases.js'

async function opened() {
  const storage = await createSqliteStorage({ path: ':memory:' })
  await storage.webhooks.registerEndpoint(endpoint('a'), 50)
  return storage
}

test.each(transactionStoreCases)('the transaction store $name', async ({ run }) => run(await opened()))

test('erasing a user blanks what rows outside the vault say, once, and keeps the records', async () => {
  const { users, webhooks, transactions, verifications } = await opened()
  const owner = { appId: uuid('app'), userId: uuid('user') }
  const bystander = { ...event('other', [endpoint('a')]), userId: uuid('other user') }
  await webhooks.insertEvent(event('one', [endpoint('a')]))
  await webhooks.insertEvent(bystander)
  await transactions.moveTransaction(transactionMove('one', [endpoint('a')]))
  await verifications.record(submission('one'))

  expect(await users.listAppsOfUser(owner.userId)).toEqual([owner.appId])
  expect(await users.listAppsOfUser(uuid('nobody'))).toEqual([])
  expect(await users.eraseUser(owner)).toEqual({
    deliveriesCancelled: 2,
    bodiesBlanked: 2,
    transactionsBlanked: 1,
    photoJobIds: [uuid('photo one')],
    verificationsKept: 1,
  })
  const { items } = await webhooks.listDeliveries({ appId: owner.appId, limit: 10 })
  const states = items.map(({ userId, state, cancelReason }) => ({
    mine: userId === owner.userId,
    state,
    cancelReason,
  }))
  expect(states).toEqual([
    { mine: true, state: 'CANCELLED', cancelReason: 'USER_ERASED' },
    { mine: false, state: 'PENDING', cancelReason: null },
    { mine: true, state: 'CANCELLED', cancelReason: 'USER_ERASED' },
  ])
  for (const { deliveryId, userId } of items) {
    const found = await webhooks.findDelivery({ appId: owner.appId, deliveryId })
    expect(found?.body.byteLength === 0).toBe(userId === owner.userId)
  }
  expect(await verifications.listVerifications(owner, { limit: 10 })).toMatchObject({ items: [{ countryCode: 'US' }] })
  expect(await users.eraseUser(owner)).toEqual({
    deliveriesCancelled: 0,
    bodiesBlanked: 0,
    transactionsBlanked: 0,
    photoJobIds: [],
    verificationsKept: 1,
  })
})
