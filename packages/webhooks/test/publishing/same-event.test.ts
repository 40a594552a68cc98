import { expect, test } from 'vitest'
import { isSameEvent, type PreparedEvent } from '../../src/delivery/index.js'

const bytes = (value: unknown) => new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))
const payload = { userId: 'u', accountId: 'a', externalReferenceId: 'r', appId: 'x', amount: 100.5, note: 'é' }
const original = { userId: 'u', type: 'WIDGET_DEPOSIT_COMPLETE', body: bytes(payload) } as const
const event = (changes: object) => ({ ...original, ...changes }) as unknown as PreparedEvent

test.each([
  ['the same bytes', {}],
  ['another account id in the grant', { body: bytes({ ...payload, accountId: 'b', externalReferenceId: 's' }) }],
  ['a body that is not kept now', { body: bytes('') }],
])('is the same: %s', (_, changes) => {
  expect(isSameEvent(event(changes), original)).toBe(true)
})

test.each([
  ['another user', { userId: 'v' }],
  ['another type', { type: 'WIDGET_WITHDRAW_COMPLETE' }],
  ['another amount', { body: bytes({ ...payload, amount: 100.51 }) }],
  ['a field more', { body: bytes({ ...payload, fee: 1 }) }],
  ['a field less', { body: bytes({ ...payload, note: undefined }) }],
  ['another character', { body: bytes({ ...payload, note: 'è' }) }],
  ['bytes that are not JSON', { body: bytes('{') }],
])('is another event: %s', (_, changes) => {
  expect(isSameEvent(event(changes), original)).toBe(false)
})

test.each([null, bytes('')])('nothing is compared with a blanked body', (body) => {
  expect(isSameEvent(event({ body: bytes({ amount: 1 }) }), { ...original, body })).toBe(true)
})
