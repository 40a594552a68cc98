import { deepEqual, ok, rejects } from 'node:assert/strict'
import type { PreparedEvent } from '../../delivery/webhook-store.js'
import { appA, appB, createSamples, race } from '../webhook-store/sample-records.js'
import { feedStoreCase, listSettled, settled } from './harness.js'

/** Cases about cursors, and about callers that read while others write. */
export const cursorCases = [
  feedStoreCase(
    'FS-CURSOR-1',
    'The cursor of a time MUST be after the last event created before it, and before one created at it',
    async ({ store, webhooks, advance }) => {
      const { event } = createSamples()
      const ids: string[] = []
      for (let n = 0; n < 3; n += 1) {
        if (n > 0) await advance(1)
        const made = event([])
        await webhooks.insertEvent(made)
        await webhooks.insertEvent(event([], { appId: appB }))
        ids.push(made.eventId)
      }
      const cursor = await store.findCursor({ appId: appA, since: new Date(0) })
      const times = (await listSettled(store, { appId: appA, cursor, limit: 10 })).map(({ createdAt }) => createdAt)
      deepEqual(times.length, 3, 'all events are after the cursor of the oldest time')
      for (const [n, since] of times.entries()) {
        const from = await store.findCursor({ appId: appA, since })
        const listed = await listSettled(store, { appId: appA, cursor: from, limit: 10 })
        deepEqual(
          listed.map(({ eventId }) => eventId),
          ids.slice(n),
          `events after the cursor of event ${n + 1}'s time`,
        )
      }
      const after = await store.findCursor({ appId: appA, since: new Date(Number(times[2]) + 1) })
      deepEqual(await listSettled(store, { appId: appA, cursor: after, limit: 10 }), [], 'events after the last')
    },
  ),

  feedStoreCase(
    'FS-CURSOR-2',
    'The cursor of a page MUST go on with what is published later, from any handle',
    async ({ store, webhooks, other }) => {
      const { event } = createSamples()
      await webhooks.insertEvent(event([]))
      const begin = await store.findCursor({ appId: appA, since: new Date(0) })
      const cursor = (await listSettled(store, { appId: appA, cursor: begin, limit: 10 })).at(-1)?.cursor ?? ''
      deepEqual(await listSettled(other.store, { appId: appA, cursor, limit: 10 }), [], 'nothing is new')
      const later = event([])
      await other.webhooks.insertEvent(later)
      for (const one of [store, other.store]) {
        const listed = await listSettled(one, { appId: appA, cursor, limit: 10 })
        deepEqual(
          listed.map(({ eventId }) => eventId),
          [later.eventId],
        )
      }
    },
  ),

  feedStoreCase(
    'FS-CURSOR-3',
    'The cursor of a time MUST NOT skip an event created at it or later, though the clock stepped back meanwhile',
    async ({ store, webhooks, advance }) => {
      const { event } = createSamples()
      const ids: string[] = []
      for (const ms of [0, 60_000, -30_000, 5_000, 60_000]) {
        await advance(ms)
        const made = event([])
        await webhooks.insertEvent(made)
        ids.push(made.eventId)
      }
      const begin = await store.findCursor({ appId: appA, since: new Date(0) })
      const times = (await listSettled(store, { appId: appA, cursor: begin, limit: 10 })).map(
        ({ createdAt }) => createdAt,
      )
      const between = new Date(Number(times[3]) + 1)
      const cursor = await store.findCursor({ appId: appA, since: between })
      const listed = await listSettled(store, { appId: appA, cursor, limit: 10 })
      deepEqual(
        listed.map(({ eventId }) => eventId),
        ids.slice(1),
        'events after the cursor of a time that only the second event and the last are later than',
      )
    },
  ),

  feedStoreCase(
    'FS-CURSOR-4',
    'A time that is none MUST be refused: its cursor would skip all events, or none',
    async ({ store }) => {
      for (const since of [new Date(NaN), undefined])
        await rejects(store.findCursor({ appId: appA, since: since as Date }), `findCursor rejects ${String(since)}`)
    },
  ),

  feedStoreCase(
    'FS-RACE-1',
    'A caller that reads while 50 others publish MUST get each event once, whichever becomes visible first',
    async ({ store, webhooks, other }) => {
      const { event } = createSamples()
      const made: readonly PreparedEvent[] = Array.from({ length: 50 }, () => event([]))
      const seen: string[] = []
      let cursor = await store.findCursor({ appId: appA, since: new Date(0) })
      async function poll() {
        const listed = await store.listAfter({ appId: appA, cursor, limit: 7 })
        ok(listed !== null, 'listAfter knows the cursor of an event')
        seen.push(...listed.map(({ eventId }) => eventId))
        cursor = listed.at(-1)?.cursor ?? cursor
        return listed.length
      }
      let writing = true
      const polling = (async () => {
        while (writing) {
          await poll()
          await new Promise((resolve) => setImmediate(resolve))
        }
      })()
      try {
        await race(webhooks, other.webhooks, (each, racer) => each.insertEvent(made[racer] as PreparedEvent))
      } finally {
        writing = false
        await polling
      }
      await settled(store)
      while ((await poll()) > 0);
      deepEqual(seen.toSorted(), made.map(({ eventId }) => eventId).toSorted(), 'every event, and each once')
    },
  ),
]
