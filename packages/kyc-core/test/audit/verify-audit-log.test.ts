// Why: a caller without types got a TypeError of the engine, without a code.
import { expect, test } from 'vitest'
import { verifyAuditLog } from '../../src/audit/index.js'

const nothing = () => Promise.resolve([])
const page = () => Promise.resolve({ rows: [], examined: 0, nextCursor: null })
const right = {
  log: {
    name: 'stores',
    chains: 1,
    listHeads: nothing,
    listEntries: nothing,
    listUnaccounted: page,
    findRecorded: () => Promise.resolve(new Map()),
  },
  seal: { check: () => 'INTACT', checkCheckpoint: () => 'INTACT' },
  checkpoints: [],
  onFinding: () => undefined,
}
const verify = (verification: unknown) => verifyAuditLog(verification as never)

test('a log that was never started is verified', async () => {
  expect(await verify(right)).toMatchObject({ entries: 0, findings: 1 })
})

test.each([[undefined], [null], [5], ['text'], [[]], [{}]])('an argument that is %j is refused', async (argument) => {
  await expect(verify(argument)).rejects.toMatchObject({ code: 'ARGUMENT_INVALID' })
})

test.each([
  ['log', [undefined, null, 5, {}]],
  ['seal', [undefined, null, 5, {}]],
  ['checkpoints', [undefined, null, 5, {}, [null], ['text']]],
  ['onFinding', [undefined, null, {}]],
  ['onProgress', [null, {}]],
  ['pageSize', [null, '5', Number.NaN, 0, 1.5, 1_001]],
])('a wrong %s is refused', async (name, values) => {
  for (const value of values)
    await expect(verify({ ...right, [name]: value })).rejects.toMatchObject({ code: 'ARGUMENT_INVALID' })
})
