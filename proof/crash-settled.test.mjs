import { expect, test } from 'vitest'
import { untilSettled } from './crash/settled.mjs'

/** A server whose work ends in turns: each answer is the next one of its list, and the last one stays. */
function startServer({ running, pending }) {
  const next = (list) => (list.length > 1 ? list.shift() : list[0])
  const listed = { recoveries: 0, deliveries: 0 }
  const rest = (method, path) => ({ method, path })
  const insist = async () => {
    listed.deliveries += 1
    return { status: 200, json: { items: next(pending) } }
  }
  const ask = async () => {
    listed.recoveries += 1
    return next(running)
  }
  return { listed, wait: (timeoutMs) => untilSettled({ clients: { rest, insist }, ask }, timeoutMs) }
}

test('waits for a recovery that has not made its deliveries yet', async () => {
  const { listed, wait } = startServer({ running: [['one'], []], pending: [[]] })
  expect(await wait(60_000)).toEqual([])
  expect(listed.recoveries).toBe(2)
})

test('waits for the deliveries of a recovery that has ended', async () => {
  const { listed, wait } = startServer({ running: [[]], pending: [['one'], []] })
  expect(await wait(60_000)).toEqual([])
  expect(listed.deliveries).toBe(2)
})

test('leaves a recovery that never ends to the judgement', async () => {
  const { wait } = startServer({ running: [['one']], pending: [[]] })
  expect(await wait(0)).toEqual([])
})
