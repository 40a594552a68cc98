import { describe, expect, test } from 'vitest'
import { createMemoryDeduplicationStore } from '@kyc-relay/webhooks'
import { deduplicationStoreCases } from '@kyc-relay/webhooks/testing'

describe('the deduplication store in memory', () => {
  test.each(deduplicationStoreCases)('$id $name', async ({ run }) => {
    let nowMs = 1_000
    const store = createMemoryDeduplicationStore({ now: () => nowMs })
    await run({
      open: () => Promise.resolve({ store, close: () => Promise.resolve() }),
      advance: (ms) => {
        nowMs += ms
        return Promise.resolve()
      },
    })
  })

  test.each([
    ['now', {}],
    ['now', { now: () => new Date() }],
    ['now', { now: () => Number.NaN }],
    ['maxEvents', { now: Date.now, maxEvents: Number.NaN }],
    ['maxEvents', { now: Date.now, maxEvents: 0 }],
  ])('refuses a wrong %s: %j', (name, options) => {
    expect(() => createMemoryDeduplicationStore(options as never)).toThrow(`The option ${name} must be`)
  })

  test('refuses an unknown name', () => {
    const options = { now: Date.now, maxEvent: 3 }
    expect(() => createMemoryDeduplicationStore(options)).toThrow('The option maxEvent does not exist.')
  })

  test.each([
    { olderThanMs: null, limit: 10 },
    { olderThanMs: -1, limit: 10 },
    { olderThan: 1, limit: 10 },
    { olderThanMs: 1, limit: 1.5 },
    { olderThanMs: 1 },
  ])('forgets nothing for %j', async (request) => {
    const store = createMemoryDeduplicationStore({ now: () => 5 })
    await store.claim({ eventId: 'a', leaseMs: 1_000 })
    await store.complete({ eventId: 'a', fence: 1 })
    await expect(store.forget(request as never)).rejects.toThrow(TypeError)
    expect((await store.claim({ eventId: 'a', leaseMs: 1_000 })).kind).toBe('completed')
  })

  test.each([null, undefined, -1, NaN, '1000'])('takes no lease of %s', async (leaseMs) => {
    const store = createMemoryDeduplicationStore({ now: () => 5 })
    await expect(store.claim({ eventId: 'a', leaseMs: leaseMs as never })).rejects.toThrow(TypeError)
  })

  function fullStore(maxEvents: number) {
    const clock = { nowMs: 0 }
    const store = createMemoryDeduplicationStore({ now: () => clock.nowMs, maxEvents })
    const claim = (eventId: string) => store.claim({ eventId, leaseMs: 1_000 })
    const fenceOf = async (eventId: string) => {
      const answer = await claim(eventId)
      return answer.kind === 'claimed' ? answer.fence : Number.NaN
    }
    return { store, claim, fenceOf, clock }
  }

  test('forgets the oldest completed event when it is full, never one that is being worked on', async () => {
    const { store, claim, fenceOf } = fullStore(3)
    await claim('running')
    for (const eventId of ['a', 'b']) await store.complete({ eventId, fence: await fenceOf(eventId) })
    await claim('c')
    expect((await claim('running')).kind).toBe('in_progress')
    expect((await claim('b')).kind).toBe('completed')
    expect((await claim('a')).kind).toBe('claimed')
  })

  test('forgets claims whose lease has ended when it is full, until it holds maxEvents', async () => {
    const { store, claim, clock } = fullStore(2)
    for (const eventId of ['a', 'b', 'c', 'd']) await claim(eventId)
    clock.nowMs = 1_000
    await claim('e')
    clock.nowMs = 10_000
    // What it still holds: the newest two.
    expect(await store.forget({ olderThanMs: 1, limit: 10 })).toBe(2)
  })

  test('a claim that was forgotten is not taken for a later one of its event', async () => {
    const { store, claim, fenceOf, clock } = fullStore(1)
    const fence = await fenceOf('a')
    clock.nowMs = 1_000
    await claim('b')
    clock.nowMs = 2_000
    const later = await fenceOf('a')
    expect(await store.fail({ eventId: 'a', fence })).toBe('stale')
    expect(await store.complete({ eventId: 'a', fence: later })).toBe('completed')
  })
})
