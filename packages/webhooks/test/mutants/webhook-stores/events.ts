import type { InsertedEvent } from '../../../src/internal/index.js'
import { findBySource } from '../../../src/testing/memory-webhook-data.js'
import { isRemoved, liveOfLineage, tick, type Spoil, type Store, type WrongStore } from './wrong-store.js'

const withSource =
  (change: (id: string) => string | null): Spoil =>
  (store) => ({
    insertEvent: (event) =>
      store.insertEvent({
        ...event,
        sourceEventId: event.sourceEventId === null ? null : change(event.sourceEventId),
      }),
  })

const text = { read: new TextDecoder(), write: new TextEncoder() }
const sourceKey = (appId: string, sourceEventId: string | null) => JSON.stringify([appId, sourceEventId])

/** Wrong stores of events, each caught by one case. */
export const wrongEvents: readonly WrongStore[] = [
  [
    'keeps bodies as text',
    'WS-EVENT-1',
    (store) => ({
      async claimDue(request) {
        const { claimed, ...rest } = await store.claimDue(request)
        return {
          ...rest,
          claimed: claimed.map((one) => ({ ...one, body: text.write.encode(text.read.decode(one.body)) })),
        }
      },
    }),
  ],
  [
    'gives every delivery of an event the X-Event-ID of the first',
    'WS-EVENT-2',
    (store) => {
      const first = new Map<string, string>()
      return {
        async claimDue(request) {
          const { claimed, ...rest } = await store.claimDue(request)
          const changed = claimed.map((one) => {
            first.set(one.eventId, first.get(one.eventId) ?? one.xEventId)
            return { ...one, xEventId: first.get(one.eventId) ?? '' }
          })
          return { ...rest, claimed: changed }
        },
      }
    },
  ],
  [
    'returns no original for a repetition with the same content',
    'WS-EVENT-3',
    (store) => ({
      async insertEvent(event) {
        const inserted = await store.insertEvent(event)
        const isSame = text.read.decode(inserted.original?.body ?? undefined) === text.read.decode(event.body)
        return isSame && inserted.original?.userId === event.userId ? { ...inserted, original: null } : inserted
      },
    }),
  ],
  [
    'looks for a new sourceEventId, then writes the event',
    'WS-EVENT-4',
    (store, data) => ({
      async insertEvent(event) {
        const isNew = findBySource(data, event.appId, event.sourceEventId) === undefined
        await tick()
        if (isNew) data.eventsBySource.delete(sourceKey(event.appId, event.sourceEventId))
        return store.insertEvent(event)
      },
    }),
  ],
  [
    'knows the source ids of other apps',
    'WS-EVENT-5',
    (store, { events }) => ({
      async insertEvent(event) {
        for (const { event: known, inserted } of events.values()) {
          const isOfOther = known.appId !== event.appId && known.sourceEventId === event.sourceEventId
          if (event.sourceEventId !== null && isOfOther) return { ...inserted, duplicate: true }
        }
        return store.insertEvent(event)
      },
    }),
  ],
  [
    'makes no delivery of an event when one of its endpoints is gone without an heir',
    'WS-EVENT-6',
    (store, data) => ({
      async insertEvent(event) {
        const live = event.deliveries.filter(({ endpointId }) => liveOfLineage(data, endpointId).length > 0)
        const isComplete = event.deliveries.every(({ xEventId }) => live.some((one) => one.xEventId === xEventId))
        return store.insertEvent(isComplete ? event : { ...event, deliveries: [] })
      },
    }),
  ],
  [
    'leaves out an endpoint that was replaced',
    'WS-EVENT-13',
    (store, data) => ({
      insertEvent: (event) =>
        store.insertEvent({ ...event, deliveries: event.deliveries.filter((one) => !isRemoved(data, one)) }),
    }),
  ],
  [
    'delivers to the endpoints of another app',
    'WS-EVENT-7',
    (store, { endpoints }) => ({
      insertEvent(event) {
        const asked = event.deliveries.flatMap(({ endpointId }) => endpoints.get(endpointId) ?? [])
        const before = asked.map(({ endpoint }) => endpoint)
        for (const stored of asked) stored.endpoint = { ...stored.endpoint, appId: event.appId }
        const inserted = store.insertEvent(event)
        for (const [n, stored] of asked.entries()) stored.endpoint = before[n] ?? stored.endpoint
        return inserted
      },
    }),
  ],
  [
    'keeps the sourceEventId of an event that it could not write',
    'WS-EVENT-8',
    (store) => {
      const refused = new Set<string | null>()
      return {
        async insertEvent(event) {
          const { eventId, withheld, sourceEventId } = event
          if (sourceEventId !== null && refused.has(sourceEventId)) {
            return { eventId, deliveries: [], withheld, duplicate: true, original: event }
          }
          return store.insertEvent(event).catch((error: unknown) => {
            refused.add(sourceEventId)
            throw error
          })
        },
      }
    },
  ],
  [
    'repeats in its errors what was given',
    'WS-EVENT-9',
    (store) => ({
      insertEvent: (event) =>
        store.insertEvent(event).catch((error: unknown) => {
          throw new Error(`${String(error)} ${JSON.stringify(event)} ${text.read.decode(event.body)}`)
        }),
    }),
  ],
  [
    'keeps the bytes of the caller',
    'WS-EVENT-10',
    (store) => {
      const bodies = new Map<string, Uint8Array>()
      return {
        insertEvent(event) {
          bodies.set(event.eventId, event.body)
          return store.insertEvent(event)
        },
        async claimDue(request) {
          const { claimed, ...rest } = await store.claimDue(request)
          return { ...rest, claimed: claimed.map((one) => ({ ...one, body: bodies.get(one.eventId) ?? one.body })) }
        },
      }
    },
  ],
  [
    'takes a missing grant for a missing scope',
    'WS-EVENT-11',
    (store) => ({
      insertEvent: (event) =>
        store.insertEvent(event.withheld === 'NO_GRANT' ? { ...event, withheld: 'SCOPE_NOT_GRANTED' } : event),
    }),
  ],
  [
    'loses the trace context when an attempt is taken over',
    'WS-EVENT-12',
    (store) => ({
      claimExpired: async (request) =>
        (await store.claimExpired(request)).map((one) => ({ ...one, traceContext: null })),
    }),
  ],
  [
    'returns what was published now as the original of its source',
    'WS-SOURCE-1',
    (store) => ({
      async insertEvent(event) {
        const inserted = await store.insertEvent(event)
        return { ...inserted, original: inserted.original === null ? null : event }
      },
    }),
  ],
  [
    'keeps a source for an event that was withheld',
    'WS-SOURCE-2',
    (store) => {
      const withheld = new Map<string, InsertedEvent>()
      return {
        async insertEvent(event) {
          const known = withheld.get(event.sourceEventId ?? '')
          if (known !== undefined) return { ...known, duplicate: true }
          const inserted = await store.insertEvent(event)
          const wantsScope = inserted.withheld !== null && inserted.withheld !== 'NO_ENDPOINT'
          if (wantsScope && event.sourceEventId !== null) withheld.set(event.sourceEventId, inserted)
          return inserted
        },
      }
    },
  ],
  [
    'writes an event again that had no endpoint',
    'WS-SOURCE-3',
    (store, data) => ({
      insertEvent(event) {
        const known = findBySource(data, event.appId, event.sourceEventId)
        const isFree = known?.event.withheld === 'NO_ENDPOINT' && event.withheld === null
        if (isFree) data.eventsBySource.delete(sourceKey(event.appId, event.sourceEventId))
        return store.insertEvent(event)
      },
    }),
  ],
  ['trims source ids', 'WS-SOURCE-4', withSource((id) => (id.trim() === '' ? id : id.trim()))],
  ['pads source ids as CHAR columns do', 'WS-SOURCE-4', withSource((id) => id.trimEnd())],
  ['composes source ids', 'WS-SOURCE-4', withSource((id) => id.normalize('NFC'))],
  ['takes an empty source id for none', 'WS-SOURCE-4', withSource((id) => (id === '' ? null : id))],
  [
    'answers for a known source with the endpoints of the first answer',
    'WS-SOURCE-5',
    (store) => {
      const answers = new Map<string, Awaited<ReturnType<Store['insertEvent']>>['deliveries']>()
      return {
        async insertEvent(event) {
          const answer = await store.insertEvent(event)
          const deliveries = answers.get(answer.eventId) ?? answer.deliveries
          answers.set(answer.eventId, deliveries)
          return { ...answer, deliveries }
        },
      }
    },
  ],
]
