import type { FeedStore, ListedEvent } from '../feed/feed-store.js'
import { createMemoryWebhookData, isTime, type MemoryWebhookData, type StoredEvent } from './memory-webhook-data.js'

/**
 * Creates a {@link FeedStore} in memory, for tests. Nothing holds back an event: its lag is always 0.
 *
 * @param options.data - data of the webhook store that events are written with; default: separate data
 *
 * @example
 * ```ts
 * import { createMemoryFeedStore, createMemoryWebhookData, createMemoryWebhookStore } from '@kyc-relay/webhooks/testing'
 *
 * const data = createMemoryWebhookData()
 * const [feed, webhooks] = [createMemoryFeedStore({ data }), createMemoryWebhookStore({ data })]
 * ```
 */
export function createMemoryFeedStore(options: { readonly data?: MemoryWebhookData } = {}): FeedStore {
  const { data = createMemoryWebhookData() } = options
  const eventsOf = (appId: string) => [...data.events.values()].filter(({ event }) => event.appId === appId)

  return {
    async findCursor({ appId, since }) {
      if (!isTime(since)) throw new Error('This is no time.')
      const events = eventsOf(appId)
      const first = events.findIndex(({ place }) => place.createdAt >= since)
      const last = first === -1 ? events.at(-1) : events[first - 1]
      return cursorAt(last?.place.position ?? 0, appId)
    },

    async listAfter({ appId, cursor, limit }) {
      const [position = ''] = cursor.split('@', 1)
      if (!/^(0|[1-9]\d{0,14})$/.test(position) || cursor !== cursorAt(Number(position), appId)) {
        throw new Error('This store did not create the cursor.')
      }
      if (Number(position) > data.lastSequence) return null
      const after = eventsOf(appId).filter(({ place }) => place.position > Number(position))
      return after.slice(0, limit).map((stored) => listedOf(data, stored))
    },

    measureLag: async () => 0,
  }
}

const cursorAt = (position: number, appId: string) => `${position}@${appId}`

function listedOf(data: MemoryWebhookData, { event, place }: StoredEvent): ListedEvent {
  const { appId, eventId, userId, type, test, body } = event
  const made = new Map<string, ListedEvent['deliveries'][number]>()
  for (const { event: of, endpointId, xEventId, state } of data.deliveries.values()) {
    if (of.eventId !== eventId) continue
    const key = JSON.stringify([endpointId, xEventId, state])
    // Added again, so that the last delivery of the state gives the order.
    made.delete(key)
    made.set(key, { endpointId, xEventId, state })
  }
  const { createdAt, position } = place
  const deliveries = [...made.values()]
  return { eventId, userId, type, createdAt, test, body: body.slice(), deliveries, cursor: cursorAt(position, appId) }
}
