// A delivery worker on a store that posts to the local sink, and events to publish for it.
import { randomUUID } from 'node:crypto'
import { Pool } from 'undici'
import { signWebhook } from '@kyc-relay/webhooks'
import { createDeliveryWorker, reportOfCause, uuidv7 } from '@kyc-relay/webhooks/delivery'
import { bodyToStore, users } from './sealed-bodies.mjs'

const appId = '0a000000-0000-4000-8000-00000000000a'
export const endpoints = 200
/** Connections to the sink. */
export const concurrency = 64
const apiKey = 'kyc_live_0123456789abcdef0123456789abcdef'

/** The body of each POST, about 1 kB. */
export const body = Buffer.from(
  JSON.stringify({ eventType: 'WIDGET_DEPOSIT_COMPLETE', amount: 100.5, note: 'x'.repeat(1_000) }),
)

/** A client of the sink. `post` resolves to the status. */
export function sinkClient(sinkUrl) {
  const pool = new Pool(sinkUrl, { connections: concurrency })
  return {
    async post(path, headers = {}) {
      const response = await pool.request({ method: 'POST', path, headers, body })
      await response.body.dump()
      return response.statusCode
    },
    close: () => pool.destroy(),
  }
}

/** Headers of the POST of a contender that is no worker. */
export const signedHeaders = async () => ({
  'content-type': 'application/json',
  'x-hmac-signature': await signWebhook(body, apiKey),
  'x-event-id': randomUUID(),
})

/** Publishes one event with one delivery. Ids have version 7, as in the packages. Without `bodySealer` the body is clear. */
async function publishEvent(store, { userId, endpointId, bodySealer }) {
  const eventId = uuidv7()
  await store.insertEvent({
    eventId,
    appId,
    userId,
    type: 'WIDGET_DEPOSIT_COMPLETE',
    occurredAt: new Date(),
    body: await bodyToStore(body, { bodySealer, appId, userId, recordId: eventId }),
    test: false,
    sourceEventId: null,
    withheld: null,
    deliveries: [{ deliveryId: uuidv7(), endpointId, xEventId: randomUUID() }],
  })
}

/** What the sender saw of an answer, but for its status. */
const answered = { ...reportOfCause('HTTP_STATUS'), cause: null }

/**
 * Makes a worker on a store, not yet started. `onDelivered` is called for each written result. `createWorker` may be of an
 * earlier checkout. Without `bodySealer` bodies are clear. It claims nothing while `isOpen` returns false.
 */
export async function createDelivering(
  store,
  { post },
  onDelivered,
  { createWorker = createDeliveryWorker, bodySealer, isOpen = () => true } = {},
) {
  const ids = Array.from({ length: endpoints }, () => uuidv7())
  for (const [n, endpointId] of ids.entries()) {
    const url = `https://partner.example/${n}`
    const endpoint = { endpointId, appId, url, eventTypes: null, standardWebhooks: false, createdAt: new Date() }
    await store.registerEndpoint(endpoint, endpoints)
  }
  const worker = createWorker({
    store: {
      ...store,
      claimDue: async (request) => (isOpen() ? store.claimDue(request) : { claimed: [], nextDueInMs: null }),
    },
    bodySealer,
    send: async ({ url, headers }) => {
      const status = await post(new URL(url).pathname, headers)
      return { ...answered, status }
    },
    grants: { find: async (pairs) => pairs.map((pair) => ({ ...pair, scopes: ['MAKE_PAYOUT_SEND'] })) },
    signingKeys: { current: async (appIds) => appIds.map((appId) => ({ appId, key: apiKey, version: 1 })) },
    now: () => new Date(),
    random: Math.random,
    onResultWritten: ({ outcome, result }) => {
      if (outcome === 'applied' && result.next.state === 'DELIVERED') onDelivered()
    },
  })
  let published = 0
  return {
    /** Publishes one event with one delivery. */
    async publish() {
      const n = published++
      await publishEvent(store, { userId: users[n % users.length], endpointId: ids[n % endpoints], bodySealer })
    },
    start: () => worker.start(),
    wake: () => worker.wake(),
    stop: () => worker.stop(),
  }
}
