import assert from 'node:assert/strict'
import type { ClaimAnswer, DeduplicationStore } from '../receiver/deduplication-store.js'

/**
 * What a backend provides: its store, and control over the store's clock.
 *
 * Every case gets a fresh harness on empty data.
 */
export interface DeduplicationStoreHarness {
  /** Opens a handle. A second call opens another one on the same data, like another process. */
  open(): Promise<{ readonly store: DeduplicationStore; close(): Promise<void> }>
  /** Advances the store's clock by `ms` milliseconds for every handle. The clock does not move otherwise. */
  advance(ms: number): Promise<void>
}

/** One rule of the `DeduplicationStore` port. `run` rejects when the store breaks it. */
export interface DeduplicationStoreCase {
  /** Stable, `DS-…`. */
  readonly id: string
  /** A sentence with MUST. */
  readonly name: string
  /** Rejects when the store breaks the rule in `name`. */
  run(harness: DeduplicationStoreHarness): Promise<void>
}

interface Use {
  readonly store: DeduplicationStore
  readonly other: DeduplicationStore
  advance(ms: number): Promise<void>
}

const eventId = '0198c0de-0000-7000-8000-000000000001'
const leaseMs = 60_000

function storeCase(id: string, name: string, run: (use: Use) => Promise<void>): DeduplicationStoreCase {
  return {
    id,
    name,
    async run(harness) {
      const [one, two] = [await harness.open(), await harness.open()]
      try {
        await run({ store: one.store, other: two.store, advance: (ms) => harness.advance(ms) })
      } finally {
        await one.close()
        await two.close()
      }
    },
  }
}

function claimed(answer: ClaimAnswer): number {
  if (answer.kind !== 'claimed') assert.fail(`expected a claim, got ${answer.kind}`)
  return answer.fence
}

/**
 * Lists the rules of the `DeduplicationStore` port as cases for any test runner. Each case needs a fresh harness.
 *
 * @example
 * ```ts
 * import { createMemoryDeduplicationStore } from '@kyc-relay/webhooks'
 * import { deduplicationStoreCases } from '@kyc-relay/webhooks/testing'
 *
 * for (const { run } of deduplicationStoreCases) {
 *   let nowMs = 0
 *   const store = createMemoryDeduplicationStore({ now: () => nowMs })
 *   await run({ open: async () => ({ store, close: async () => {} }), advance: async (ms) => void (nowMs += ms) })
 * }
 * ```
 */
export const deduplicationStoreCases: readonly DeduplicationStoreCase[] = [
  storeCase('DS-01', 'MUST give the first claim of an event', async ({ store }) => {
    const fence = claimed(await store.claim({ eventId, leaseMs }))
    assert.ok(Number.isSafeInteger(fence), 'expected a fence that is a whole number')
  }),

  storeCase(
    'DS-02',
    'MUST refuse a second claim during the lease, and say for how long',
    async ({ store, other, advance }) => {
      claimed(await store.claim({ eventId, leaseMs }))
      await advance(20_000)
      const answer = await other.claim({ eventId, leaseMs })
      assert.deepEqual(answer, { kind: 'in_progress', leaseEndsInMs: 40_000 })
    },
  ),

  storeCase('DS-03', 'MUST give exactly one of many concurrent claims', async ({ store, other }) => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => (index % 2 ? store : other).claim({ eventId, leaseMs })),
    )
    assert.equal(answers.filter(({ kind }) => kind === 'claimed').length, 1)
    assert.equal(answers.filter(({ kind }) => kind === 'in_progress').length, 19)
  }),

  storeCase(
    'DS-04',
    'MUST give the event again once the lease has ended, under a higher fence',
    async ({ store, other, advance }) => {
      const first = claimed(await store.claim({ eventId, leaseMs }))
      await advance(leaseMs + 1)
      assert.ok(claimed(await other.claim({ eventId, leaseMs })) > first, 'expected a fence above the one before')
    },
  ),

  storeCase(
    'DS-05',
    'MUST give an ended lease to exactly one of many concurrent claims',
    async ({ store, other, advance }) => {
      claimed(await store.claim({ eventId, leaseMs }))
      await advance(leaseMs + 1)
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => (index % 2 ? store : other).claim({ eventId, leaseMs })),
      )
      assert.equal(answers.filter(({ kind }) => kind === 'claimed').length, 1)
    },
  ),

  storeCase(
    'DS-06',
    'MUST answer a completed event as completed, permanently and on every handle',
    async ({ store, other, advance }) => {
      const fence = claimed(await store.claim({ eventId, leaseMs }))
      assert.equal(await store.complete({ eventId, fence }), 'completed')
      assert.deepEqual(await other.claim({ eventId, leaseMs }), { kind: 'completed' })
      await advance(365 * 86_400_000)
      assert.deepEqual(await store.claim({ eventId, leaseMs }), { kind: 'completed' })
    },
  ),

  storeCase(
    'DS-07',
    'MUST complete after the lease has ended, if no other caller has claimed the event',
    async ({ store, advance }) => {
      const fence = claimed(await store.claim({ eventId, leaseMs }))
      await advance(leaseMs + 1)
      assert.equal(await store.complete({ eventId, fence }), 'completed')
      assert.deepEqual(await store.claim({ eventId, leaseMs }), { kind: 'completed' })
    },
  ),

  storeCase(
    'DS-08',
    'MUST answer stale, and change nothing, when a later claim has taken over',
    async ({ store, other, advance }) => {
      const first = claimed(await store.claim({ eventId, leaseMs }))
      await advance(leaseMs + 1)
      const second = claimed(await other.claim({ eventId, leaseMs }))
      assert.equal(await store.complete({ eventId, fence: first }), 'stale')
      assert.equal(await store.fail({ eventId, fence: first }), 'stale')
      assert.equal((await store.claim({ eventId, leaseMs })).kind, 'in_progress')
      assert.equal(await other.complete({ eventId, fence: second }), 'completed')
    },
  ),

  storeCase(
    'DS-09',
    'MUST give a failed event at once to the next claim, under a higher fence',
    async ({ store, other }) => {
      const first = claimed(await store.claim({ eventId, leaseMs }))
      assert.equal(await store.fail({ eventId, fence: first }), 'released')
      assert.ok(claimed(await other.claim({ eventId, leaseMs })) > first, 'expected a fence above the one before')
    },
  ),

  storeCase('DS-10', 'MUST accept completing twice, and refuse to fail a completed event', async ({ store }) => {
    const fence = claimed(await store.claim({ eventId, leaseMs }))
    assert.equal(await store.complete({ eventId, fence }), 'completed')
    assert.equal(await store.complete({ eventId, fence }), 'completed')
    assert.equal(await store.fail({ eventId, fence }), 'stale')
    assert.deepEqual(await store.claim({ eventId, leaseMs }), { kind: 'completed' })
  }),

  storeCase('DS-11', 'MUST answer stale to completing a released event', async ({ store }) => {
    const fence = claimed(await store.claim({ eventId, leaseMs }))
    assert.equal(await store.fail({ eventId, fence }), 'released')
    assert.equal(await store.complete({ eventId, fence }), 'stale')
    claimed(await store.claim({ eventId, leaseMs }))
  }),

  storeCase('DS-12', 'MUST answer stale for an event that was never claimed', async ({ store }) => {
    assert.equal(await store.complete({ eventId, fence: 1 }), 'stale')
    assert.equal(await store.fail({ eventId, fence: 1 }), 'stale')
    claimed(await store.claim({ eventId, leaseMs }))
  }),

  storeCase('DS-13', 'MUST distinguish events by every character of their ids', async ({ store }) => {
    const ids = [
      eventId,
      eventId.toUpperCase().replace('DE', 'dE'),
      `${eventId}0`,
      'a'.repeat(200),
      `${'a'.repeat(199)}b`,
    ]
    for (const id of ids) {
      const fence = claimed(await store.claim({ eventId: id, leaseMs }))
      await store.complete({ eventId: id, fence })
    }
    for (const id of ids) assert.deepEqual(await store.claim({ eventId: id, leaseMs }), { kind: 'completed' })
  }),

  storeCase('DS-14', 'MUST delete only older events, and at most `limit`', async ({ store, advance }) => {
    for (const id of ['a', 'b', 'c']) {
      await store.complete({ eventId: id, fence: claimed(await store.claim({ eventId: id, leaseMs })) })
    }
    claimed(await store.claim({ eventId: 'abandoned', leaseMs }))
    await store.fail({ eventId: 'failed', fence: claimed(await store.claim({ eventId: 'failed', leaseMs })) })
    await advance(100_000)
    await store.complete({ eventId: 'recent', fence: claimed(await store.claim({ eventId: 'recent', leaseMs })) })
    const running = claimed(await store.claim({ eventId: 'running', leaseMs }))

    assert.equal(await store.forget({ olderThanMs: 200_000, limit: 10 }), 0)
    assert.equal(await store.forget({ olderThanMs: 30_000, limit: 2 }), 2)
    assert.equal(await store.forget({ olderThanMs: 30_000, limit: 10 }), 3)
    assert.deepEqual(await store.claim({ eventId: 'recent', leaseMs }), { kind: 'completed' })
    assert.equal(await store.complete({ eventId: 'running', fence: running }), 'completed')
    claimed(await store.claim({ eventId: 'a', leaseMs }))
  }),
]
