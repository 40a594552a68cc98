import { describe, expect, test } from 'vitest'
import { reportOfCause } from '../../src/delivery/delivery-state.js'
import { createSettlementQueue } from '../../src/delivery/result-batcher.js'
import type { AttemptReport, Settlement } from '../../src/delivery/webhook-store.js'
import { VirtualTime } from './virtual-time.js'

const report: AttemptReport = { ...reportOfCause('HTTP_STATUS'), cause: null }

function settlement(n: number): Settlement {
  return {
    fence: { deliveryId: `delivery ${n}`, attempt: 1, token: `token ${n}` },
    attempt: { state: 'SUCCEEDED', report },
    next: { state: 'DELIVERED' },
  }
}

/** A queue with so many attempts under way, whose store takes 10 ms for each write. */
function started(inFlight: number, maxBatch = 256) {
  const time = new VirtualTime()
  /** When each write began, and how many it held. */
  const writes: [number, number][] = []
  const queue = createSettlementQueue({
    store: {
      async settle(settlements) {
        writes.push([time.monotonicMs(), settlements.length])
        await time.sleep(10)
        return { stale: [] }
      },
    },
    timers: time,
    maxBatch,
    retryMs: 500,
    inFlight: () => inFlight,
    onWriting: () => {},
    onError: () => {},
  })
  const add = (count: number) => {
    for (let n = 0; n < count; n += 1) void queue.add(settlement(n))
  }
  return { time, writes, queue, add }
}

describe('settlements', () => {
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

  test('wait up to 8 ms for company after a write of 8', async () => {
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

  test('wait no longer for company once half of what is under way has ended', async () => {
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

  test('wait for no company that would not fit into one write', async () => {
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
    const { time, writes, queue, add } = started(100)
    add(8)
    await time.pass(12)
    const fate = queue.add(settlement(8))
    await time.pass(1)
    queue.abandon()
    await time.pass(0)
    expect(writes.at(-1)).toEqual([13, 1])
    await time.pass(10)
    expect(await fate).toBe('applied')
    expect(await queue.add(settlement(9))).toBe('abandoned')
  })
})
