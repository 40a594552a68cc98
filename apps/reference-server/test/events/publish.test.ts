import { randomUUID } from 'node:crypto'
import { eventExample } from '@kyc-relay/webhooks/events'
import { prepareTestEvent } from '@kyc-relay/webhooks/delivery'
import {
  createMemoryTransactionStore,
  createMemoryWebhookData,
  createMemoryWebhookStore,
} from '@kyc-relay/webhooks/testing'
import { expect, it } from 'vitest'
import { createPublisher } from '../../src/events/publish.js'

const [appId, userId, endpointId] = [randomUUID(), randomUUID(), randomUUID()]
const grant = {
  appId,
  userId,
  appName: 'App',
  accountId: randomUUID(),
  externalReferenceId: 'user-1',
  scopes: ['MAKE_PAYOUT_SEND', 'MAKE_PAYOUT_RECEIVE', 'LIST_PAYMENT', 'LIST_PURCHASES'],
}

/** Fields that the publisher fills from the grant, the transaction and the clock. */
const filled = new Set([
  ...['eventType', 'userId', 'accountId', 'externalReferenceId', 'connectedAppId', 'connectedAppName'],
  ...['transactionId', 'status', 'createdAt', 'updatedAt'],
])
const transaction = Object.fromEntries(
  Object.entries(eventExample('TRANSACTION_CREATE')).filter(([field]) => !filled.has(field)),
)

/** A publisher over stores in memory, with what it told. */
async function newSituation() {
  const data = createMemoryWebhookData()
  const [store, transactions] = [createMemoryWebhookStore({ data }), createMemoryTransactionStore({ data })]
  const endpoint = { endpointId, appId, url: 'https://partner.example/', eventTypes: null, standardWebhooks: false }
  await store.registerEndpoint({ ...endpoint, createdAt: new Date() }, 50)
  const told: string[] = []
  const space = { isLow: false }
  const now = () => new Date()
  const publisher = createPublisher({
    store,
    transactions,
    now,
    newId: randomUUID,
    grants: { find: (pairs) => Promise.resolve(pairs.map(() => grant)) },
    requireSpace() {
      if (space.isLow) throw new Error('low')
    },
    count: (type) => void told.push(`count ${type}`),
    wake: () => void told.push('wake'),
  })
  const deposit = { appId, userId, eventType: 'WIDGET_DEPOSIT_COMPLETE', data: { amount: 1 } } as const
  const writes = [
    () => publisher.publish(deposit),
    async () =>
      publisher.insert(await prepareTestEvent({ appId, endpointId }, { endpoints: store, now, newId: randomUUID })),
    () => publisher.move({ kind: 'create', transactionId: randomUUID(), appId, userId, data: transaction }),
  ]
  return { writes, told, space, data }
}

it('counts each written event and wakes the worker after it: an event, a test event, a moved transaction', async () => {
  const { writes, told } = await newSituation()
  for (const write of writes) {
    told.length = 0
    await write()
    expect(told).toEqual([expect.stringMatching(/^count [A-Z_]+$/), 'wake'])
  }
})

it('writes, counts and wakes nothing while disk space is low', async () => {
  const { writes, told, space, data } = await newSituation()
  space.isLow = true
  for (const write of writes) await expect(write()).rejects.toThrow('low')
  expect([told, data.events.size]).toEqual([[], 0])
})
