// Why: a caller without types got a TypeError of the engine, without a code.
import { expect, test } from 'vitest'
import { createEventTypes } from '../../src/events/index.js'
import { moveTransaction, prepareEvent, prepareTestEvent } from '../../src/delivery/index.js'

const deps = {
  grants: { find: () => Promise.resolve([null]) },
  endpoints: { listEndpoints: () => Promise.resolve([]) },
  transactions: { findTransaction: () => undefined, moveTransaction: () => undefined },
  now: () => new Date(0),
  newId: () => '00000000-0000-4000-8000-000000000001',
}
const event = { appId: 'a', userId: 'u', eventType: 'WIDGET_KYC_INITIATION', data: {} }
const move = { kind: 'update', transactionId: 't', data: {} }
const calls = {
  prepareEvent: { call: prepareEvent, right: event, needed: ['grants', 'endpoints', 'now', 'newId'] },
  prepareTestEvent: {
    call: prepareTestEvent,
    right: { appId: 'a', endpointId: 'e' },
    needed: ['endpoints', 'now', 'newId'],
  },
  moveTransaction: {
    call: moveTransaction,
    right: move,
    needed: ['grants', 'endpoints', 'transactions', 'now', 'newId'],
  },
} as const

const refusal = (...names: readonly string[]) => ({
  code: 'OPTIONS_INVALID',
  violations: names.map((name) => expect.objectContaining({ pointer: `/${name}` }) as unknown),
})

for (const [name, { call, right, needed }] of Object.entries(calls)) {
  test.each([[undefined], [null], [5], ['text']])(`${name} refuses a request that is %j`, async (request) => {
    await expect(call(request as never, deps as never)).rejects.toMatchObject(refusal('request'))
  })

  test.each([[undefined], [null], [5], ['text'], [{}]])(`${name} refuses dependencies that are %j`, async (given) => {
    await expect(call(right as never, given as never)).rejects.toMatchObject(refusal(...needed))
  })

  test.each([...needed, 'bodySealer', 'eventTypes'])(`${name} refuses a wrong %s`, async (dep) => {
    for (const wrong of [null, 5, {}])
      await expect(call(right as never, { ...deps, [dep]: wrong } as never)).rejects.toMatchObject(refusal(dep))
  })
}

test.each([
  ['kind', 'settle'],
  ['transactionId', 5],
  ['data', null],
])('moveTransaction refuses a wrong %s', async (name, wrong) => {
  await expect(moveTransaction({ ...move, [name]: wrong } as never, deps as never)).rejects.toMatchObject(refusal(name))
})

test.each([
  ['appId', 5],
  ['appId', ''],
  ['userId', 42],
  ['userId', null],
  ['userId', undefined],
  ['userId', ''],
])('prepareEvent refuses %s that is %j', async (name, wrong) => {
  const given = { ...event, [name]: wrong }
  await expect(prepareEvent(given as never, deps as never)).rejects.toMatchObject(refusal(name))
})

test('prepareEvent refuses data that JSON writes as a text', async () => {
  const anything = {
    '~standard': { version: 1, vendor: 'example', validate: (value: unknown) => ({ value }) },
  } as const
  const eventTypes = createEventTypes([{ name: 'NOTE', schema: anything, scopes: ['LIST_PURCHASES'], example: {} }])
  const given = { ...event, eventType: 'NOTE', data: { toJSON: () => 'canary' } }
  await expect(prepareEvent(given, { ...deps, eventTypes })).rejects.toMatchObject({ code: 'EVENT_INVALID' })
})
