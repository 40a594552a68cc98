import type { Claim, DeduplicationStore } from './deduplication-store.js'

interface Mark {
  readonly fence: number
  readonly state: 'claimed' | 'released' | 'completed'
  /** End of the lease, or time of release or completion. */
  readonly atMs: number
}

/**
 * Creates a deduplication store in memory, for a receiver with one process. A restart loses its data.
 *
 * Holds at most `maxEvents` events, and more only while more leases run. When it is full, the claim of a new event deletes
 * the oldest ones that are completed or released, or whose lease has ended. A deleted event counts as new. For durable
 * data use the stores for SQLite and PostgreSQL of `@kyc-relay/storage-drizzle`.
 *
 * @param options `now`: the clock, in milliseconds, such as `Date.now`. `maxEvents`: 1 or more, default 100,000.
 * @throws TypeError for another clock or number, and for an unknown name. `claim` and `forget` throw it for a duration that
 *   is negative or not finite, and for a limit that is not a whole number.
 *
 * @example
 * ```ts
 * import { createMemoryDeduplicationStore, createWebhookHandler } from '@kyc-relay/webhooks'
 *
 * const handler = createWebhookHandler({
 *   secrets: 'the API key',
 *   deduplicate: createMemoryDeduplicationStore({ now: Date.now }),
 *   onEvent: ({ eventId }) => console.log('once', eventId),
 * })
 * ```
 */
export function createMemoryDeduplicationStore(options: {
  readonly now: () => number
  readonly maxEvents?: number
}): DeduplicationStore {
  const { now, maxEvents = 100_000, ...unknown } = options
  for (const name of Object.keys(unknown)) throw new TypeError(`The option ${name} does not exist.`)
  // A Date plus a lease is a text, which no lease would outlast.
  if (typeof now !== 'function' || !Number.isFinite(now()))
    throw new TypeError('The option now must be a function that returns milliseconds.')
  if (!(maxEvents >= 1)) throw new TypeError('The option maxEvents must be at least 1.')
  const marks = new Map<string, Mark>()
  // Of all events: a deleted claim must not be taken for a later one of its event.
  let lastFence = 0

  // Moves the entry to the end: the map is ordered by last change.
  function write(eventId: string, mark: Mark): void {
    marks.delete(eventId)
    marks.set(eventId, mark)
  }

  function makeRoom(nowMs: number): void {
    for (const [eventId, { state, atMs }] of marks) {
      if (marks.size < maxEvents) return
      if (state !== 'claimed' || atMs <= nowMs) marks.delete(eventId)
    }
  }

  /** Returns the entry while this claim is current. */
  function current({ eventId, fence }: Claim): Mark | undefined {
    const mark = marks.get(eventId)
    return mark?.fence === fence ? mark : undefined
  }

  return {
    async claim({ eventId, leaseMs }) {
      checkDuration('leaseMs', leaseMs)
      const mark = marks.get(eventId)
      const nowMs = now()
      if (mark?.state === 'completed') return { kind: 'completed' }
      if (mark?.state === 'claimed' && mark.atMs > nowMs) {
        return { kind: 'in_progress', leaseEndsInMs: mark.atMs - nowMs }
      }
      if (!mark) makeRoom(nowMs)
      const fence = (lastFence += 1)
      write(eventId, { fence, state: 'claimed', atMs: nowMs + leaseMs })
      return { kind: 'claimed', fence }
    },

    complete(claim) {
      const mark = current(claim)
      if (!mark || mark.state === 'released') return Promise.resolve('stale')
      if (mark.state === 'claimed') write(claim.eventId, { fence: claim.fence, state: 'completed', atMs: now() })
      return Promise.resolve('completed')
    },

    fail(claim) {
      if (current(claim)?.state !== 'claimed') return Promise.resolve('stale')
      write(claim.eventId, { fence: claim.fence, state: 'released', atMs: now() })
      return Promise.resolve('released')
    },

    async forget({ olderThanMs, limit }) {
      checkDuration('olderThanMs', olderThanMs)
      if (!Number.isSafeInteger(limit) || limit < 0) throw new TypeError('limit must be a whole number.')
      const before = now() - olderThanMs
      const old = [...marks].filter(([, { atMs }]) => atMs < before).slice(0, limit)
      for (const [eventId] of old) marks.delete(eventId)
      return old.length
    },
  }
}

/** With null or a negative age, every id would be forgotten, and its event processed again. */
function checkDuration(name: string, ms: number): void {
  if (!Number.isFinite(ms) || ms < 0) throw new TypeError(`${name} must be a number of milliseconds, at least 0.`)
}
