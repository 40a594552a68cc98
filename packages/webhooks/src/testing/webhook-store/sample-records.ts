import { deepEqual, ok } from 'node:assert/strict'
import { reportOfCause } from '../../delivery/delivery-state.js'
import type {
  AttemptReport,
  ClaimedDelivery,
  Endpoint,
  NewEndpoint,
  PreparedEvent,
  AttemptResult,
  WebhookStore,
} from '../../delivery/webhook-store.js'

/** Apps and users of all cases. */
export const appA = '0a000000-0000-4000-8000-00000000000a'
export const appB = '0b000000-0000-4000-8000-00000000000b'
export const userOne = '01000000-0000-4000-8000-000000000001'
export const userTwo = '02000000-0000-4000-8000-000000000002'

/** Default claim request of a worker. */
export const wideClaim = { limit: 100, leaseMs: 45_000, maxInFlight: { healthy: 4, failing: 1 }, keepForHealthy: 0 }

/** Number of racing callers. */
export const racers = 50

/** Creates fresh ids and records for one case. */
export function createSamples() {
  let last = 0
  const id = () => `00000000-0000-4000-8000-${String((last += 1)).padStart(12, '0')}`

  /** Each has a URL of its own, and so a lineage of its own. */
  const endpoint = (fields: Partial<NewEndpoint> = {}): NewEndpoint => ({
    endpointId: id(),
    appId: appA,
    url: `https://partner.example.com/webhooks/${(last += 1)}`,
    eventTypes: null,
    standardWebhooks: false,
    createdAt: new Date(Date.UTC(2026, 0, 1, 0, 0, 0, last)),
    ...fields,
  })

  const event = (
    endpoints: readonly Pick<Endpoint, 'endpointId'>[],
    fields: Partial<PreparedEvent> = {},
  ): PreparedEvent => ({
    eventId: id(),
    appId: appA,
    userId: userOne,
    type: 'WIDGET_DEPOSIT_COMPLETE',
    occurredAt: new Date('2026-01-02T03:04:05.678Z'),
    body: new TextEncoder().encode('{"amount":100.5}'),
    test: false,
    sourceEventId: null,
    withheld: null,
    deliveries: endpoints.map(({ endpointId }) => ({ deliveryId: id(), endpointId, xEventId: id() })),
    ...fields,
  })

  /** Registers an endpoint. */
  async function registered(store: WebhookStore, fields: Partial<NewEndpoint> = {}): Promise<Endpoint> {
    const added = endpoint(fields)
    deepEqual(await store.registerEndpoint(added, 100), 'registered')
    return asListed(added)
  }

  /** Publishes `count` events to one endpoint and returns the delivery ids in order. */
  async function published(
    store: WebhookStore,
    to: Endpoint,
    count = 1,
    fields: Partial<PreparedEvent> = {},
  ): Promise<readonly string[]> {
    const ids: string[] = []
    for (let n = 0; n < count; n += 1) {
      const inserted = await store.insertEvent(event([to], { appId: to.appId, ...fields }))
      ids.push(...inserted.deliveries.map(({ deliveryId }) => deliveryId))
    }
    return ids
  }

  return { id, endpoint, event, registered, published }
}

/** A registered endpoint as it is listed; without another URL or lineage, the first of its own. */
export const asListed = (endpoint: NewEndpoint, lineageId = endpoint.endpointId): Endpoint => ({
  ...endpoint,
  description: endpoint.description ?? null,
  headers: endpoint.headers ?? null,
  lineageId,
  pausedBy: null,
})

/**
 * Expects a duration of the store's clock. It may be 1 ms off: a store with a clock of its own may round, and time goes on
 * between two calls.
 */
export function near(ms: number | undefined, expectedMs: number, what: string): void {
  ok(ms !== undefined && Math.abs(ms - expectedMs) <= 1, `${what} is ${expectedMs} ms, within 1 ms (it is ${ms} ms)`)
}

/** Milliseconds from one instant to another; NaN if one is missing. */
export const between = (from: Date | null | undefined, to: Date | null | undefined): number =>
  (to?.getTime() ?? NaN) - (from?.getTime() ?? NaN)

/** Claims and expects exactly one delivery. */
export async function claimOne(store: WebhookStore, fields: Partial<typeof wideClaim> = {}): Promise<ClaimedDelivery> {
  const { claimed } = await store.claimDue({ ...wideClaim, ...fields })
  deepEqual(claimed.length, 1, 'one delivery is due')
  return claimed[0] as ClaimedDelivery
}

const answered = reportOfCause('HTTP_STATUS', 1)
export const failedReport: AttemptReport = {
  ...answered,
  status: 500,
  timings: { ...answered.timings, totalMs: 12.5 },
}
export const succeededReport: AttemptReport = {
  ...answered,
  cause: null,
  status: 200,
  timings: { ...answered.timings, totalMs: 3.25 },
}

/** Creates the result of a claimed attempt. */
export const resultOf = {
  delivered: ({ fence }: ClaimedDelivery): AttemptResult => ({
    fence,
    attempt: { state: 'SUCCEEDED', report: succeededReport },
    next: { state: 'DELIVERED' },
  }),
  retry: ({ fence }: ClaimedDelivery, delayMs: number): AttemptResult => ({
    fence,
    attempt: { state: 'FAILED', report: failedReport },
    next: { state: 'PENDING', delayMs },
  }),
  failed: ({ fence }: ClaimedDelivery): AttemptResult => ({
    fence,
    attempt: { state: 'FAILED', report: failedReport },
    next: { state: 'FAILED' },
  }),
  cancelled: ({ fence }: ClaimedDelivery, reason: string): AttemptResult => ({
    fence,
    attempt: { state: 'UNSENT', report: reportOfCause('GRANT_REVOKED') },
    next: { state: 'CANCELLED', reason },
  }),
  unsent: ({ fence }: ClaimedDelivery, delayMs: number): AttemptResult => ({
    fence,
    attempt: { state: 'UNSENT', report: reportOfCause('SIGNING_KEY_MISSING') },
    next: { state: 'PENDING', delayMs },
  }),
}

/** Records results and expects every fence to be current. */
export async function recordResults(store: WebhookStore, ...results: readonly AttemptResult[]): Promise<void> {
  deepEqual((await store.recordAttemptResults(results)).stale, [])
}

/** Lists every delivery of an app, newest first. */
export async function listAll(store: WebhookStore, appId: string = appA) {
  return (await store.listDeliveries({ appId, limit: 200 })).items
}

/** Runs `call` from `racers` callers at once, on two handles in turn. */
export function race<T>(
  store: WebhookStore,
  other: WebhookStore,
  call: (store: WebhookStore, racer: number) => Promise<T>,
  count: number = racers,
): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, racer) => call(racer % 2 === 0 ? store : other, racer)))
}
