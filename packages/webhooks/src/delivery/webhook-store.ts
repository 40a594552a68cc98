import type { EventName } from '../events/event-types.js'
import type { AttemptRecord, AttemptResult, Fence } from './attempt.js'
import type { Endpoint, EndpointHealth, EndpointHour, EndpointHealthChange, NewEndpoint, PausedBy } from './endpoint.js'

export type { AttemptCause, AttemptRecord, AttemptReport, AttemptResult, AttemptState, Fence } from './attempt.js'
export type { Endpoint, EndpointHealth, EndpointHour, EndpointHealthChange, NewEndpoint, PausedBy } from './endpoint.js'

/** Reason why an event has no deliveries. */
export type WithheldReason = 'SCOPE_NOT_GRANTED' | 'NO_GRANT' | 'NO_ENDPOINT'

/** A validated event, ready to be written, with its exact body bytes and its deliveries. */
export interface PreparedEvent {
  /** UUID (v7). */
  readonly eventId: string
  readonly appId: string
  /** The nil UUID for a test event. */
  readonly userId: string
  readonly type: EventName
  readonly occurredAt: Date
  /** Exact bytes that are signed, stored and sent. With a `BodySealer` these bytes sealed. Opaque to a store. */
  readonly body: Uint8Array
  readonly test: boolean
  /** Id of the event at its source, compared byte for byte. A second publish with this id returns the original event. */
  readonly sourceEventId: string | null
  readonly withheld: WithheldReason | null
  /**
   * Trace of the publisher: a `traceparent` (W3C Trace Context §3.2), opaque to the store. Every claim returns it. It
   * is never sent to the partner. Default null.
   */
  readonly traceContext?: string | null
  /**
   * Deliveries that may be made, one for each endpoint. `xEventId` is the value of `X-Event-ID`, the same on every
   * attempt. Endpoints of one lineage have the same: of these the store makes the first one whose endpoint is there.
   */
  readonly deliveries: readonly {
    readonly deliveryId: string
    readonly endpointId: string
    readonly xEventId: string
  }[]
}

/** What a store knows of the event that was published first under a `sourceEventId`. */
export interface OriginalEvent {
  readonly userId: string
  readonly type: EventName
  /**
   * As stored. Null or empty after an erasure or retention has blanked it, and for an event withheld for a missing scope.
   */
  readonly body: Uint8Array | null
}

/** The written event, or the original event of this `sourceEventId`. */
export interface InsertedEvent {
  readonly eventId: string
  /** `endpointId` is the endpoint that has the delivery now: a replacement or removal may have moved it. */
  readonly deliveries: readonly { readonly deliveryId: string; readonly endpointId: string }[]
  readonly withheld: WithheldReason | null
  /** True when `sourceEventId` was known, so nothing was written. */
  readonly duplicate: boolean
  /** What was published first under the `sourceEventId`, for `isSameEvent`; null when this event was written. */
  readonly original: OriginalEvent | null
}

/** A claimed delivery with an open attempt. The attempt is stored durably before the first network byte. */
export interface ClaimedDelivery {
  readonly fence: Fence
  readonly deliveryId: string
  readonly eventId: string
  readonly xEventId: string
  readonly appId: string
  readonly userId: string
  readonly eventType: EventName
  readonly test: boolean
  readonly endpoint: Pick<Endpoint, 'endpointId' | 'url' | 'standardWebhooks' | 'headers'>
  /** As stored: sealed with a `BodySealer`. */
  readonly body: Uint8Array
  /** Milliseconds since this delivery was first `UNSENT`; 0 if never. */
  readonly unsentForMs: number
  /** `traceContext` of the event, the same on every attempt and on a resend; null for an event without one. */
  readonly traceContext?: string | null
}

/**
 * `PENDING` until an attempt succeeds or the last one fails. The other three states are final (docs/contract.md 10.3).
 */
export type DeliveryState = 'PENDING' | 'DELIVERED' | 'FAILED' | 'CANCELLED'

/** A stored delivery. */
export interface DeliveryRecord {
  readonly deliveryId: string
  readonly eventId: string
  readonly xEventId: string
  readonly appId: string
  readonly userId: string
  readonly eventType: EventName
  readonly test: boolean
  readonly endpointId: string
  readonly url: string
  readonly state: DeliveryState
  readonly attemptsMade: number
  readonly createdAt: Date
  /** Due time of the next attempt; null in a final state or in flight. */
  readonly nextAttemptAt: Date | null
  readonly endedAt: Date | null
  readonly cancelReason: string | null
  /** For a resend, the id of the original delivery. */
  readonly resendOf: string | null
  /** HTTP status of the last attempt that was sent and has ended; null without one, and when it had no answer. */
  readonly httpStatus: number | null
  /** Duration of the same attempt, in milliseconds. */
  readonly latencyMs: number | null
}

/** Conditions on deliveries. All that are given must hold. */
export interface DeliveryFilter {
  readonly state?: DeliveryState
  readonly eventType?: EventName
  readonly endpointId?: string
  readonly eventId?: string
  readonly xEventId?: string
  readonly userId?: string
  /** Id of the transaction that the event moved. */
  readonly transactionId?: string
  /** HTTP status of the last attempt that was sent and has ended. */
  readonly httpStatus?: number
  /** Earliest creation, inclusive. */
  readonly createdAfter?: Date
  /** Latest creation, exclusive. */
  readonly createdBefore?: Date
}

/**
 * Stores endpoints, events, deliveries and attempts.
 *
 * Every method is atomic, and its arguments are plain data. Callers pass durations; the store's clock converts them to
 * instants. A write resolves only when it is durable.
 */
export interface WebhookStore {
  /**
   * Adds an endpoint unless its app already has `limitPerApp`. It inherits the lineage of its URL, and an operator's pause
   * of the last endpoint of that lineage. Rejects an id that the app already has, also of a removed endpoint.
   */
  registerEndpoint(endpoint: NewEndpoint, limitPerApp: number): Promise<'registered' | 'limit_reached'>
  /**
   * Removes an endpoint and adds another one in one write. The new one inherits the lineage and takes over what waits,
   * with its attempts and due times. The limit does not count.
   *
   * An attempt in flight is not aborted. Its success counts; its retry goes to the new endpoint. Deliveries of types that
   * the new one does not have are cancelled (`TYPE_NOT_SUBSCRIBED`). A paused endpoint is replaced by a paused one.
   *
   * @returns `url_in_use` when another lineage of the app ever had the new URL
   */
  replaceEndpoint(request: {
    readonly appId: string
    readonly endpointId: string
    readonly replacement: NewEndpoint
  }): Promise<'replaced' | 'not_found' | 'url_in_use'>
  /**
   * Removes an endpoint of this app; false when it does not exist. What waits goes to the newest endpoint of its lineage
   * that takes the type. Without one it is cancelled: `TYPE_NOT_SUBSCRIBED` if the lineage has other endpoints, else
   * `ENDPOINT_REMOVED`. Its static headers are erased.
   *
   * An attempt in flight is not aborted. Its success counts; its retry goes the same way.
   */
  removeEndpoint(request: { readonly appId: string; readonly endpointId: string }): Promise<boolean>
  /** Lists the endpoints of an app, oldest first, without removed ones. */
  listEndpoints(appId: string): Promise<readonly Endpoint[]>
  /** Tells the health of each endpoint of an app. */
  listEndpointHealth(appId: string): Promise<readonly EndpointHealth[]>
  /**
   * Counts the attempts to the endpoints of an app by hour, from the hour of `since` on, in any order. What was recorded is
   * counted. Hours of more than 31 days ago may be missing.
   */
  listEndpointHours(request: { readonly appId: string; readonly since: Date }): Promise<readonly EndpointHour[]>
  /**
   * Pauses an endpoint. An attempt in flight goes on; nothing is sent and no attempt is used up after it, but for test
   * events. An operator's pause replaces a partner's, not the reverse.
   */
  pauseEndpoint(request: {
    readonly appId: string
    readonly endpointId: string
    readonly by: PausedBy
    /** Who asked for it and why, for an audit log. */
    readonly actor?: { readonly name: string; readonly reason: string | null }
  }): Promise<'paused' | 'not_found'>
  /**
   * Resumes an endpoint. What waited is due at its due time, or now. An endpoint that is not paused stays as it is.
   *
   * @returns `paused_by_operator` when a partner asks to lift an operator's pause
   */
  resumeEndpoint(request: {
    readonly appId: string
    readonly endpointId: string
    readonly by: PausedBy
    /** Who asked for it and why, for an audit log. */
    readonly actor?: { readonly name: string; readonly reason: string | null }
  }): Promise<'resumed' | 'not_found' | 'paused_by_operator'>

  /**
   * Writes the event and its deliveries, all due now. What was for an endpoint that is removed by now goes to the newest
   * endpoint of its lineage that takes the type, else it is left out. Of deliveries with one `xEventId` the first is kept.
   *
   * A known `(appId, sourceEventId)` writes nothing and returns the original, which `isSameEvent` compares. An event that was
   * withheld for a missing grant or scope may be published again under its id, once it is not withheld.
   */
  insertEvent(event: PreparedEvent): Promise<InsertedEvent>

  /**
   * Claims due deliveries and opens their attempts. Each delivery is given to exactly one caller until its lease ends.
   *
   * Over all callers, an endpoint never has more attempts in flight than `maxInFlight.healthy`, or
   * `maxInFlight.failing` while its last attempt failed. Of `limit` slots, `keepForHealthy` are never given to failing
   * endpoints. Endpoints take turns; deliveries of an endpoint are claimed by due time, earliest first, test events before
   * all others. Of a paused endpoint only test events are claimed.
   *
   * @returns the claimed deliveries, and the milliseconds until the next unclaimed delivery is due: 0 when a due
   *   delivery is held back by a cap; null when no delivery waits. What waits for the end of a pause does not count. 0 may
   *   be wrong after changes of other processes: the next claim is right.
   */
  claimDue(request: {
    readonly limit: number
    readonly leaseMs: number
    readonly maxInFlight: { readonly healthy: number; readonly failing: number }
    readonly keepForHealthy: number
  }): Promise<{ readonly claimed: readonly ClaimedDelivery[]; readonly nextDueInMs: number | null }>

  /** Takes over attempts whose lease has ended, under fresh fences. The caller records them as `INTERRUPTED`. */
  claimExpired(request: { readonly limit: number; readonly leaseMs: number }): Promise<readonly ClaimedDelivery[]>

  /**
   * Applies each result whose fence is current and reports the rest as stale. A fence is current until another caller
   * takes the attempt over, even after its lease has ended.
   *
   * The results of an app are applied together or not at all. If the call rejects, those of other apps may be applied: a
   * second call reports them as stale.
   *
   * The delivery log shows each attempt number once: an `UNSENT` attempt is replaced by the next one.
   *
   * @returns the stale fences, and the changes of health: the endpoints that fail after the call and did not before, or the
   *   reverse. Each change is reported once, to one caller. If the call rejects, changes of other apps may be reported to
   *   no caller.
   */
  recordAttemptResults(
    results: readonly AttemptResult[],
  ): Promise<{ readonly stale: readonly Fence[]; readonly healthChanges: readonly EndpointHealthChange[] }>

  /**
   * Cancels the pending deliveries for a user of an app (grant revoked, user erased). An attempt in flight is not
   * aborted. Its success counts; instead of a retry, the delivery is cancelled. What the receiver answers to it is not
   * kept, because it can repeat data of the user.
   *
   * @returns the number of cancelled deliveries, including those that end with the attempt in flight
   */
  cancelPending(request: { readonly appId: string; readonly userId: string; readonly reason: string }): Promise<number>

  /** Returns a delivery with its body as stored; null for an unknown one or another app's. `openDelivery` opens the body. */
  findDelivery(request: {
    readonly appId: string
    readonly deliveryId: string
  }): Promise<(DeliveryRecord & { readonly body: Uint8Array; readonly attempts: readonly AttemptRecord[] }) | null>
  /** Lists deliveries, newest first. `limit` 1–200. Rejects a cursor that this store did not create for the app. */
  listDeliveries(
    request: DeliveryFilter & { readonly appId: string; readonly cursor?: string; readonly limit: number },
  ): Promise<{ readonly items: readonly DeliveryRecord[]; readonly nextCursor: string | null }>

  /**
   * Creates a delivery of the same event with the same `X-Event-ID`, due now: to the same endpoint, or if that was
   * removed, to the newest one of its lineage that takes the type. Rejects an id that the app already has.
   *
   * @returns `not_found` for another app's or an unknown delivery and for one whose body was blanked, `not_finished`
   *   while it is pending, `endpoint_removed` when there is no such endpoint.
   */
  resendDelivery(request: {
    readonly appId: string
    readonly deliveryId: string
    readonly newDeliveryId: string
  }): Promise<'resent' | 'not_found' | 'not_finished' | 'endpoint_removed'>

  /**
   * Calls back when a delivery may have become due. Optional: polling is sufficient. Resolves to a function that stops
   * the calls.
   */
  onDue?(wake: () => void): Promise<() => Promise<void>>
}

/** A page of the delivery log: filters, limit and cursor. */
export type ListDeliveriesRequest = Parameters<WebhookStore['listDeliveries']>[0]
