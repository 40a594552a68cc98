import type { Spoil, WrongStore } from './wrong-store.js'

const toSeconds = (at: Date) => new Date(Math.floor(at.getTime() / 1000) * 1000)

/** Pages by the number of deliveries that were listed before. */
const byOffset: Spoil = (store) => {
  const offsets = new Map<string, number>()
  return {
    async listDeliveries({ cursor, ...request }) {
      const offset = cursor === undefined ? 0 : offsets.get(cursor)
      if (cursor === undefined || offset === undefined || !cursor.endsWith(request.appId)) {
        const page = await store.listDeliveries(cursor === undefined ? request : { ...request, cursor })
        if (page.nextCursor !== null) offsets.set(page.nextCursor, page.items.length)
        return page
      }
      const { items } = await store.listDeliveries({ ...request, limit: 200 })
      const page = items.slice(offset, offset + request.limit)
      const nextCursor = items.length > offset + page.length ? `${offset + page.length}@${request.appId}` : null
      if (nextCursor !== null) offsets.set(nextCursor, offset + page.length)
      return { items: page, nextCursor }
    },
  }
}

/** Wrong stores of reads, resends and due hints, each caught by one case. */
export const wrongReads: readonly WrongStore[] = [
  [
    'shows a delivery to every app',
    'WS-READ-1',
    (store, { deliveries }) => ({
      findDelivery: ({ appId, deliveryId }) =>
        store.findDelivery({ appId: deliveries.get(deliveryId)?.event.appId ?? appId, deliveryId }),
    }),
  ],
  [
    'forgets that an event was a test',
    'WS-READ-2',
    (store) => ({
      async findDelivery(request) {
        const found = await store.findDelivery(request)
        return found && { ...found, test: false }
      },
    }),
  ],
  [
    'leaves one out before each further page of ten or more',
    'WS-READ-3',
    (store) => ({
      async listDeliveries(request) {
        const page = await store.listDeliveries(request)
        const isFurther = request.cursor !== undefined && request.limit >= 10
        return isFurther ? { ...page, items: page.items.slice(1) } : page
      },
    }),
  ],
  ['counts its pages from the newest delivery', 'WS-READ-4', byOffset],
  [
    'ignores the state in the log',
    'WS-READ-5',
    (store) => ({ listDeliveries: ({ state: _ignored, ...request }) => store.listDeliveries(request) }),
  ],
  [
    'ignores the type where an endpoint is given',
    'WS-READ-5',
    (store) => ({
      listDeliveries({ eventType, ...request }) {
        const isIgnored = eventType === undefined || request.endpointId !== undefined
        return store.listDeliveries(isIgnored ? request : { ...request, eventType })
      },
    }),
  ],
  [
    'takes the cursor of another app',
    'WS-READ-6',
    (store) => {
      const appOf = new Map<string, string>()
      return {
        async listDeliveries({ cursor, ...request }) {
          const isOfOther = cursor !== undefined && (appOf.get(cursor) ?? request.appId) !== request.appId
          const page = await store.listDeliveries(cursor === undefined || isOfOther ? request : { ...request, cursor })
          if (page.nextCursor !== null) appOf.set(page.nextCursor, request.appId)
          return page
        },
      }
    },
  ],
  [
    'ignores the user of a look-up',
    'WS-READ-7',
    (store) => ({ listDeliveries: ({ userId: _ignored, ...request }) => store.listDeliveries(request) }),
  ],
  [
    'rounds latencies to milliseconds',
    'WS-READ-8',
    (store) => ({
      async listDeliveries(request) {
        const page = await store.listDeliveries(request)
        const rounded = (latencyMs: number | null) => (latencyMs === null ? null : Math.round(latencyMs))
        return { ...page, items: page.items.map((one) => ({ ...one, latencyMs: rounded(one.latencyMs) })) }
      },
    }),
  ],
  [
    'cuts creation times to seconds',
    'WS-READ-9',
    (store) => ({
      async findDelivery(request) {
        const found = await store.findDelivery(request)
        return found && { ...found, createdAt: toSeconds(found.createdAt) }
      },
      async listDeliveries(request) {
        const page = await store.listDeliveries(request)
        return { ...page, items: page.items.map((one) => ({ ...one, createdAt: toSeconds(one.createdAt) })) }
      },
    }),
  ],
  [
    'goes on with due hints',
    'WS-DUE-1',
    (store) => ({ onDue: (wake) => store.onDue(wake).then(() => async () => {}) }),
  ],
  [
    'forgets source ids when it is closed',
    'WS-REOPEN-1',
    (_store, { eventsBySource }, { onClosed }) => {
      onClosed(() => eventsBySource.clear())
      return {}
    },
  ],
  [
    'forgets of which delivery a resend is one',
    'WS-RESEND-1',
    (store) => ({
      async findDelivery(request) {
        const found = await store.findDelivery(request)
        return found && { ...found, resendOf: null }
      },
    }),
  ],
  [
    'repeats a delivery that is still under way',
    'WS-RESEND-2',
    (store) => ({
      async resendDelivery(request) {
        const answer = await store.resendDelivery(request)
        return answer === 'not_finished' ? 'resent' : answer
      },
    }),
  ],
  [
    'puts a resend in the place of a delivery with its id',
    'WS-RESEND-3',
    (store, { deliveries }) => ({
      async resendDelivery(request) {
        const before = deliveries.get(request.newDeliveryId)
        deliveries.delete(request.newDeliveryId)
        const answer = await store.resendDelivery(request)
        if (answer !== 'resent' && before) deliveries.set(request.newDeliveryId, before)
        return answer
      },
    }),
  ],
]
