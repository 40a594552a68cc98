import { expect, test } from 'vitest'
import { hmacSha256Hex } from '../../src/signature/hmac.js'
import { isEventId, signedBytes, usableSecrets, type WebhookBody } from '../../src/signature/signed-request.js'

test.each([
  [200, true],
  [201, false],
])('an event id of %i characters is accepted: %j', (length, isAccepted) => {
  expect(isEventId('e'.repeat(length))).toBe(isAccepted)
})

test('where node:crypto is there, a signature needs no promise', () => {
  expect(typeof hmacSha256Hex('body', 'secret')).toBe('string')
})

test('a body of bytes is used as it is, without a new view', () => {
  const bytes = new TextEncoder().encode('body')
  expect(signedBytes(bytes)).toBe(bytes)
})

// Web Crypto reads the elements of a view, and not its bytes.
test.each([
  ['a DataView', (buffer: ArrayBuffer) => new DataView(buffer, 2, 4)],
  ['wider elements', (buffer: ArrayBuffer) => new Uint16Array(buffer, 2, 2)],
])('of %s only its bytes count', (_what, viewOf) => {
  const view = viewOf(Uint8Array.of(9, 9, 1, 2, 3, 4, 9, 9).buffer) as unknown as WebhookBody
  expect(signedBytes(view)).toEqual(Uint8Array.of(1, 2, 3, 4))
})

test('of several secrets the empty ones are left out, and one secret is one of several', () => {
  expect(usableSecrets(['', 'new', undefined, ' ', 'old'])).toEqual(['new', 'old'])
  expect(usableSecrets('only')).toEqual(['only'])
})
