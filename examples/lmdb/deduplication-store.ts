// Deduplication on LMDB, for receivers in several processes of one machine. Each method is one transaction of LMDB's
// single writer, so exactly one of several callers gets a claim.
import type { Claim, ClaimAnswer, DeduplicationStore } from '@kyc-relay/webhooks'
import { open } from 'lmdb'

interface Mark {
  readonly fence: number
  readonly state: 'claimed' | 'released' | 'completed'
  /** End of the lease, or time of release or completion, in milliseconds since 1970. */
  readonly at: number
}

/** Opens a deduplication store in a folder. `now` is the clock of all handles: milliseconds since 1970. */
export function openDeduplicationStore({ path, now }: { readonly path: string; readonly now: () => number }): {
  store: DeduplicationStore
  close(): Promise<void>
} {
  // A promise resolves when the write is on the disk.
  const root = open({ path, overlappingSync: false })
  const marks = root.openDB<Mark, string>({ name: 'processed-events' })
  // The events in the order of time, so that `forget` reads only the oldest.
  const byTime = root.openDB<true, [number, string]>({ name: 'processed-events-by-time' })
  const atomic = async <T>(work: () => T): Promise<T> => await root.childTransaction(work)

  function write(eventId: string, old: Mark | undefined, mark: Mark): void {
    if (old !== undefined) void byTime.remove([old.at, eventId])
    void marks.put(eventId, mark)
    void byTime.put([mark.at, eventId], true)
  }

  /** Returns the mark while this claim is the latest. */
  function current({ eventId, fence }: Claim): Mark | undefined {
    const mark = marks.get(eventId)
    return mark?.fence === fence ? mark : undefined
  }

  const store: DeduplicationStore = {
    claim: ({ eventId, leaseMs }) =>
      atomic((): ClaimAnswer => {
        const old = marks.get(eventId)
        const at = now()
        if (old?.state === 'completed') return { kind: 'completed' }
        if (old?.state === 'claimed' && old.at > at) return { kind: 'in_progress', leaseEndsInMs: old.at - at }
        const fence = (old?.fence ?? 0) + 1
        write(eventId, old, { fence, state: 'claimed', at: at + leaseMs })
        return { kind: 'claimed', fence }
      }),
    complete: (claim) =>
      atomic(() => {
        const mark = current(claim)
        if (mark === undefined || mark.state === 'released') return 'stale'
        if (mark.state === 'claimed') write(claim.eventId, mark, { ...mark, state: 'completed', at: now() })
        return 'completed'
      }),
    fail: (claim) =>
      atomic(() => {
        const mark = current(claim)
        if (mark?.state !== 'claimed') return 'stale'
        write(claim.eventId, mark, { ...mark, state: 'released', at: now() })
        return 'released'
      }),
    forget: ({ olderThanMs, limit }) =>
      atomic(() => {
        const old = [...byTime.getRange({ end: [now() - olderThanMs, ''], limit })]
        for (const { key } of old) {
          void byTime.remove(key)
          void marks.remove(key[1])
        }
        return old.length
      }),
  }
  return { store, close: () => root.close() }
}
