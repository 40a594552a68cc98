import { describe, expect, test } from 'vitest'
import {
  createDeliveryWorker,
  moveTransaction,
  openDelivery,
  prepareEvent,
  prepareTestEvent,
  readFeed,
  type BodySealer,
  type DeliveryWorkerDeps,
  type PrepareEventDeps,
} from '../../src/delivery/index.js'
import { createMemoryBodySealer } from '../../src/testing/memory-body-sealer.js'
import { eventExample } from '../../src/events/parse-event.js'
import type { SendRequest } from '../../src/delivery/sender.js'
import {
  createMemoryTransactionStore,
  createMemoryWebhookData,
  createMemoryWebhookStore,
} from '../../src/testing/index.js'
import { accepted, allGranted, appId, newId, oneKey, registerEndpoint, userId } from '../delivery/delivery-samples.js'

const owner = { appId, userId }
const canary = '98761.23'
const textOf = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes)
const down: BodySealer = {
  seal: () => Promise.reject(new Error(canary)),
  open: () => Promise.reject(new Error(canary)),
}

async function newWorld() {
  const data = createMemoryWebhookData()
  const store = createMemoryWebhookStore({ data })
  const transactions = createMemoryTransactionStore({ data })
  const bodySealer = createMemoryBodySealer()
  await registerEndpoint(store)
  const preparing: PrepareEventDeps = {
    grants: allGranted,
    endpoints: store,
    bodySealer,
    newId,
    now: () => new Date('2026-03-01T12:00:00Z'),
  }
  const publish = async (change: Partial<PrepareEventDeps> = {}, sourceEventId: string | null = null) => {
    const event = { ...owner, eventType: 'WIDGET_DEPOSIT_COMPLETE', data: { amount: Number(canary) } } as const
    const prepared = await prepareEvent({ ...event, sourceEventId }, { ...preparing, ...change })
    return { prepared, inserted: await store.insertEvent(prepared) }
  }
  const deliver = async (change: Partial<DeliveryWorkerDeps> = {}) => {
    const sent: SendRequest[] = []
    const worker = createDeliveryWorker({
      store,
      grants: allGranted,
      signingKeys: oneKey,
      bodySealer,
      random: () => 0.5,
      now: () => new Date(0),
      async send(request) {
        sent.push(request)
        return accepted
      },
      ...change,
    })
    await worker.runOnce()
    return sent
  }
  return { store, data, transactions, bodySealer, preparing, publish, deliver }
}

describe('an event body', () => {
  test('is ciphertext in the store, and the worker sends the bytes that it has without a sealer', async () => {
    const world = await newWorld()
    const { prepared } = await world.publish()
    expect(textOf(prepared.body)).not.toContain(canary)
    const [sent] = await world.deliver()
    const clear = await newWorld()
    const { prepared: unsealed } = await clear.publish({ bodySealer: undefined })
    const [sentClear] = await clear.deliver({ bodySealer: undefined })
    expect(textOf(sent?.body)).toContain(canary)
    expect(sent?.body).toEqual(unsealed.body)
    expect(sent?.headers['x-hmac-signature']).toBe(sentClear?.headers['x-hmac-signature'])
  })

  test('that was stored in clear is sent by a worker with a sealer', async () => {
    const world = await newWorld()
    await world.publish({ bodySealer: undefined })
    expect(textOf((await world.deliver())[0]?.body)).toContain(canary)
  })

  test('of a test event stays clear: it has no user', async () => {
    const { preparing, store } = await newWorld()
    const endpointId = (await store.listEndpoints(appId))[0]?.endpointId ?? ''
    expect(JSON.parse(textOf((await prepareTestEvent({ appId, endpointId }, preparing)).body))).toBeTypeOf('object')
  })

  test('whose key was destroyed ends its delivery, and nothing is sent', async () => {
    const world = await newWorld()
    const { prepared } = await world.publish()
    world.bodySealer.eraseOwner(owner)
    expect(await world.deliver()).toEqual([])
    const deliveryId = prepared.deliveries[0]?.deliveryId ?? ''
    const found = await world.store.findDelivery({ appId, deliveryId })
    expect(found).toMatchObject({ state: 'CANCELLED', cancelReason: 'USER_ERASED', attemptsMade: 0 })
    expect((await openDelivery(found!, world.bodySealer)).body).toEqual(new Uint8Array())
  })

  test.each<[string, Partial<DeliveryWorkerDeps>]>([
    ['cannot be reached', { bodySealer: down }],
    ['is missing', { bodySealer: undefined }],
    ['answers too little', { bodySealer: { ...down, open: () => Promise.resolve([]) } }],
    ['answers with a text', { bodySealer: { ...down, open: () => Promise.resolve(['{}' as never]) } }],
    ['answers with undefined', { bodySealer: { ...down, open: () => Promise.resolve([undefined as never]) } }],
  ])('stays unsent, without an attempt used up, while the sealer %s', async (_, change) => {
    const world = await newWorld()
    const { prepared } = await world.publish()
    expect(await world.deliver(change)).toEqual([])
    const found = await world.store.findDelivery({ appId, deliveryId: prepared.deliveries[0]?.deliveryId ?? '' })
    expect(found).toMatchObject({ state: 'PENDING', attemptsMade: 0 })
    expect(found?.attempts).toMatchObject([{ state: 'UNSENT', report: { cause: 'BODY_UNAVAILABLE' } }])
    await expect(openDelivery(found!, change.bodySealer)).rejects.toMatchObject({ code: 'BODIES_UNAVAILABLE' })
  })

  test('that is damaged holds up no other one of its claim', async () => {
    const world = await newWorld()
    await world.publish()
    await world.publish()
    const [first] = world.data.deliveries.values()
    const body = first?.event.body ?? new Uint8Array()
    body[body.length - 1] = (body.at(-1) ?? 0) ^ 1
    expect(await world.deliver()).toHaveLength(1)
  })

  const throwsAtOnce = (): never => {
    throw new Error(canary)
  }
  test.each([
    ['cannot be reached', down],
    ['throws at once', { seal: throwsAtOnce, open: throwsAtOnce }],
    ['answers with a text', { ...down, seal: () => Promise.resolve([canary as never]) }],
    ['answers with null', { ...down, seal: () => Promise.resolve([null as never]) }],
  ])('is not published while the sealer %s, with no text of its error', async (_why, bodySealer) => {
    const world = await newWorld()
    const error: unknown = await world.publish({ bodySealer }).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'BODIES_UNAVAILABLE', retryable: true })
    expect(String((error as Error).stack)).not.toContain(canary)
    expect(world.data.events.size).toBe(0)
  })

  test('is opened for the feed, which leaves out those of erased users', async () => {
    const world = await newWorld()
    const { prepared } = await world.publish()
    const listed = {
      eventId: prepared.eventId,
      userId,
      type: prepared.type,
      body: prepared.body,
      test: false,
      createdAt: new Date(0),
      deliveries: [],
      cursor: 'one',
    }
    const feed = {
      findCursor: async () => 'start',
      listAfter: async () => [listed],
      measureLag: async () => 0,
    }
    const read = (bodySealer: BodySealer) =>
      readFeed(
        { feed, webhooks: world.store, grants: allGranted, bodySealer },
        { appId, after: null, eventTypes: null, keptSince: new Date(0), limit: 10 },
      )
    const page = await read(world.bodySealer)
    expect(page.outcome === 'page' && page.items.map(({ body }) => textOf(body).includes(canary))).toEqual([true])
    await expect(read(down)).rejects.toMatchObject({ code: 'BODIES_UNAVAILABLE' })
    world.bodySealer.eraseOwner(owner)
    expect(await read(world.bodySealer)).toMatchObject({ items: [], nextCursor: 'one' })
  })
})

describe('the fields of a transaction', () => {
  const filled = ['eventType', 'status', 'transactionId', 'accountId', 'userId', 'connectedAppId', 'connectedAppName']
  const given = Object.entries(eventExample('TRANSACTION_CREATE')).filter(([name]) => !filled.includes(name))
  const payload = { ...Object.fromEntries(given), amount: 42.5, description: canary }
  const transactionId = '7a000000-0000-4000-8000-000000000001'
  const creation = { kind: 'create', ...owner, transactionId, data: payload, sourceEventId: 'one' } as const

  test('are ciphertext in the store, and later moves know them', async () => {
    const world = await newWorld()
    const deps = { ...world.preparing, transactions: world.transactions }
    await moveTransaction(creation, deps)
    expect(JSON.stringify([...world.data.transactions.values()])).not.toContain(canary)
    await world.deliver()
    await moveTransaction({ kind: 'update', transactionId, status: 'SETTLED', data: {} }, deps)
    const [sent] = await world.deliver()
    expect(JSON.parse(textOf(sent?.body))).toMatchObject({
      ...payload,
      status: 'SETTLED',
      updatedAt: expect.any(String) as string,
    })
  })

  test('are compared when a request is repeated', async () => {
    const world = await newWorld()
    const deps = { ...world.preparing, transactions: world.transactions }
    await moveTransaction(creation, deps)
    expect((await moveTransaction(creation, deps)).event.duplicate).toBe(true)
    const other = { ...creation, data: { ...payload, amount: 1 } }
    await expect(moveTransaction(other, deps)).rejects.toMatchObject({ code: 'SOURCE_EVENT_ID_CONFLICT' })
    await expect(moveTransaction(creation, { ...deps, bodySealer: down })).rejects.toMatchObject({
      code: 'BODIES_UNAVAILABLE',
    })
  })

  test('are gone for a user whose key was destroyed', async () => {
    const world = await newWorld()
    const deps = { ...world.preparing, transactions: world.transactions }
    await moveTransaction(creation, deps)
    world.bodySealer.eraseOwner(owner)
    const settling = moveTransaction({ kind: 'update', transactionId, status: 'SETTLED', data: {} }, deps)
    await expect(settling).rejects.toMatchObject({ code: 'EVENT_INVALID' })
  })
})
