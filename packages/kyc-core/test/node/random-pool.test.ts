import { expect, test } from 'vitest'
import { createRandomPool } from '../../src/node/index.js'

test('gives as many bytes as asked, across the ends of the pool', () => {
  const randomBytes = createRandomPool()
  for (const size of [1, 12, 32, 4_000, 100, 4_096, 4_097, 10_000]) expect(randomBytes(size)).toHaveLength(size)
})

test('hands out nothing twice and never the zeros it leaves behind', () => {
  const randomBytes = createRandomPool()
  const pieces = Array.from({ length: 5_000 }, () => Buffer.from(randomBytes(16)).toString('hex'))
  expect(new Set(pieces).size).toBe(pieces.length)
  expect(pieces).not.toContain('0'.repeat(32))
})

test('what it gave does not change when more is asked', () => {
  const randomBytes = createRandomPool()
  const first = randomBytes(32)
  const copy = first.slice()
  for (let round = 0; round < 300; round++) randomBytes(32)
  expect(first).toEqual(copy)
  expect(first.buffer.byteLength).toBe(32)
})
