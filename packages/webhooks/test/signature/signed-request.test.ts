import { expect, test } from 'vitest'
import { hmacSha256Hex } from '../../src/signature/hmac.js'
import { isEventId } from '../../src/signature/signed-request.js'

test.each([
  [200, true],
  [201, false],
])('an event id of %i characters is accepted: %j', (length, isAccepted) => {
  expect(isEventId('e'.repeat(length))).toBe(isAccepted)
})

test('where node:crypto is there, a signature needs no promise', () => {
  expect(typeof hmacSha256Hex('body', 'secret')).toBe('string')
})
