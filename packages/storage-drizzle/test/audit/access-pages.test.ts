import { expect, test } from 'vitest'
import { accessPages } from '../../src/audit/access-pages.js'

const noRows = accessPages([async () => []])

test.each([
  '',
  'x',
  '{',
  'null',
  '5',
  '"0"',
  '{}',
  '[]',
  '[0]',
  '["0",[]]',
  '[0.5,[]]',
  '[0, []]',
  '[0,[null]]',
  '[0,[{}]]',
  '[0,[{"hex":"x"}]]',
])('the cursor %j is refused, not read', async (cursor) => {
  await expect(noRows({ cursor, limit: 1 })).rejects.toMatchObject({ code: 'CURSOR_INVALID' })
})

test('a cursor of the store is read, with the bytes of its key', async () => {
  const keys: unknown[] = []
  const pages = accessPages([
    async (after) => {
      keys.push(after)
      return [{ rows: [], key: [Buffer.from('c0ffee', 'hex'), 7, 'text'] }]
    },
  ])
  const { nextCursor } = await pages({ cursor: null, limit: 1 })
  await pages({ cursor: nextCursor, limit: 1 })
  expect(keys).toEqual([[], [Buffer.from('c0ffee', 'hex'), 7, 'text']])
})
