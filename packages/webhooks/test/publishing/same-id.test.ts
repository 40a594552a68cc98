import { expect, test } from 'vitest'
import { isSameId } from '../../src/publishing/same-id.js'

const id = '0f8fad5b-d9cb-469f-a165-70867728950e'

// Databases and partners print UUIDs in either case. All other ids are opaque: their case counts.
test.each([
  ['the same UUID', id, id, true],
  ['a UUID in another letter case', id, id.toUpperCase(), true],
  ['a UUID in another letter case, the other way round', id.toUpperCase(), id, true],
  ['the same opaque id', 'user-a', 'user-a', true],
  ['another UUID', id, id.replace('0f', '1f'), false],
  ['an opaque id in another letter case', 'user-a', 'USER-A', false],
  ['another opaque id', 'user-a', 'user-b', false],
  ['something before a UUID', `x${id}`, `X${id}`, false],
  ['something after a UUID', `${id}x`, `${id}X`, false],
  ['a letter that is no hexadecimal digit', id.replace('f', 'g'), id.replace('f', 'G'), false],
  ['a UUID without dashes', id.replaceAll('-', ''), id.replaceAll('-', '').toUpperCase(), false],
  ['a group less', id.replace('-469f', ''), id.replace('-469f', '').toUpperCase(), false],
  ['a UUID and another text', id, 'user-a', false],
])('%s', (_what, one, other, expected) => {
  expect(isSameId(one, other)).toBe(expected)
})
