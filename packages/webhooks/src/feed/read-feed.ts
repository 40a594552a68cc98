import { checkOptions } from '../delivery/check-options.js'
import type { DeliveryState, Endpoint, WebhookStore } from '../delivery/webhook-store.js'
import { standardEventTypes, type EventTypes } from '../events/event-type-registry.js'
import { eventTypes, type EventName } from '../events/event-types.js'
import { findGrants, isGranted, type GrantLookup, type ScopeRule } from '../publishing/grants.js'
import { matchEndpoints } from '../publishing/match-endpoints.js'
import { xEventIdOf } from '../publishing/x-event-id.js'
import type { BodySealer } from '../sealing/body-sealer.js'
import { openStored } from '../sealing/stored-bodies.js'
import type { FeedStore, ListedEvent } from './feed-store.js'

/** Events that are read at once. */
const eventsInABatch = 100
/** Batches of one call, when most events are left out. */
const mostBatches = 20

/** Dependencies of {@link readFeed}. */
export interface ReadFeedDeps {
  readonly feed: FeedStore
  readonly webhooks: Pick<WebhookStore, 'listEndpoints'>
  readonly grants: GrantLookup
  /** Default `all`, as for publishing. */
  readonly scopeRule?: ScopeRule
  /** Opens sealed bodies. */
  readonly bodySealer?: BodySealer
  /** Result of `createEventTypes`, for event types of your own. Default: the event types of the service. */
  readonly eventTypes?: Pick<EventTypes, 'find'>
}

/** What a partner asks of the feed. */
export interface FeedRequest {
  readonly appId: string
  /** `nextCursor` of the page before; null for the oldest event that is kept. */
  readonly after: string | null
  /** Null for all types but the optional ones. */
  readonly eventTypes: readonly EventName[] | null
  /** Events created before this time may have lost their bodies to retention. */
  readonly keptSince: Date
  /** Most items, 1–100. */
  readonly limit: number
}

/** An event with the exact bytes that webhooks carry. */
export interface FeedItem {
  readonly eventId: string
  readonly type: EventName
  readonly createdAt: Date
  readonly body: Uint8Array
  /**
   * The `X-Event-ID` at each endpoint, so that a receiver which polls too can tell what it has. `state` is that of the
   * last delivery, or `DELIVERED` if any was acknowledged; null if the endpoint has had none.
   */
  readonly deliveries: readonly {
    readonly endpointId: string
    readonly xEventId: string
    readonly state: DeliveryState | null
  }[]
}

/** A page of the feed, or the reason why the cursor gives none. */
export type FeedPage =
  | { readonly outcome: 'page'; readonly items: readonly FeedItem[]; readonly nextCursor: string }
  /** Events after the cursor have lost their bodies. `oldest` is the cursor to go on with. */
  | { readonly outcome: 'expired'; readonly oldest: string }
  /** The cursor is ahead of the database. */
  | { readonly outcome: 'unknown' }

/**
 * Reads the next events of an app in commit order, without those that were erased, or whose scope is no longer granted.
 *
 * `nextCursor` is there on every page. A page may be empty although more follows: go on until the cursor stays the same.
 *
 * @throws WebhookError `OPTIONS_INVALID` for a limit outside its range or an invalid date, `BODIES_UNAVAILABLE`
 * (retryable), and `GRANTS_MISMATCH` if the look-up of grants answers for another
 * app or user
 *
 * @example
 * ```ts
 * import { readFeed } from '@kyc-relay/webhooks/delivery'
 * import type { ReadFeedDeps } from '@kyc-relay/webhooks/internal'
 *
 * async function poll(deps: ReadFeedDeps, appId: string, after: string | null) {
 *   const keptSince = new Date('2026-01-01T00:00:00Z')
 *   const page = await readFeed(deps, { appId, after, eventTypes: null, keptSince, limit: 100 })
 *   return page.outcome === 'page' ? page.nextCursor : null
 * }
 * ```
 */
export async function readFeed(deps: ReadFeedDeps, request: FeedRequest): Promise<FeedPage> {
  const { appId, keptSince, limit } = request
  const { rule, end } = checkOptions()
  // A text such as '10' would never be reached, and no event is kept since an invalid date.
  rule('limit', Number.isInteger(limit) && limit >= 1 && limit <= 100)
  rule('keptSince', Number.isFinite((keptSince as Partial<Date> | null)?.getTime?.()))
  end()
  const findOldest = () => deps.feed.findCursor({ appId, since: keptSince })
  let cursor = request.after ?? (await findOldest())
  const endpoints = await deps.webhooks.listEndpoints(appId)
  const items: FeedItem[] = []
  for (let batch = 0; batch < mostBatches; batch += 1) {
    const listed = await deps.feed.listAfter({ appId, cursor, limit: eventsInABatch })
    if (listed === null) return { outcome: 'unknown' }
    const first = listed[0]
    if (batch === 0 && request.after !== null && first !== undefined && first.createdAt < keptSince) {
      const oldest = await findOldest()
      // Times are given out before the commit, and a clock may step back: events after the oldest cursor may be older.
      const kept = await deps.feed.listAfter({ appId, cursor: oldest, limit: eventsInABatch })
      if (kept?.some(({ eventId }) => eventId === first.eventId) !== true) return { outcome: 'expired', oldest }
    }
    for (const event of await leaveOut(listed, deps, request)) {
      items.push(await itemOf(event, endpoints))
      if (items.length === limit) return { outcome: 'page', items, nextCursor: event.cursor }
    }
    cursor = listed.at(-1)?.cursor ?? cursor
    if (listed.length < eventsInABatch) break
  }
  return { outcome: 'page', items, nextCursor: cursor }
}

type WithBody = ListedEvent & { readonly body: Uint8Array }

/** Leaves out events of other types, and what the partner may not read. */
async function leaveOut(
  listed: readonly ListedEvent[],
  { grants, scopeRule, bodySealer, eventTypes: known = standardEventTypes }: ReadFeedDeps,
  { appId, eventTypes: asked }: FeedRequest,
): Promise<readonly WithBody[]> {
  const wantedTypes: readonly EventName[] = asked ?? eventTypes
  const wanted = listed.filter(
    (event): event is WithBody =>
      !event.test && event.body !== null && event.body.length > 0 && wantedTypes.includes(event.type),
  )
  const found = await findGrants(
    grants,
    wanted.map(({ userId }) => ({ appId, userId })),
  )
  const readable = wanted.filter(({ type }, index) => isGranted(known, type, found[index]?.scopes ?? [], scopeRule))
  const bodies = await openStored(
    readable.map(({ userId, eventId, body }) => ({ appId, userId, part: 'event', recordId: eventId, stored: body })),
    bodySealer,
  )
  return readable.flatMap((event, index) => {
    const body = bodies[index] ?? null
    return body === null ? [] : [{ ...event, body }]
  })
}

async function itemOf(event: WithBody, endpoints: readonly Endpoint[]): Promise<FeedItem> {
  const { eventId, type, createdAt, body } = event
  const byEndpoint = new Map<string, FeedItem['deliveries'][number]>()
  for (const delivery of event.deliveries) {
    if (byEndpoint.get(delivery.endpointId)?.state !== 'DELIVERED') byEndpoint.set(delivery.endpointId, delivery)
  }
  const deliveries = [...byEndpoint.values()]
  for (const { endpointId, lineageId } of matchEndpoints(endpoints, type)) {
    const xEventId = await xEventIdOf(eventId, lineageId)
    if (!deliveries.some((made) => made.xEventId === xEventId)) deliveries.push({ endpointId, xEventId, state: null })
  }
  return { eventId, type, createdAt, body, deliveries }
}
