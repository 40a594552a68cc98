import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { endpoint, event, startOfTests, uuid } from '../samples.js'
import { storeEngines, type Stores } from './store-engines.js'

const { engines } = storeEngines(() => startOfTests)

describe.each(engines)('event types of an embedding system on $engine', ({ start, open, stop }) => {
  let stores: Stores
  beforeAll(start)
  afterAll(stop)
  beforeEach(async () => {
    stores = await open()
    return () => stores.close()
  })

  const named = { ...endpoint('shop'), eventTypes: ['ORDER_SHIPPED', 'WIDGET_DEPOSIT_COMPLETE'] }
  const replace = (eventTypes: readonly string[] | null) =>
    stores.webhooks.replaceEndpoint({
      ...named,
      replacement: { ...named, endpointId: uuid('replacement'), eventTypes },
    })
  const listed = async () => {
    const { items } = await stores.webhooks.listDeliveries({ appId: named.appId, limit: 10 })
    return items.map(({ eventType, state, cancelReason }) => [eventType, state, cancelReason].join(' ')).sort()
  }

  test('are stored, claimed and listed by name', async () => {
    await stores.webhooks.registerEndpoint(named, 5)
    await stores.webhooks.insertEvent({ ...event('o1', [named]), type: 'ORDER_SHIPPED' })
    const request = { limit: 5, leaseMs: 45_000, maxInFlight: { healthy: 4, failing: 1 }, keepForHealthy: 0 }
    const { claimed } = await stores.webhooks.claimDue(request)
    expect(claimed.map(({ eventType }) => eventType)).toEqual(['ORDER_SHIPPED'])
    const { items } = await stores.webhooks.listDeliveries({ appId: named.appId, limit: 5, eventType: 'ORDER_SHIPPED' })
    expect(items).toHaveLength(1)
    expect((await stores.webhooks.listEndpoints(named.appId))[0]?.eventTypes).toEqual(named.eventTypes)
  })

  test('are never inherited by an endpoint that names no types', async () => {
    await stores.webhooks.registerEndpoint(named, 5)
    await stores.webhooks.insertEvent({ ...event('o1', [named]), type: 'ORDER_SHIPPED' })
    await stores.webhooks.insertEvent({ ...event('d1', [named]), type: 'WIDGET_DEPOSIT_COMPLETE' })
    expect(await replace(null)).toBe('replaced')
    expect(await listed()).toEqual(['ORDER_SHIPPED CANCELLED TYPE_NOT_SUBSCRIBED', 'WIDGET_DEPOSIT_COMPLETE PENDING '])
  })

  test('are inherited by an endpoint that names them', async () => {
    await stores.webhooks.registerEndpoint(named, 5)
    await stores.webhooks.insertEvent({ ...event('o1', [named]), type: 'ORDER_SHIPPED' })
    expect(await replace(['ORDER_SHIPPED'])).toBe('replaced')
    expect(await listed()).toEqual(['ORDER_SHIPPED PENDING '])
  })
})
