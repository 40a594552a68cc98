import { describe, expect, expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import { createEventTypes, eventExample, parseEvent, type OwnEventType } from '@kyc-relay/webhooks/events'
import type { InsertedEvent } from '../../src/internal/index.js'
import { type StandardSchema, allEventTypes } from '@kyc-relay/webhooks/internal'
import { createWebhookHandler, signWebhook, verifyWebhook } from '@kyc-relay/webhooks'
import {
  createDeliveryWorker,
  createWebhooks,
  prepareTestEvent,
  WebhookError,
  type SendingStorage,
} from '../../src/delivery/index.js'
import { createMemoryWebhookStore } from '../../src/testing/index.js'
import type { OwnEventData } from '../../src/events/own-event-types.js'
import { accepted, allGranted, appId, grant, newId, oneKey, userId } from '../delivery/delivery-samples.js'

const shipped = {
  name: 'ORDER_SHIPPED',
  schema: z.strictObject({ orderId: z.string(), parcels: z.int(), at: z.iso.datetime().optional() }),
  scopes: ['LIST_PURCHASES'],
  example: { orderId: 'order-1042', parcels: 2 },
} as const
/** A schema that describes the identifiers too, and a name with a dot. */
const refunded = {
  name: 'order.refunded',
  schema: z.object({ eventType: z.literal('order.refunded'), userId: z.string(), amount: z.number() }),
  scopes: ['LIST_PAYMENT', 'LIST_PURCHASES'],
  optIn: false,
  example: { eventType: 'order.refunded', userId: '0d0c8a3e-5f0b-4c43-9f1a-3a2b6f6f0a01', amount: 3 },
} as const
const own = [shipped, refunded] as const
const eventTypes = createEventTypes(own)

const identifiers = { userId, accountId: grant.accountId, externalReferenceId: grant.externalReferenceId, appId }

/** A Standard Schema of another library. */
const schemaOf = (validate: StandardSchema['~standard']['validate']): StandardSchema => ({
  '~standard': { version: 1, vendor: 'example', validate },
})
const anything = schemaOf((value) => ({ value }))

function wrong(types: unknown): readonly string[] | null {
  try {
    createEventTypes(types as readonly OwnEventType[])
    return null
  } catch (error) {
    if (!(error instanceof WebhookError) || error.code !== 'EVENT_TYPES_INVALID') throw error
    return error.violations.map(({ pointer }) => pointer)
  }
}

describe('a wrong description is refused', () => {
  test.each<[string, object, string]>([
    ['an empty scope list', { scopes: [] }, '/0/scopes'],
    ['no scope list', { scopes: undefined }, '/0/scopes'],
    ['an empty scope', { scopes: ['A', ''] }, '/0/scopes'],
    ['one scope as text', { scopes: 'A' }, '/0/scopes'],
    ...[...allEventTypes, 'UNKNOWN'].map(
      (name) => [`the name ${name}`, { name }, '/0/name'] as [string, object, string],
    ),
    ['an empty name', { name: '' }, '/0/name'],
    ['a name that begins with a digit', { name: '1ORDER' }, '/0/name'],
    ['a name with a space', { name: 'ORDER SHIPPED' }, '/0/name'],
    ['a name of 101 characters', { name: 'A'.repeat(101) }, '/0/name'],
    ['the name __proto__', { name: '__proto__' }, '/0/name'],
    ['a schema that is none', { schema: {} }, '/0/schema'],
    ['no schema', { schema: undefined }, '/0/schema'],
    ['an example that the schema refuses', { example: { orderId: 7 } }, '/0/example'],
    ['no example', { example: undefined }, '/0/example'],
    ['an example that JSON cannot write', { schema: anything, example: { orderId: 7n } }, '/0/example'],
    ['a misspelt member', { optin: false }, '/0/optin'],
    ['an opt-in that is a text', { optIn: 'false' }, '/0/optIn'],
    ['a schema that validates later', { schema: schemaOf(async (value) => ({ value })) }, '/0/example'],
    [
      'a schema that throws',
      {
        schema: schemaOf(() => {
          throw new Error('no')
        }),
      },
      '/0/example',
    ],
    ['a schema that returns no object', { schema: schemaOf(() => ({ value: 7 })) }, '/0/example'],
  ])('%s', (_name, change, pointer) => {
    expect(wrong([{ ...shipped, ...change }])).toEqual([pointer])
  })

  test('a name that is given twice, and no list at all', () => {
    expect(wrong([shipped, { ...shipped }])).toEqual(['/1/name'])
    expect(wrong({ 0: shipped })).toEqual([''])
    expect(wrong([null])).toEqual(['/0/name', '/0/scopes', '/0/schema'])
  })

  test('in createWebhooks too', () => {
    const storage = { webhooks: createMemoryWebhookStore(), insertEvent: () => undefined }
    const options = { storage, grants: allGranted, signingKeys: oneKey, eventTypes: [{ ...shipped, scopes: [] }] }
    expect(() => createWebhooks(options as never)).toThrow(WebhookError)
  })
})

test('names that objects have by themselves are names like others', () => {
  const types = createEventTypes([
    { ...shipped, name: 'constructor' },
    { ...shipped, name: 'toString', schema: anything },
  ])
  expect(types.find('constructor')?.scopes).toEqual(['LIST_PURCHASES'])
  expect(createEventTypes([]).find('constructor')).toBeUndefined()
})

describe('parseEvent', () => {
  test('validates the fields of its own, and keeps the identifiers', () => {
    const payload = { eventType: 'ORDER_SHIPPED', ...identifiers, orderId: 'o1', parcels: 1 }
    const parsed = parseEvent('ORDER_SHIPPED', payload, eventTypes)
    expect(parsed).toEqual({ ok: true, event: payload })
    if (parsed.ok) {
      expectTypeOf(parsed.event.orderId).toEqualTypeOf<string>()
      expectTypeOf(parsed.event.parcels).toEqualTypeOf<number>()
      expectTypeOf(parsed.event.eventType).toEqualTypeOf<'ORDER_SHIPPED'>()
      expectTypeOf(parsed.event.userId).toEqualTypeOf<string>()
    }
  })

  test('keeps the type of a union and of a loose object', () => {
    const card = z.object({ kind: z.literal('card'), last4: z.string() })
    const bank = z.object({ kind: z.literal('bank'), routing: z.string(), note: z.string().optional() })
    const described = { scopes: ['LIST_PURCHASES'], example: { kind: 'card', last4: '4242' } } as const
    const types = createEventTypes([
      { ...described, name: 'PAID', schema: z.discriminatedUnion('kind', [card, bank]) },
      { ...described, name: 'NOTED', schema: z.looseObject({ kind: z.string() }) },
    ])
    type Data = OwnEventData<typeof types.own, 'PAID'>
    expectTypeOf<{ kind: 'card'; last4: string }>().toExtend<Data>()
    expectTypeOf<{ kind: 'bank'; routing: string }>().toExtend<Data>()
    expectTypeOf<{ kind: 'card' }>().not.toExtend<Data>()
    const noted = parseEvent('NOTED', { ...identifiers, kind: 'x', more: 1 }, types)
    if (noted.ok) expectTypeOf(noted.event.kind).toEqualTypeOf<string>()
    expect(noted.ok).toBe(true)
  })

  test.each<[string, unknown, string]>([
    ['a missing field', { orderId: 'o1' }, '/parcels REQUIRED'],
    ['a wrong type', { orderId: 'o1', parcels: 'one' }, '/parcels TYPE'],
    ['a wrong format', { orderId: 'o1', parcels: 1, at: 'today' }, '/at FORMAT'],
    ['an unknown field', { orderId: 'o1', parcels: 1, ssn: '078-05-1120' }, ' UNKNOWN_FIELD'],
    ['no object', 'o1', ' TYPE'],
    ['an array', [], ' TYPE'],
  ])('refuses %s without its value', (_name, fields, violation) => {
    const payload = typeof fields === 'object' && !Array.isArray(fields) ? { ...identifiers, ...fields } : fields
    const parsed = parseEvent('ORDER_SHIPPED', payload, eventTypes)
    expect(parsed.ok ? [] : parsed.violations.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([violation])
    expect(JSON.stringify(parsed)).not.toContain('078')
  })

  test.each<[string, z.ZodType, unknown]>([
    ['a text that is too long', z.string().max(3), 'four'],
    ['an empty text', z.string().min(1), ''],
    ['a list that is too long', z.array(z.string()).max(1), ['a', 'b']],
    ['a number that is too large', z.number().max(3), 4],
    ['a number between the steps', z.number().multipleOf(5), 4],
  ])('says of %s that it is out of range', (_name, field, value) => {
    const types = createEventTypes([{ ...shipped, schema: z.object({ field: field.optional() }), example: {} }])
    const parsed = parseEvent('ORDER_SHIPPED', { ...identifiers, field: value }, types)
    expect(parsed).toMatchObject({ ok: false, violations: [{ pointer: '/field', code: 'RANGE' }] })
  })

  test.each<[string, z.ZodType]>([
    ['throws', z.object({ field: z.string().transform((text) => JSON.parse(text) as unknown) })],
    ['returns a text', z.object({ field: z.string() }).transform(({ field }) => (field === '{}' ? {} : field))],
    ['returns a list', z.object({ field: z.string() }).transform(({ field }) => (field === '{}' ? {} : [field]))],
    ['returns a Map', z.object({ field: z.string() }).transform(({ field }) => (field === '{}' ? {} : new Map()))],
    ['returns null', z.object({ field: z.string() }).transform(({ field }) => (field === '{}' ? {} : null))],
    [
      'validates later',
      z.object({ field: z.string() }).transform(({ field }) => (field === '{}' ? {} : Promise.resolve({}))),
    ],
  ])('refuses what a schema %s for, without its value', async (_name, schema) => {
    const types = createEventTypes([{ ...shipped, schema: schema, example: { field: '{}' } }])
    const parsed = parseEvent('ORDER_SHIPPED', { ...identifiers, field: 'SSN 078-05-1120' }, types)
    expect(parsed).toMatchObject({ ok: false, violations: [{ pointer: '', code: 'FORMAT' }] })
    // An error that nobody handles would end the process, and this test.
    await new Promise((resolve) => setImmediate(resolve))
  })

  test('drops the messages of another library, and reads its paths', () => {
    const issues = [{ message: 'secret 078-05-1120', path: ['lines', { key: 0 }, 'sku/1'] }]
    const strict = schemaOf((value) => ('bad' in (value as object) ? { issues } : { value }))
    const types = createEventTypes([{ ...shipped, schema: strict }])
    const parsed = parseEvent('ORDER_SHIPPED', { bad: true, lines: [{ 'sku/1': 3 }] }, types)
    expect(parsed).toMatchObject({ ok: false, violations: [{ pointer: '/lines/0/sku~11', code: 'TYPE' }] })
    expect(JSON.stringify(parsed)).not.toContain('secret')
  })

  test('has the service’s own types too, and refuses an unknown one', () => {
    const payload = eventExample('TRANSACTION_CREATE')
    expect(parseEvent('TRANSACTION_CREATE', payload, eventTypes)).toEqual(parseEvent('TRANSACTION_CREATE', payload))
    expect(() => parseEvent('ORDER_SHIPPED' as 'TRANSACTION_CREATE', {})).toThrow(
      expect.objectContaining({ code: 'EVENT_TYPE_UNKNOWN' }),
    )
  })

  test('examples have the identifiers', () => {
    expect(eventExample('ORDER_SHIPPED', eventTypes)).toMatchObject({
      eventType: 'ORDER_SHIPPED',
      orderId: 'order-1042',
    })
  })
})

function shop(overrides: object = {}) {
  const store = createMemoryWebhookStore()
  const sent: { url: string; headers: Readonly<Record<string, string>>; body: string }[] = []
  const storage: SendingStorage<'tx', Promise<InsertedEvent>> = {
    webhooks: store,
    insertEvent: (_, prepared) => store.insertEvent(prepared),
  }
  const webhooks = createWebhooks({
    storage,
    grants: allGranted,
    signingKeys: oneKey,
    eventTypes: own,
    onProblem: () => undefined,
    send: async ({ url, headers, body }) => {
      sent.push({ url, headers, body: new TextDecoder().decode(body) })
      return accepted
    },
    ...overrides,
  })
  return { store, sent, webhooks }
}
const url = 'https://partner.example.com/hooks'

describe('own types through the façade', () => {
  test('are validated, sent, verified and typed', async () => {
    const { store, sent, webhooks } = shop()
    await webhooks.registerEndpoint({ appId, url, eventTypes: ['ORDER_SHIPPED'] })
    const data = { orderId: 'o1', parcels: 2 }
    expect(await webhooks.publish({ appId, userId, eventType: 'ORDER_SHIPPED', data })).toMatchObject({
      status: 'QUEUED',
    })
    await createDeliveryWorker({
      store,
      grants: allGranted,
      signingKeys: oneKey,
      eventTypes,
      now: () => new Date(),
      random: Math.random,
      send: async ({ headers, body }) => {
        sent.push({ url, headers, body: new TextDecoder().decode(body) })
        return accepted
      },
    }).runOnce()
    const [{ headers, body } = { headers: {}, body: '' }] = sent
    expect(body).toBe(
      JSON.stringify({ orderId: 'o1', parcels: 2, eventType: 'ORDER_SHIPPED', ...identifiers }).replace(
        /^\{("orderId":"o1","parcels":2),(.*)\}$/,
        '{$2,$1}',
      ),
    )
    const verified = await verifyWebhook({ body, headers, secrets: 'fz_live_example', eventTypes: own })
    expect(verified).toMatchObject({ type: 'ORDER_SHIPPED', event: { ...identifiers, orderId: 'o1', parcels: 2 } })
    if (verified.type === 'ORDER_SHIPPED') expectTypeOf(verified.event.parcels).toEqualTypeOf<number>()
    expect(await verifyWebhook({ body, headers, secrets: 'fz_live_example' })).toMatchObject({ type: 'UNKNOWN' })
  })

  test('fields of the wrong type do not compile, and are refused', async () => {
    const { webhooks } = shop()
    // @ts-expect-error parcels is a number
    const publishing = webhooks.publish({
      appId,
      userId,
      eventType: 'ORDER_SHIPPED',
      data: { orderId: 'o1', parcels: 'x' },
    })
    await expect(publishing).rejects.toMatchObject({ code: 'EVENT_INVALID', violations: [{ pointer: '/parcels' }] })
    // @ts-expect-error there is no such type
    const unknown = webhooks.publish({ appId, userId, eventType: 'ORDER_LOST', data: {} })
    await expect(unknown).rejects.toMatchObject({ code: 'EVENT_TYPE_UNKNOWN' })
  })

  test('an identifier of somebody else is refused, and a schema that has identifiers sees them', async () => {
    const { webhooks, store } = shop()
    await webhooks.registerEndpoint({ appId, url })
    const refund = { appId, userId, eventType: 'order.refunded', data: { amount: 5 } } as const
    const prepared = await webhooks.prepare(refund)
    expect(JSON.parse(new TextDecoder().decode(prepared.body))).toEqual({
      eventType: 'order.refunded',
      ...identifiers,
      amount: 5,
    })
    expect(prepared.deliveries).toHaveLength(1)
    const forged = { ...refund, data: { amount: 5, appId: userId } }
    await expect(webhooks.publish(forged)).rejects.toMatchObject({ violations: [{ code: 'IDENTIFIER_MISMATCH' }] })
    expect(await store.listDeliveries({ appId, limit: 5 })).toMatchObject({ items: [] })
  })

  test('are opt-in by default: an endpoint that names no types gets only those with optIn false', async () => {
    const { webhooks } = shop()
    const endpoint = await webhooks.registerEndpoint({ appId, url })
    expect(endpoint.eventTypes).toEqual(expect.arrayContaining(['WIDGET_KYC_INITIATION', 'order.refunded']))
    expect(endpoint.eventTypes).not.toContain('ORDER_SHIPPED')
    expect(endpoint.eventTypes).not.toContain('KYC_STATUS_CHANGED')
    const data = { orderId: 'o1', parcels: 2 }
    const published = await webhooks.publish({ appId, userId, eventType: 'ORDER_SHIPPED', data })
    expect(published).toMatchObject({ status: 'WITHHELD', reason: 'NO_ENDPOINT' })
    const onlyOptIn = shop({ eventTypes: [shipped] })
    expect((await onlyOptIn.webhooks.registerEndpoint({ appId, url })).eventTypes).toBeNull()
  })

  test('need every scope of their type', async () => {
    const grants = { find: async () => [{ ...grant, scopes: ['LIST_PAYMENT'] }] }
    const { webhooks } = shop({ grants })
    await webhooks.registerEndpoint({ appId, url })
    const published = await webhooks.publish({ appId, userId, eventType: 'order.refunded', data: { amount: 5 } })
    expect(published).toMatchObject({ status: 'WITHHELD', reason: 'SCOPE_NOT_GRANTED' })
  })

  test('a worker that does not know the type sends nothing and says so', async () => {
    const { store, webhooks } = shop()
    await webhooks.registerEndpoint({ appId, url })
    await webhooks.publish({ appId, userId, eventType: 'order.refunded', data: { amount: 5 } })
    const told: string[] = []
    const worker = createDeliveryWorker({
      store,
      grants: allGranted,
      signingKeys: oneKey,
      now: () => new Date(),
      random: Math.random,
      send: () => Promise.reject(new Error('nothing may be sent')),
      onProblem: (problem) => told.push(problem),
    })
    await worker.runOnce()
    expect(told).toEqual(['EVENT_TYPE_UNKNOWN'])
    const { items } = await store.listDeliveries({ appId, limit: 5 })
    expect(items).toMatchObject([{ state: 'PENDING', attemptsMade: 0 }])
  })

  test('have test events', async () => {
    const { store, webhooks } = shop()
    const { endpointId } = await webhooks.registerEndpoint({ appId, url, eventTypes: ['ORDER_SHIPPED'] })
    const deps = { endpoints: store, eventTypes, now: () => new Date(), newId }
    const prepared = await prepareTestEvent({ appId, endpointId }, deps)
    expect(JSON.parse(new TextDecoder().decode(prepared.body))).toMatchObject({
      eventType: 'ORDER_SHIPPED',
      appId,
      userId: '00000000-0000-0000-0000-000000000000',
      orderId: 'order-1042',
    })
  })
})

test('a receiver names types without a schema', async () => {
  const body = JSON.stringify({ eventType: 'ORDER_SHIPPED', orderId: 'o1' })
  const seen: string[] = []
  const handler = createWebhookHandler({
    secrets: 'key',
    eventTypes: [{ name: 'ORDER_SHIPPED' }],
    onEvent: ({ type }) => void seen.push(type),
  })
  const headers = { 'x-hmac-signature': await signWebhook(body, 'key'), 'x-event-id': 'event-1' }
  expect((await handler(new Request('https://receiver.example/', { method: 'POST', headers, body }))).status).toBe(200)
  expect(seen).toEqual(['ORDER_SHIPPED'])
})
