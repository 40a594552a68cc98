import { beforeEach, describe, expect, test } from 'vitest'
import { createInFlightAttempts } from '../../src/delivery/in-flight-attempts.js'
import { reportOfCause } from '../../src/delivery/delivery-state.js'
import type { AttemptCause, AttemptReport } from '../../src/delivery/webhook-store.js'
import { VirtualTime } from './virtual-time.js'

let time: VirtualTime
beforeEach(() => {
  time = new VirtualTime()
})

const answered: AttemptReport = { ...reportOfCause('HTTP_STATUS'), cause: null }

function started(options: { concurrency?: number; maxOpen?: number; slowAfterMs?: number } = {}) {
  const inFlight = createInFlightAttempts({
    timers: time,
    options: {
      concurrency: 10,
      slowAfterMs: 2_000,
      maxOpen: 100,
      maxInFlightPerEndpoint: { healthy: 4, failing: 1 },
      ...options,
    },
    onFinish: () => {},
  })
  /** Attempts that take so long and end so. */
  const begin = (count: number, tookMs: number, cause: AttemptCause | null = null) => {
    for (let n = 0; n < count; n += 1) {
      const one = inFlight.start()
      time.schedule(() => {
        inFlight.recordLatency(one, cause === null ? answered : reportOfCause(cause))
        inFlight.finish(one)
      }, tookMs)
    }
  }
  return { inFlight, begin }
}

describe('a place is held until an attempt takes longer than attempts do', () => {
  test.each([
    ['before anything was answered: the whole of slowAfterMs', 0, 0, 2_000],
    ['answers of 300 ms: 600', 300, 200, 600],
    ['answers of 10 ms: not before 100', 10, 200, 100],
    ['answers of 1.9 s: slowAfterMs at the latest', 1_900, 200, 2_000],
  ])('%s', async (_name, usualMs, answers, slowAfterMs) => {
    const { inFlight, begin } = started()
    for (let n = 0; n < answers; n += 1) {
      begin(1, usualMs)
      await time.pass(usualMs)
    }
    begin(10, 30_000)
    expect(inFlight.freeSlots()).toBe(0)
    expect(inFlight.nextFreeInMs()).toBeCloseTo(slowAfterMs, -1)
    await time.pass(slowAfterMs - 10)
    expect(inFlight.freeSlots()).toBe(0)
    await time.pass(20)
    expect(inFlight.freeSlots()).toBe(10)
  })

  test.each<[string, AttemptCause, number]>([
    ['time-outs say', 'TIMEOUT', 30_000],
    ['what was taken over says', 'INTERRUPTED', 0],
  ])('%s nothing about how long answers take', async (_name, cause, tookMs) => {
    const { inFlight, begin } = started()
    for (let n = 0; n < 200; n += 1) {
      begin(1, 100)
      await time.pass(100)
    }
    begin(50, tookMs, cause)
    await time.pass(30_000)
    begin(10, 30_000)
    expect(inFlight.nextFreeInMs()).toBeCloseTo(200, -1)
  })

  test('it has ended when the last one has, and at once when there is none', async () => {
    const { inFlight, begin } = started()
    await inFlight.drained()
    begin(2, 100)
    begin(1, 200)
    let hasEnded = 0
    for (let n = 0; n < 2; n += 1) void inFlight.drained().then(() => (hasEnded += 1))
    await time.pass(199)
    expect([inFlight.count(), hasEnded]).toEqual([1, 0])
    await time.pass(1)
    expect([inFlight.count(), hasEnded]).toEqual([0, 2])
  })

  test('with every socket open only an end frees a place', async () => {
    const { inFlight, begin } = started({ maxOpen: 10 })
    begin(10, 30_000)
    await time.pass(5_000)
    expect(inFlight.freeSlots()).toBe(0)
    expect(inFlight.nextFreeInMs()).toBeNull()
  })
})

describe('while results are being written', () => {
  test('their slots are free, except those of slow attempts, which gave them up before', async () => {
    const { inFlight } = started({ concurrency: 3 })
    const slow = [inFlight.start(), inFlight.start()]
    await time.pass(1_990)
    const recent = [inFlight.start(), inFlight.start(), inFlight.start()]
    await time.pass(10)
    expect(inFlight.freeSlots()).toBe(0)
    inFlight.setBeingWritten([...slow, ...recent.slice(0, 1)])
    expect(inFlight.freeSlots()).toBe(1)
    await time.pass(1_990)
    expect(inFlight.freeSlots()).toBe(3)
  })

  test('the sockets of all are free', async () => {
    const { inFlight } = started({ concurrency: 10, maxOpen: 4 })
    const attempts = [inFlight.start(), inFlight.start()]
    await time.pass(2_000)
    for (let n = 0; n < 2; n += 1) inFlight.start()
    expect(inFlight.freeSlots()).toBe(0)
    inFlight.setBeingWritten(attempts)
    expect(inFlight.freeSlots()).toBe(2)
    inFlight.setBeingWritten([])
    expect(inFlight.freeSlots()).toBe(0)
  })
})

test.each([
  [0, 4],
  [9, 4],
  [10, 3],
  [19, 2],
  [29, 1],
  [38, 1],
  [99, 1],
])('with %i of 100 sockets waiting for slow endpoints an endpoint gets at most %i', async (slow, healthy) => {
  const { inFlight, begin } = started()
  begin(slow, 30_000)
  await time.pass(2_000)
  expect(inFlight.caps()).toEqual({ healthy, failing: 1 })
})
