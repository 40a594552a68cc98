import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { format } from 'prettier'
import { describe, expect, expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import { eventCatalogue, eventExample, parseEvent } from '@kyc-relay/webhooks/events'
import { allEventTypes, eventScopes } from '@kyc-relay/webhooks/internal'
import { eventTypes, type EventPayloads } from '@kyc-relay/webhooks'
import specified from './fixtures/specified-fields.json' with { type: 'json' }
import { eventsExamples, eventsJsonSchema } from './json-schema.js'

/*
 * The JSON files under schema/ are made here. After a change write them with
 * `npm run schema -w @kyc-relay/webhooks`.
 */

type Field = Record<string, unknown>

const fieldsOf: Readonly<
  Record<(typeof eventTypes)[number], readonly { name: string; type: string; nonNull: boolean }[]>
> = {
  WIDGET_KYC_INITIATION: specified.widget,
  WIDGET_DEPOSIT_COMPLETE: [...specified.widget, { name: 'amount', type: 'Number', nonNull: true }],
  WIDGET_WITHDRAW_COMPLETE: [...specified.widget, { name: 'amount', type: 'Number', nonNull: true }],
  TRANSACTION_CREATE: [{ name: 'eventType', type: 'String', nonNull: true }, ...specified.transaction],
  TRANSACTION_UPDATE: [{ name: 'eventType', type: 'String', nonNull: true }, ...specified.transaction],
  TRANSACTION_DECLINE: specified.decline,
}

const uuid = '0d0c8a3e-5f0b-4c43-9f1a-3a2b6f6f0a01'

/** A good value and bad ones for every type that the contract uses. */
function samples(type: string, name: string, isWidget: boolean): { good: unknown; bad: readonly unknown[] } {
  if (name === 'createdAt' || name === 'updatedAt' || name === 'transactionDateTime') {
    return { good: '2026-03-02T15:04:05.000Z', bad: [5, 'yesterday', '2026-02-30T00:00:00Z', '2026-03-02', {}] }
  }
  if (type === 'UUID' || type === 'String (UUID)')
    return { good: uuid, bad: ['not-a-uuid', `${uuid}0`, `${uuid}\n`, 5, {}] }
  if (type === '[UUID]') return { good: [uuid], bad: [uuid, ['x'], [5], {}] }
  if (name === 'cardLastFour')
    return { good: '0042', bad: ['42', '00042', '42424', '４２４２', 'x042', '4242 ', '', 4242] }
  if (name === 'bin') return { good: '012345', bad: ['12345', '1234567', '12345x', '１２３４５６', 123456] }
  if (name === 'currency' || name === 'originalCurrencyCode') {
    return { good: 'XCG', bad: ['usd', 'US', 'USDT', 'EURO', 'XYZ', '$', '840', 'USD ', '', 840] }
  }
  if (name === 'merchantCategoryCode') return { good: 742, bad: [0.5, 5814.5, '5814', 2 ** 53, NaN, true] }
  if (name === 'amount' && isWidget) {
    return {
      good: 100.05,
      bad: [0, -1, -0.01, 0.001, 1.005, 0.1 + 0.2, 1e-7, 2 ** 46 + 0.25, 2 ** 53, 1e21, '1', Number.NaN],
    }
  }
  if (type === 'Number')
    return { good: -12.34, bad: ['12.34', Number.NaN, Infinity, 2 ** 53, -(2 ** 53), 1e21, true, {}] }
  if (type === 'Boolean') return { good: true, bad: ['true', 1, {}] }
  if (type === 'AllTransactionsStatus') return { good: 'SETTLED', bad: ['DECLINED', 'settled', 'SETTLED ', 5, ''] }
  return { good: 'text', bad: [5, true, {}, []] }
}

function without(payload: object, name: string): Field {
  return Object.fromEntries(Object.entries(payload).filter(([key]) => key !== name))
}

describe.each(eventTypes)('%s', (type) => {
  const example = eventExample(type) as unknown as Field
  const fields = fieldsOf[type]

  test('has exactly the fields of the contract', () => {
    const { properties = {}, required = [] } = z.toJSONSchema(eventCatalogue[type].schema) as {
      properties?: Field
      required?: string[]
    }
    expect(Object.keys(properties).toSorted()).toEqual(fields.map(({ name }) => name).toSorted())
    expect(required.toSorted()).toEqual(
      fields
        .filter(({ nonNull }) => nonNull)
        .map(({ name }) => name)
        .toSorted(),
    )
  })

  test('has an example that is valid and a fresh copy', () => {
    expect(parseEvent(type, example)).toEqual({ ok: true, event: example })
    expect(eventExample(type)).not.toBe(eventExample(type))
  })

  test.each(fields)('$name: $type', ({ name, type: fieldType, nonNull }) => {
    if (name === 'eventType') {
      for (const bad of ['OTHER', 5, null, undefined]) {
        expect(parseEvent(type, { ...example, eventType: bad })).toMatchObject({
          ok: false,
          violations: [{ pointer: '/eventType' }],
        })
      }
      return
    }
    const { good, bad } = samples(fieldType, name, type.startsWith('WIDGET'))
    expect(parseEvent(type, { ...example, [name]: good }).ok).toBe(true)
    for (const absent of [{ ...example, [name]: null }, without(example, name)]) {
      const parsed = parseEvent(type, absent)
      if (nonNull) expect(parsed).toMatchObject({ ok: false, violations: [{ pointer: `/${name}`, code: 'REQUIRED' }] })
      else expect(parsed.ok, `${name} may be null or absent`).toBe(true)
    }
    for (const value of bad) {
      const parsed = parseEvent(type, { ...example, [name]: value })
      expect(parsed, `${name}: ${JSON.stringify(value)}`).toMatchObject({ ok: false })
      if (!parsed.ok) expect(parsed.violations.every(({ pointer }) => pointer.startsWith(`/${name}`))).toBe(true)
    }
  })

  test('refuses a field that the contract does not have, by its pointer', () => {
    expect(parseEvent(type, { ...example, 'a/b~c': 1 })).toMatchObject({
      ok: false,
      violations: [{ pointer: '', code: 'UNKNOWN_FIELD' }],
    })
  })

  test.each([null, undefined, 5, 'text', [], true])('refuses %j', (payload) => {
    expect(parseEvent(type, payload).ok).toBe(false)
  })
})

describe('parseEvent', () => {
  test('says what is wrong without a value of the payload in it, at most 50 times', () => {
    const parsed = parseEvent('TRANSACTION_CREATE', {
      canary: 'canary',
      recordId: 'canary',
      status: 'canary',
      amount: 'canary',
    })
    expect(JSON.stringify(parsed)).not.toContain('"canary"')
    const many = { depositIds: Array.from({ length: 200 }, () => 'canary') }
    expect(parseEvent('TRANSACTION_CREATE', many)).toMatchObject({ ok: false, violations: { length: 50 } })
  })

  test('tells the codes apart', () => {
    const bad = {
      ...eventExample('TRANSACTION_CREATE'),
      recordId: 'x',
      status: 'OTHER',
      amount: '5',
      transactionId: null,
      depositIds: ['x'],
      extra: 1,
    }
    const parsed = parseEvent('TRANSACTION_CREATE', bad)
    const codes = parsed.ok ? {} : Object.fromEntries(parsed.violations.map(({ pointer, code }) => [pointer, code]))
    expect(codes).toEqual({
      '/recordId': 'FORMAT',
      '/status': 'ENUM',
      '/amount': 'TYPE',
      '/transactionId': 'REQUIRED',
      '/depositIds/0': 'FORMAT',
      '': 'UNKNOWN_FIELD',
    })
  })

  test.each([
    [1e21, 'FORMAT'],
    [1.005, 'FORMAT'],
    [0, 'RANGE'],
    [-1, 'RANGE'],
    [-0.001, 'RANGE'],
  ])('an amount of %d has one violation: %s', (amount, code) => {
    const parsed = parseEvent('WIDGET_DEPOSIT_COMPLETE', { ...eventExample('WIDGET_DEPOSIT_COMPLETE'), amount })
    expect(parsed).toMatchObject({ ok: false, violations: [{ pointer: '/amount', code }] })
    expect(parsed.ok ? [] : parsed.violations).toHaveLength(1)
  })

  test('takes the nil UUIDs of test events and instants with an offset', () => {
    const nil = '00000000-0000-0000-0000-000000000000'
    const payload = {
      ...eventExample('TRANSACTION_UPDATE'),
      userId: nil,
      accountId: nil,
      createdAt: '2026-03-02T15:04:05+05:30',
    }
    expect(parseEvent('TRANSACTION_UPDATE', payload).ok).toBe(true)
  })

  test('is typed by its event type', () => {
    const parsed = parseEvent('TRANSACTION_DECLINE', eventExample('TRANSACTION_DECLINE'))
    if (parsed.ok) expectTypeOf(parsed.event).toEqualTypeOf<EventPayloads['TRANSACTION_DECLINE']>()
  })
})

test('the scopes are those of the contract', () => {
  expect(eventScopes).toEqual({
    WIDGET_KYC_INITIATION: ['VERIFY_KYC'],
    WIDGET_DEPOSIT_COMPLETE: ['MAKE_PAYOUT_SEND'],
    WIDGET_WITHDRAW_COMPLETE: ['MAKE_PAYOUT_RECEIVE'],
    TRANSACTION_CREATE: ['LIST_PAYMENT', 'LIST_PURCHASES'],
    TRANSACTION_UPDATE: ['LIST_PAYMENT', 'LIST_PURCHASES'],
    TRANSACTION_DECLINE: ['LIST_PAYMENT', 'LIST_PURCHASES'],
    KYC_STATUS_CHANGED: ['VERIFY_KYC'],
  })
  for (const type of allEventTypes) expect(eventCatalogue[type]).toMatchObject({ type, scopes: eventScopes[type] })
})

test('a change of a KYC status is typed, strict, and no standard type', () => {
  expect(eventTypes).not.toContain('KYC_STATUS_CHANGED')
  const example = eventExample('KYC_STATUS_CHANGED')
  expect(parseEvent('KYC_STATUS_CHANGED', example)).toEqual({ ok: true, event: example })
  expect(parseEvent('KYC_STATUS_CHANGED', { ...example, verificationId: null }).ok).toBe(true)
  for (const changed of [
    { next: 'FAILED' },
    { changedAt: 'now' },
    { source: 'PARTNER' },
    { verificationId: 'x' },
    { ssn: '' },
  ]) {
    expect(parseEvent('KYC_STATUS_CHANGED', { ...example, ...changed }).ok).toBe(false)
  }
})

test.each(allEventTypes)('the page of the contract names %s', (type) => {
  const contract = readFileSync(new URL('../../../../docs/contract.md', import.meta.url), 'utf8')
  expect(contract).toContain(`\`${type}\``)
})

describe('the contract as data', () => {
  const text = (value: unknown) => format(JSON.stringify(value), { parser: 'json', printWidth: 120 })
  const path = (name: string) => `../../schema/${name}`
  const read = (name: string): Field => JSON.parse(readFileSync(new URL(path(name), import.meta.url), 'utf8')) as Field

  test('the committed files are what the catalogue makes', async () => {
    await expect(await text(eventsJsonSchema())).toMatchFileSnapshot(path('webhook-events-1.0.json'))
    await expect(await text(eventsExamples())).toMatchFileSnapshot(path('webhook-event-examples.json'))
  })

  test('the schema describes each field', () => {
    const { $defs } = eventsJsonSchema() as { $defs: Record<string, { properties: Record<string, Field> }> }
    const missing = Object.entries($defs).flatMap(([type, { properties }]) =>
      Object.keys(properties).flatMap((name) =>
        name === 'eventType' || properties[name]?.['description'] !== undefined ? [] : [`${type}.${name}`],
      ),
    )
    expect(missing).toEqual([])
  })

  test('the schema takes each example as its own type only, with more fields too, and refuses what is missing', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    ajv.addSchema(read('webhook-events-1.0.json'))
    for (const [type, example] of Object.entries(read('webhook-event-examples.json') as Record<string, Field>)) {
      const valid = (payload: unknown) => ajv.validate('urn:kyc-relay:webhook-events:1.0', payload)
      expect(valid(example), type).toBe(true)
      expect(valid({ ...example, addedLater: [1] }), type).toBe(true)
      expect(valid(without(example, 'appId' in example ? 'appId' : 'transactionId')), type).toBe(false)
    }
  })
})
