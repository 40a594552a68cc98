import { describe, expect, test } from 'vitest'
import { reportOfCause } from '../../src/delivery/delivery-state.js'
import { createResultBatcher } from '../../src/delivery/result-batcher.js'
import type { AttemptReport, AttemptResult } from '../../src/delivery/webhook-store.js'
import { VirtualTime } from './virtual-time.js'

const report: AttemptReport = { ...reportOfCause('HTTP_STATUS'), cause: null }

const attempt = { startedAtMs: 0 }

function result(n: number): AttemptResult {
  return {
    fence: { appId: 'app', deliveryId: `delivery ${n}`, attempt: 1, token: `token ${n}` },
    attempt: { state: 'SUCCEEDED', report },
    next: { state: 'DELIVERED' },
  }
}

/** A batcher with so many attempts in flight, whose store takes 10 ms for each write. */
function started(inFlight: number, maxBatch = 256) {
  const time = new VirtualTime()
  /** When each write began, and how many it held. */
  const writes: [number, number][] = []
  const batcher = createResultBatcher({
    store: {
      async recordAttemptResults(results) {
        writes.push([time.monotonicMs(), results.length])
        await time.sleep(10)
        return { stale: [], healthChanges: [] }
      },
    },
    timers: time,
    maxBatch,
    retryMs: 500,
    inFlight: () => inFlight,
    onWriting: () => {},
    onHealthChanged: () => {},
    onError: () => {},
  })
  const add = (count: number) => {
    for (let n = 0; n < count; n += 1) void batcher.add(attempt, result(n))
  }
  return { time, writes, batcher, add }
}

describe('results', () => {
  test('are written at once while the store is at leisure', async () => {
    const { time, writes, add } = started(100)
    add(1)
    await time.pass(12)
    add(7)
    await time.pass(12)
    add(1)
    await time.pass(12)
    expect(writes).toEqual([
      [0, 1],
      [12, 7],
      [24, 1],
    ])
  })

  test('are delayed by up to 8 ms after a write of 8', async () => {
    const { time, writes, add } = started(100)
    add(8)
    await time.pass(12)
    add(1)
    await time.pass(7)
    add(1)
    await time.pass(20)
    expect(writes).toEqual([
      [0, 8],
      [20, 2],
    ])
  })

  test('are joined by the answers that were read right after the delay', async () => {
    const { time, writes, add } = started(100)
    add(8)
    await time.pass(12)
    add(1)
    time.schedule(() => add(1), 8)
    await time.pass(20)
    expect(writes).toEqual([
      [0, 8],
      [20, 2],
    ])
  })

  test.each([
    ['while each turn of the event loop brings some', 3, 4],
    ['for at most 8 turns', 20, 9],
  ])('wait for more %s', async (_, turns, written) => {
    const { time, writes, add } = started(100)
    add(8)
    await time.pass(12)
    add(1)
    const addInEachTurn = (left: number) => {
      add(1)
      if (left > 1) time.schedule(() => addInEachTurn(left - 1), 0)
    }
    time.schedule(() => addInEachTurn(turns), 8)
    await time.pass(20)
    expect(writes.slice(0, 2)).toEqual([
      [0, 8],
      [20, written],
    ])
  })

  test('are no longer delayed once half of the attempts in flight have ended', async () => {
    const { time, writes, add } = started(20)
    add(8)
    await time.pass(12)
    add(9)
    await time.pass(2)
    expect(writes).toHaveLength(1)
    add(1)
    await time.pass(1)
    expect(writes).toEqual([
      [0, 8],
      [14, 10],
    ])
  })

  test('are not delayed for results that would not fit into one write', async () => {
    const { time, writes, add } = started(100, 8)
    add(8)
    await time.pass(12)
    add(9)
    await time.pass(0)
    expect(writes).toEqual([
      [0, 8],
      [12, 8],
    ])
  })

  test('wait for nothing once the worker gives up', async () => {
    const { time, writes, batcher, add } = started(100)
    add(8)
    await time.pass(12)
    const outcome = batcher.add(attempt, result(8))
    await time.pass(1)
    batcher.abandon()
    await time.pass(0)
    expect(writes.at(-1)).toEqual([13, 1])
    await time.pass(10)
    expect(await outcome).toBe('applied')
    expect(await batcher.add(attempt, result(9))).toBe('abandoned')
  })
})
