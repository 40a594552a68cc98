import { describe, expect, test } from 'vitest'
import {
  prepareEvent,
  prepareTestEvent,
  WebhookError,
  type Endpoint,
  type EventInput,
} from '../../src/delivery/index.js'
import type { AppGrant } from '../../src/internal/index.js'
import { scopesSuffice } from '../../src/publishing/grants.js'
import { eventScopes } from '../../src/events/event-scopes.js'
import { eventTypes, type EventType } from '../../src/events/event-types.js'
import { eventExample, parseEvent } from '../../src/events/parse-event.js'
import { xEventIdOf } from '../../src/publishing/x-event-id.js'
import { appId, grant, userId } from '../delivery/delivery-samples.js'

const endpoint = (fields: Partial<Endpoint> = {}): Endpoint => ({
  endpointId: '0e000000-0000-4000-8000-00000000000e',
  appId,
  url: 'https://partner.example.com/',
  lineageId: '0e000000-0000-4000-8000-00000000000e',
  description: null,
  headers: null,
  pausedBy: null,
  eventTypes: null,
  standardWebhooks: false,
  createdAt: new Date('2026-01-01T00:00:00Z'),
  ...fields,
})

const idNumber = (n: number) => `1d000000-0000-4000-8000-${String(n).padStart(12, '0')}`

function createDeps(given: { grant?: AppGrant | null; endpoints?: readonly Endpoint[] } = {}) {
  let last = 0
  return {
    grants: { find: async () => [given.grant === undefined ? grant : given.grant] },
    endpoints: { listEndpoints: async () => given.endpoints ?? [endpoint()] },
    now: () => new Date('2026-03-01T12:00:00.123Z'),
    newId: () => idNumber((last += 1)),
  }
}

/** The example of a type without what the service fills in. */
function bareData(type: EventType): Record<string, unknown> {
  const filled = [
    'eventType',
    'userId',
    'accountId',
    'externalReferenceId',
    'appId',
    'connectedAppId',
    'connectedAppName',
  ]
  return Object.fromEntries(Object.entries(eventExample(type)).filter(([field]) => !filled.includes(field)))
}

const input = (eventType: EventType, data: Record<string, unknown> = bareData(eventType)): EventInput => ({
  appId,
  userId,
  eventType,
  data,
})

const decode = (body: Uint8Array) => JSON.parse(new TextDecoder().decode(body)) as Record<string, unknown>

async function violationsOf(event: EventInput): Promise<unknown> {
  const error: unknown = await prepareEvent(event, createDeps()).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(WebhookError)
  expect((error as WebhookError).code).toBe('EVENT_INVALID')
  return (error as WebhookError).violations.map(({ pointer, code }) => ({ pointer, code }))
}

describe.each(eventTypes)('%s', (type) => {
  test('is filled from the grant, valid by its schema, and has one delivery per endpoint', async () => {
    const [first, lineageId] = [endpoint(), 'another lineage']
    const endpoints = [first, endpoint({ endpointId: 'other', lineageId, eventTypes: [type] })]
    const prepared = await prepareEvent({ ...input(type), sourceEventId: 'source-1' }, createDeps({ endpoints }))
    expect(prepared).toMatchObject({
      eventId: idNumber(1),
      appId,
      userId,
      type,
      occurredAt: new Date('2026-03-01T12:00:00.123Z'),
      test: false,
      sourceEventId: 'source-1',
      withheld: null,
      deliveries: [
        {
          deliveryId: idNumber(2),
          endpointId: first.endpointId,
          xEventId: await xEventIdOf(idNumber(1), first.lineageId),
        },
        { deliveryId: idNumber(3), endpointId: 'other', xEventId: await xEventIdOf(idNumber(1), lineageId) },
      ],
    })
    const payload = decode(prepared.body)
    expect(parseEvent(type, payload).ok).toBe(true)
    expect(payload).toMatchObject({ userId, accountId: grant.accountId })
    expect('eventType' in payload).toBe(type !== 'TRANSACTION_DECLINE')
    if (type.startsWith('WIDGET')) expect(payload).toMatchObject({ appId, externalReferenceId: 'customer-1042' })
    if (type === 'TRANSACTION_CREATE' || type === 'TRANSACTION_UPDATE') {
      expect(payload).toMatchObject({ connectedAppId: appId, connectedAppName: 'Example Wallet' })
    }
    if (type === 'TRANSACTION_DECLINE') expect(payload).toMatchObject({ status: 'DECLINED' })
  })

  test('needs every one of its scopes', async () => {
    for (const missing of eventScopes[type]) {
      const scopes = grant.scopes.filter((scope) => scope !== missing)
      const prepared = await prepareEvent(input(type), createDeps({ grant: { ...grant, scopes } }))
      expect(prepared).toMatchObject({ withheld: 'SCOPE_NOT_GRANTED', deliveries: [] })
      expect(prepared.body).toHaveLength(0)
    }
  })

  test('refuses a field that its table does not name', async () => {
    expect(await violationsOf(input(type, { ...bareData(type), surprise: 1 }))).toEqual([
      { pointer: '', code: 'UNKNOWN_FIELD' },
    ])
  })

  test('as a test event speaks of nobody and is marked', async () => {
    const prepared = await prepareTestEvent({ appId, endpointId: endpoint().endpointId, eventType: type }, createDeps())
    const nil = '00000000-0000-0000-0000-000000000000'
    expect(prepared).toMatchObject({ test: true, userId: nil, type, withheld: null })
    expect(prepared.deliveries).toHaveLength(1)
    expect(decode(prepared.body)).toMatchObject({ userId: nil, accountId: nil })
    expect(parseEvent(type, decode(prepared.body)).ok).toBe(true)
  })
})

describe('identifiers that are given', () => {
  const data = { amount: 1 }

  test('may agree, UUIDs in any letter case, and null is absent', async () => {
    const given = { ...data, userId: userId.toUpperCase(), accountId: grant.accountId, appId: null }
    const prepared = await prepareEvent(input('WIDGET_DEPOSIT_COMPLETE', given), createDeps())
    expect(decode(prepared.body)).toMatchObject({ userId, accountId: grant.accountId, appId })
  })

  test.each([
    ['userId', '09000000-0000-4000-8000-000000000009'],
    ['accountId', '09000000-0000-4000-8000-000000000009'],
    ['appId', '09000000-0000-4000-8000-000000000009'],
    ['externalReferenceId', 'CUSTOMER-1042'],
    ['externalReferenceId', 1042],
    ['eventType', 'WIDGET_WITHDRAW_COMPLETE'],
  ])('%s that disagrees is refused', async (field, value) => {
    expect(await violationsOf(input('WIDGET_DEPOSIT_COMPLETE', { ...data, [field]: value }))).toEqual([
      { pointer: `/${field}`, code: 'IDENTIFIER_MISMATCH' },
    ])
  })

  test('the name of the connected app counts', async () => {
    const given = { ...bareData('TRANSACTION_CREATE'), connectedAppName: 'Another' }
    expect(await violationsOf(input('TRANSACTION_CREATE', given))).toEqual([
      { pointer: '/connectedAppName', code: 'IDENTIFIER_MISMATCH' },
    ])
  })

  test('a decline that is not declined is refused', async () => {
    const given = { ...bareData('TRANSACTION_DECLINE'), status: 'SETTLED' }
    expect(await violationsOf(input('TRANSACTION_DECLINE', given))).toEqual([
      { pointer: '/status', code: 'IDENTIFIER_MISMATCH' },
    ])
  })
})

describe('data that is wrong', () => {
  test('is refused with a pointer per problem, and no value is repeated', async () => {
    const event = input('WIDGET_DEPOSIT_COMPLETE', { amount: 'canary-1', userId: 'canary-2', 'a/b~c': 'canary-3' })
    expect(await violationsOf(event)).toEqual([
      { pointer: '/userId', code: 'IDENTIFIER_MISMATCH' },
      { pointer: '/amount', code: 'TYPE' },
      { pointer: '', code: 'UNKNOWN_FIELD' },
    ])
    const error: unknown = await prepareEvent(event, createDeps()).catch((reason: unknown) => reason)
    expect(JSON.stringify(error) + String((error as Error).stack)).not.toContain('canary')
  })

  test.each([
    ['null', null],
    ['a list', []],
    ['a text', 'x'],
    ['nothing', undefined],
  ])('is refused when it is %s', async (_name, data) => {
    expect(await violationsOf({ ...input('WIDGET_KYC_INITIATION'), data: data as never })).toEqual([
      { pointer: '', code: 'TYPE' },
    ])
  })

  test.each([
    [
      'a getter that throws',
      Object.defineProperty({}, 'amount', {
        enumerable: true,
        get: () => {
          throw new Error('canary')
        },
      }),
    ],
    [
      'a proxy that throws',
      new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error('canary')
          },
        },
      ),
    ],
    [
      'a value that refers to itself',
      (() => {
        const loop: Record<string, unknown> = {}
        loop['amount'] = loop
        return loop
      })(),
    ],
    ['a bigint', { amount: 1n }],
    ['not a number', { amount: NaN }],
    ['infinity', { amount: Infinity }],
    ['a date', { amount: new Date(0) }],
  ])('is refused and harms nothing: %s', async (_name, data) => {
    const error: unknown = await prepareEvent(input('WIDGET_DEPOSIT_COMPLETE', data as never), createDeps()).catch(
      (reason: unknown) => reason,
    )
    expect(error).toMatchObject({ code: 'EVENT_INVALID' })
    expect(String(error)).not.toContain('canary')
  })

  test('is refused even for a user without a grant', async () => {
    await expect(
      prepareEvent(input('WIDGET_DEPOSIT_COMPLETE', { amount: 'x' }), createDeps({ grant: null })),
    ).rejects.toMatchObject({ code: 'EVENT_INVALID', violations: [{ pointer: '/amount' }] })
  })

  test('an unknown type has a code of its own', async () => {
    for (const eventType of ['', 'widget_kyc_initiation', 'UNKNOWN', '__proto__', 'constructor']) {
      await expect(prepareEvent({ ...input('WIDGET_KYC_INITIATION'), eventType }, createDeps())).rejects.toMatchObject({
        code: 'EVENT_TYPE_UNKNOWN',
      })
    }
  })
})

describe('what is withheld', () => {
  test('no grant: no body, no deliveries', async () => {
    const prepared = await prepareEvent(input('WIDGET_KYC_INITIATION', {}), createDeps({ grant: null }))
    expect(prepared).toMatchObject({ withheld: 'NO_GRANT', deliveries: [] })
    expect(prepared.body).toHaveLength(0)
  })

  test('no endpoint that subscribed', async () => {
    for (const endpoints of [[], [endpoint({ eventTypes: ['TRANSACTION_CREATE'] })], [endpoint({ eventTypes: [] })]]) {
      const prepared = await prepareEvent(input('WIDGET_KYC_INITIATION', {}), createDeps({ endpoints }))
      expect(prepared).toMatchObject({ withheld: 'NO_ENDPOINT', deliveries: [] })
    }
  })

  test('the rule that one scope is enough is an option', async () => {
    const some = { ...grant, scopes: ['LIST_PURCHASES'] }
    const deps = { ...createDeps({ grant: some }), scopeRule: 'any' as const }
    expect((await prepareEvent(input('TRANSACTION_UPDATE'), deps)).withheld).toBeNull()
    const none = { ...createDeps({ grant: { ...grant, scopes: ['VERIFY_KYC'] } }), scopeRule: 'any' as const }
    expect((await prepareEvent(input('TRANSACTION_UPDATE'), none)).withheld).toBe('SCOPE_NOT_GRANTED')
  })

  test('an unknown rule is the strict one', async () => {
    const some = { ...grant, scopes: ['LIST_PURCHASES'] }
    const deps = { ...createDeps({ grant: some }), scopeRule: 'ALL' as never }
    expect((await prepareEvent(input('TRANSACTION_UPDATE'), deps)).withheld).toBe('SCOPE_NOT_GRANTED')
  })

  test.each(['verify_kyc', 'VERIFY_KYC ', 'XVERIFY_KYC', 'VERIFY_KYC2', 'VERIFY_KYC MAKE_PAYOUT_SEND'])(
    'scope %j is not VERIFY_KYC',
    (scope) => {
      expect(scopesSuffice(['VERIFY_KYC'], [scope])).toBe(false)
    },
  )
})

test('a grant look-up that answers short is an error, not a missing grant', async () => {
  const deps = { ...createDeps(), grants: { find: async () => [] } }
  await expect(prepareEvent(input('WIDGET_KYC_INITIATION', {}), deps)).rejects.toMatchObject({
    code: 'GRANTS_MISMATCH',
  })
})

test('the body is the same bytes for the same input, fields in the order of the schema', async () => {
  const shuffled = Object.fromEntries(Object.entries(bareData('TRANSACTION_CREATE')).reverse())
  const one = await prepareEvent(input('TRANSACTION_CREATE'), createDeps())
  const other = await prepareEvent(input('TRANSACTION_CREATE', shuffled), createDeps())
  expect(new TextDecoder().decode(other.body)).toBe(new TextDecoder().decode(one.body))
})

test('a test event for an endpoint that this app does not have is refused', async () => {
  const deps = createDeps()
  await expect(prepareTestEvent({ appId, endpointId: 'unknown' }, deps)).rejects.toMatchObject({
    code: 'ENDPOINT_NOT_FOUND',
  })
  await expect(
    prepareTestEvent({ appId, endpointId: endpoint().endpointId, eventType: 'X' }, deps),
  ).rejects.toMatchObject({ code: 'EVENT_TYPE_UNKNOWN' })
})

test('a test event without a type takes the first that the endpoint subscribed to', async () => {
  const subscribed = endpoint({ eventTypes: ['TRANSACTION_UPDATE', 'TRANSACTION_CREATE'] })
  const prepared = await prepareTestEvent(
    { appId, endpointId: subscribed.endpointId },
    createDeps({ endpoints: [subscribed] }),
  )
  expect(prepared.type).toBe('TRANSACTION_UPDATE')
})
