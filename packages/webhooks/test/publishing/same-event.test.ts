import { expect, test } from 'vitest'
import { isSameEvent, type PreparedEvent } from '../../src/delivery/index.js'
import { isSameClearEvent } from '../../src/publishing/same-event.js'
import { bytesToStore } from '../../src/sealing/stored-bodies.js'
import { createMemoryBodySealer } from '../../src/testing/memory-body-sealer.js'

const bytes = (value: unknown) => new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))
const payload = { userId: 'u', accountId: 'a', externalReferenceId: 'r', appId: 'x', amount: 100.5, note: 'é' }
const original = { userId: 'u', type: 'WIDGET_DEPOSIT_COMPLETE', body: bytes(payload) } as const
const inserted = { eventId: 'first', original }
const event = (changes: object) => ({ ...original, ...changes }) as unknown as PreparedEvent

test.each([
  ['the same bytes', {}],
  ['another account id in the grant', { body: bytes({ ...payload, accountId: 'b', externalReferenceId: 's' }) }],
  ['a body that is not kept now', { body: bytes('') }],
  ['another order of its fields', { body: bytes(Object.fromEntries(Object.entries(payload).reverse())) }],
])('is the same: %s', async (_, changes) => {
  expect(await isSameEvent(event(changes), inserted)).toBe(true)
  expect(isSameClearEvent(event(changes), original)).toBe(true)
})

test.each([
  ['another user', { userId: 'v' }],
  ['another type', { type: 'WIDGET_WITHDRAW_COMPLETE' }],
  ['another amount', { body: bytes({ ...payload, amount: 100.51 }) }],
  ['a field more', { body: bytes({ ...payload, fee: 1 }) }],
  ['a field less', { body: bytes({ ...payload, note: undefined }) }],
  ['another character', { body: bytes({ ...payload, note: 'è' }) }],
  ['bytes that are not JSON', { body: bytes('{') }],
])('is another event: %s', async (_, changes) => {
  expect(await isSameEvent(event(changes), inserted)).toBe(false)
  expect(isSameClearEvent(event(changes), original)).toBe(false)
})

test('the order of fields inside a list or object is no content, that of a list is', () => {
  const first = { ...original, body: bytes({ lines: [{ sku: 'a', count: 1 }, { sku: 'b' }] }) }
  const told = (lines: object) => event({ body: bytes({ lines }) })
  expect(isSameClearEvent(told([{ count: 1, sku: 'a' }, { sku: 'b' }]), first)).toBe(true)
  expect(isSameClearEvent(told([{ sku: 'b' }, { sku: 'a', count: 1 }]), first)).toBe(false)
  expect(
    isSameClearEvent(
      told([
        [
          ['count', 1],
          ['sku', 'a'],
        ],
        { sku: 'b' },
      ]),
      first,
    ),
  ).toBe(false)
})

test('bodies that are not JSON are the same when their bytes are', async () => {
  const first = { ...original, body: bytes('{') }
  for (const [body, expected] of [
    ['{', true],
    ['{{', false],
  ] as const) {
    expect(await isSameEvent(event({ body: bytes(body) }), { eventId: 'first', original: first })).toBe(expected)
    expect(isSameClearEvent(event({ body: bytes(body) }), first)).toBe(expected)
  }
})

test.each([
  ['told again', [1, 2], [3]],
  ['told first', [3], [1, 2]],
])('without opening, nothing is compared with a sealed body that was %s', (_when, told, first) => {
  const sealed = { ...original, body: new Uint8Array(first) }
  expect(isSameClearEvent(event({ body: new Uint8Array(told) }), sealed)).toBe(true)
  expect(isSameClearEvent(event({ body: new Uint8Array(told), userId: 'v' }), sealed)).toBe(false)
})

test.each([null, bytes('')])('nothing is compared with a blanked body', async (body) => {
  const blanked = { ...inserted, original: { ...original, body } }
  expect(await isSameEvent(event({ body: bytes({ amount: 1 }) }), blanked)).toBe(true)
  expect(isSameClearEvent(event({ body: bytes({ amount: 1 }) }), blanked.original)).toBe(true)
})

test('an event that was written is no repetition of another one', async () => {
  expect(await isSameEvent(event({}), { eventId: 'first', original: null })).toBe(true)
})

test('sealed bodies are opened, each at its own place', async () => {
  const bodySealer = createMemoryBodySealer()
  const sealed = async (eventId: string, payload: object) => {
    const place = { appId: 'x', userId: 'u', part: 'event', recordId: eventId } as const
    return bytesToStore(place, bytes(payload), bodySealer)
  }
  const first = { eventId: 'first', original: { ...original, body: await sealed('first', payload) } }
  const again = event({ appId: 'x', eventId: 'again', body: await sealed('again', payload) })
  const another = event({ appId: 'x', eventId: 'again', body: await sealed('again', { ...payload, amount: 2 }) })
  expect(await isSameEvent(again, first, bodySealer)).toBe(true)
  expect(await isSameEvent(another, first, bodySealer)).toBe(false)
  await expect(isSameEvent(another, first)).rejects.toMatchObject({ code: 'BODIES_UNAVAILABLE', retryable: true })
  bodySealer.eraseOwner({ appId: 'x', userId: 'u' })
  expect(await isSameEvent(another, first, bodySealer)).toBe(true)
})
