import { expect, test } from 'vitest'
import { createMemoryDeduplicationStore, type Claim, type DeduplicationStore } from '../../src/index.js'
import { deduplicationStoreCases } from '../../src/testing/index.js'

/** What a wrong store remembers beside the right one. */
interface Memory {
  now(): number
  readonly fences: Map<string, number>
  readonly endsAtMs: Map<string, number>
  readonly completedAtMs: Map<string, number>
  readonly released: Set<string>
}
type Spoil = (store: DeduplicationStore, memory: Memory) => Partial<DeduplicationStore>

const tick = () => new Promise((resolve) => setImmediate(resolve))
const month = 30 * 86_400_000

/** Looks whether an event is free, then takes it: whoever looked at the same time takes it too. */
const racing =
  (looksFree: (memory: Memory, eventId: string) => boolean): Spoil =>
  (store, memory) => ({
    async claim(request) {
      const isFree = looksFree(memory, request.eventId)
      await tick()
      const answer = await store.claim(request)
      return isFree && answer.kind === 'in_progress' ? { kind: 'claimed', fence: 1 } : answer
    },
  })

/** Hands out a lower fence where `when` holds before the claim. */
const lowerFence =
  (when: (memory: Memory, eventId: string) => boolean): Spoil =>
  (store, memory) => {
    const real = ({ eventId, fence }: Claim) => ({ eventId, fence: Math.abs(fence) })
    return {
      async claim(request) {
        const isLower = when(memory, request.eventId)
        const answer = await store.claim(request)
        return isLower && answer.kind === 'claimed' ? { ...answer, fence: -answer.fence } : answer
      },
      complete: (claim) => store.complete(real(claim)),
      fail: (claim) => store.fail(real(claim)),
    }
  }
const hasEnded = ({ endsAtMs, now }: Memory, eventId: string) => (endsAtMs.get(eventId) ?? Infinity) < now()

/** One mistake each that other cases do not see, and the case that does. */
const wrong: readonly (readonly [what: string, caughtBy: string, spoil: Spoil])[] = [
  [
    'has fences that are no integers',
    'DS-01',
    (store) => ({
      async claim(request) {
        const answer = await store.claim(request)
        return answer.kind === 'claimed' ? { ...answer, fence: answer.fence + 0.5 } : answer
      },
      complete: ({ eventId, fence }) => store.complete({ eventId, fence: fence - 0.5 }),
      fail: ({ eventId, fence }) => store.fail({ eventId, fence: fence - 0.5 }),
    }),
  ],
  [
    'tells the whole lease instead of its rest',
    'DS-02',
    (store) => ({
      async claim(request) {
        const answer = await store.claim(request)
        return answer.kind === 'in_progress' ? { ...answer, leaseEndsInMs: request.leaseMs } : answer
      },
    }),
  ],
  ['looks for the event, then inserts it', 'DS-03', racing(({ fences }, eventId) => !fences.has(eventId))],
  ['begins fences anew after a lease', 'DS-04', lowerFence(hasEnded)],
  ['looks whether the lease has ended, then takes it', 'DS-05', racing(hasEnded)],
  [
    'keeps completed events for a month',
    'DS-06',
    (store, { completedAtMs, now }) => ({
      claim: (request) =>
        now() - (completedAtMs.get(request.eventId) ?? now()) > month
          ? Promise.resolve({ kind: 'claimed', fence: 2 })
          : store.claim(request),
    }),
  ],
  [
    'completes only during the lease',
    'DS-07',
    (store, memory) => ({
      complete: (claim) => (hasEnded(memory, claim.eventId) ? Promise.resolve('stale') : store.complete(claim)),
    }),
  ],
  [
    'releases the claim of another caller',
    'DS-08',
    (store, { fences }) => ({
      async fail(claim) {
        const answer = await store.fail(claim)
        const fence = fences.get(claim.eventId)
        if (answer === 'stale' && fence !== undefined) await store.fail({ eventId: claim.eventId, fence })
        return answer
      },
    }),
  ],
  ['begins fences anew after a release', 'DS-09', lowerFence(({ released }, eventId) => released.has(eventId))],
  [
    'answers stale to completing twice',
    'DS-10',
    (store, { completedAtMs }) => ({
      complete: (claim) => (completedAtMs.has(claim.eventId) ? Promise.resolve('stale') : store.complete(claim)),
    }),
  ],
  [
    'says that a released event was completed',
    'DS-11',
    (store, { released }) => ({
      complete: (claim) => (released.has(claim.eventId) ? Promise.resolve('completed') : store.complete(claim)),
    }),
  ],
  [
    'says that an unknown event was completed',
    'DS-12',
    (store, { fences }) => ({
      complete: (claim) => (fences.has(claim.eventId) ? store.complete(claim) : Promise.resolve('completed')),
    }),
  ],
  [
    'compares ids without their case',
    'DS-13',
    (store) => ({
      claim: (request) => store.claim({ ...request, eventId: request.eventId.toLowerCase() }),
      complete: (claim) => store.complete({ ...claim, eventId: claim.eventId.toLowerCase() }),
      fail: (claim) => store.fail({ ...claim, eventId: claim.eventId.toLowerCase() }),
    }),
  ],
  ['forgets all at once', 'DS-14', (store) => ({ forget: (request) => store.forget({ ...request, limit: 1_000 }) })],
]

/** The store in memory, with notes of what it has answered. */
function noting(now: () => number) {
  const store = createMemoryDeduplicationStore({ now })
  const memory: Memory = { now, fences: new Map(), endsAtMs: new Map(), completedAtMs: new Map(), released: new Set() }
  const noted: DeduplicationStore = {
    ...store,
    async claim(request) {
      const answer = await store.claim(request)
      if (answer.kind !== 'claimed') return answer
      memory.fences.set(request.eventId, answer.fence)
      memory.endsAtMs.set(request.eventId, now() + request.leaseMs)
      memory.released.delete(request.eventId)
      return answer
    },
    async complete(claim) {
      const answer = await store.complete(claim)
      if (answer === 'completed') memory.completedAtMs.set(claim.eventId, now())
      return answer
    },
    async fail(claim) {
      const answer = await store.fail(claim)
      if (answer === 'released') memory.released.add(claim.eventId)
      return answer
    },
  }
  return { noted, memory }
}

async function failingCases(spoil: Spoil): Promise<string[]> {
  const failing: string[] = []
  for (const { id, run } of deduplicationStoreCases) {
    let nowMs = 1_000
    const { noted, memory } = noting(() => nowMs)
    const store = { ...noted, ...spoil(noted, memory) }
    const harness = {
      open: async () => ({ store, close: async () => {} }),
      advance: async (ms: number) => void (nowMs += ms),
    }
    await run(harness).catch(() => failing.push(id))
  }
  return failing
}

test('the cases pass a store that is right', async () => {
  expect(await failingCases(() => ({}))).toEqual([])
})

test.each(wrong)('a store that %s is caught by %s alone', async (_what, caughtBy, spoil) => {
  expect(await failingCases(spoil)).toEqual([caughtBy])
})

test('each case has a wrong store that it alone catches', () => {
  expect(wrong.map(([, caughtBy]) => caughtBy)).toEqual(deduplicationStoreCases.map(({ id }) => id))
})

test('a fence that is a text is told in words', async () => {
  const right = createMemoryDeduplicationStore({ now: () => 0 })
  const store = { ...right, claim: async () => ({ kind: 'claimed', fence: '1' }) as never }
  const harness = { open: async () => ({ store, close: async () => {} }), advance: async () => {} }
  await expect(deduplicationStoreCases[0]?.run(harness)).rejects.toThrow('expected a fence that is a whole number')
})
