import type { EventType } from '../events/event-types.js'

/** A registered HTTPS URL with its event types. */
export interface Endpoint {
  /** UUID. */
  readonly endpointId: string
  readonly appId: string
  readonly url: string
  /** Null subscribes to all events, those of later versions included. */
  readonly eventTypes: readonly EventType[] | null
  /** Send the three Standard Webhooks headers beside `X-HMAC-Signature`. */
  readonly standardWebhooks: boolean
  readonly createdAt: Date
}

/** Why an event reaches nobody. */
export type WithheldReason = 'SCOPE_NOT_GRANTED' | 'NO_GRANT' | 'NO_ENDPOINT'

/** An event ready to be written: validated, its body bytes frozen, its deliveries known. */
export interface PreparedEvent {
  /** UUID (v7). */
  readonly eventId: string
  readonly appId: string
  /** The nil UUID for a test event. */
  readonly userId: string
  readonly type: EventType
  readonly occurredAt: Date
  /** The exact bytes that are signed, stored and sent. */
  readonly body: Uint8Array
  readonly test: boolean
  /** Id of the fact at its source; publishing it again gives the original event. */
  readonly sourceEventId: string | null
  readonly withheld: WithheldReason | null
  /**
   * Which trace published it: a `traceparent` as in W3C Trace Context §3.2, opaque to the store. Given back with every
   * claim, never sent to the partner. Default null.
   */
  readonly traceContext?: string | null
  /** One per endpoint. `xEventId` is the value of `X-Event-ID`, the same on every attempt. */
  readonly deliveries: readonly {
    readonly deliveryId: string
    readonly endpointId: string
    readonly xEventId: string
  }[]
}

/** What was written, or what was written the first time this `sourceEventId` came. */
export interface InsertedEvent {
  readonly eventId: string
  readonly deliveries: readonly { readonly deliveryId: string; readonly endpointId: string }[]
  readonly withheld: WithheldReason | null
  /** True when `sourceEventId` was known: nothing was written. */
  readonly duplicate: boolean
}

/** Names one attempt and the right to record its result. A claim by anyone else makes the fence stale. */
export interface Fence {
  readonly deliveryId: string
  /** 1 to 5. */
  readonly attempt: number
  /** Unique per claim. */
  readonly token: string
}

/** A delivery whose attempt is open: its number is counted, durably, before the first network byte. */
export interface ClaimedDelivery {
  readonly fence: Fence
  readonly deliveryId: string
  readonly eventId: string
  readonly xEventId: string
  readonly appId: string
  readonly userId: string
  readonly eventType: EventType
  readonly test: boolean
  readonly endpoint: { readonly endpointId: string; readonly url: string; readonly standardWebhooks: boolean }
  readonly body: Uint8Array
  /** How long this delivery has already been given back as `UNSENT`, in milliseconds since the first time; 0 if never. */
  readonly unsentForMs: number
  /** `traceContext` of the event, the same on every attempt and on a resend; null when it was published without one. */
  readonly traceContext?: string | null
}

/** `PENDING` until an attempt succeeds or none is left; the other three are final (docs/contract.md 10.3). */
export type DeliveryState = 'PENDING' | 'DELIVERED' | 'FAILED' | 'CANCELLED'

/** `STARTED` while in flight. `UNSENT` gave its number back. */
export type AttemptState = 'STARTED' | 'SUCCEEDED' | 'FAILED' | 'INTERRUPTED' | 'UNSENT'

/** Coarse class of what went wrong, shown to the partner. */
export type AttemptCause =
  | 'HTTP_STATUS'
  | 'REDIRECT'
  | 'TIMEOUT'
  | 'CONNECT_FAILED'
  | 'TLS_FAILED'
  | 'DNS_FAILED'
  | 'ENDPOINT_NOT_ALLOWED'
  | 'CONNECTION_LOST'
  | 'INVALID_RESPONSE'
  | 'INTERRUPTED'
  | 'SIGNING_KEY_MISSING'
  | 'RESOLVER_DOWN'
  | 'GRANT_REVOKED'
  | 'GRANTS_UNAVAILABLE'
  | 'OUT_OF_SOCKETS'
  | 'INTERNAL_ERROR'

/** What one attempt saw. Durations in milliseconds since the attempt began. All null for an interrupted attempt. */
export interface AttemptReport {
  readonly cause: AttemptCause | null
  readonly status: number | null
  readonly address: string | null
  readonly timings: {
    readonly dnsMs: number | null
    readonly connectMs: number | null
    readonly tlsMs: number | null
    readonly firstByteMs: number | null
    readonly totalMs: number | null
  }
  /** `Location` of a 3xx, `Content-Type`, `Retry-After` and the like; values that may hold secrets are redacted. */
  readonly responseHeaders: Readonly<Record<string, string>>
  /** At most 16 KiB of the response body. */
  readonly responseBody: Uint8Array | null
  /** Version of the signing key that signed this attempt. */
  readonly keyVersion: number | null
}

/** How an attempt ended and what follows for its delivery. Applied only while the fence is current. */
export interface AttemptResult {
  readonly fence: Fence
  readonly attempt: { readonly state: Exclude<AttemptState, 'STARTED'>; readonly report: AttemptReport }
  readonly next:
    | { readonly state: 'DELIVERED' }
    | { readonly state: 'FAILED' }
    | { readonly state: 'CANCELLED'; readonly reason: string }
    /** Due again `delayMs` after now by the store's clock. With attempt state `UNSENT` the number is given back. */
    | { readonly state: 'PENDING'; readonly delayMs: number }
}

/** One attempt as read back. */
export interface AttemptRecord {
  readonly number: number
  readonly state: AttemptState
  readonly startedAt: Date
  readonly endedAt: Date | null
  readonly report: AttemptReport | null
}

/** A delivery as read back. */
export interface DeliveryRecord {
  readonly deliveryId: string
  readonly eventId: string
  readonly xEventId: string
  readonly appId: string
  readonly userId: string
  readonly eventType: EventType
  readonly test: boolean
  readonly endpointId: string
  readonly url: string
  readonly state: DeliveryState
  readonly attemptsMade: number
  readonly createdAt: Date
  /** When the next attempt is due; null in a final state or in flight. */
  readonly nextAttemptAt: Date | null
  readonly endedAt: Date | null
  readonly cancelReason: string | null
  /** The delivery that a person asked to repeat, for a resend. */
  readonly resendOf: string | null
}

/**
 * Keeps endpoints, events, deliveries and attempts.
 *
 * Every method is one atomic unit of work whose arguments are plain data. Durations cross the port; the store's own
 * clock makes them instants. Resolves only when a write is durable.
 */
export interface WebhookStore {
  /** Adds an endpoint unless its app already has `limitPerApp`. */
  registerEndpoint(endpoint: Endpoint, limitPerApp: number): Promise<'registered' | 'limit_reached'>
  /**
   * Removes an endpoint of this app and cancels its pending deliveries; false when there is none (any more). An attempt
   * under way ends by itself: a success counts, and a result that asks for another attempt cancels instead.
   */
  removeEndpoint(request: { readonly appId: string; readonly endpointId: string }): Promise<boolean>
  /** Oldest first, removed ones left out. */
  listEndpoints(appId: string): Promise<readonly Endpoint[]>

  /**
   * Writes the event and its deliveries, all due now, or nothing. Deliveries to endpoints that were removed meanwhile
   * are left out. A known `(appId, sourceEventId)` writes nothing and gives the original.
   */
  insertEvent(event: PreparedEvent): Promise<InsertedEvent>

  /**
   * Claims due deliveries and opens their attempts: each is given to exactly one caller until its lease ends.
   *
   * An endpoint never has more in flight, over all claimers, than `maxInFlight.healthy`, or `maxInFlight.failing` while
   * its last attempt failed. Of `limit`, `keepForHealthy` slots are never given to failing endpoints. Within that,
   * longest due first, endpoints taking turns.
   *
   * @returns the claimed deliveries, and when the next unclaimed one will be due (milliseconds; 0 when something is due
   *   already but held back by a cap; null when nothing waits).
   */
  claimDue(request: {
    readonly limit: number
    readonly leaseMs: number
    readonly maxInFlight: { readonly healthy: number; readonly failing: number }
    readonly keepForHealthy: number
  }): Promise<{ readonly claimed: readonly ClaimedDelivery[]; readonly nextDueInMs: number | null }>

  /** Takes over attempts whose lease ended, under fresh fences, so that they can be recorded as `INTERRUPTED`. */
  claimExpired(request: { readonly limit: number; readonly leaseMs: number }): Promise<readonly ClaimedDelivery[]>

  /**
   * Applies each result whose fence is current; the others change nothing and are answered as stale. A fence stays
   * current after its lease ended until somebody takes the attempt over.
   *
   * The log shows a number once: an attempt that gave its number back is replaced by the one that uses it.
   */
  recordAttemptResults(results: readonly AttemptResult[]): Promise<{ readonly stale: readonly Fence[] }>

  /**
   * Cancels what is pending for a user of an app (grant revoked, user erased). An attempt in flight ends by itself: a
   * success counts, and a result that asks for another attempt cancels instead.
   *
   * @returns how many deliveries were cancelled, those included that end with the attempt in flight
   */
  cancelPending(request: { readonly appId: string; readonly userId: string; readonly reason: string }): Promise<number>

  /** Null also for another app's delivery. */
  findDelivery(request: {
    readonly appId: string
    readonly deliveryId: string
  }): Promise<(DeliveryRecord & { readonly body: Uint8Array; readonly attempts: readonly AttemptRecord[] }) | null>
  /** Newest first. `limit` 1–200. Rejects a cursor that this store did not make for the app. */
  listDeliveries(request: {
    readonly appId: string
    readonly state?: DeliveryState
    readonly eventType?: EventType
    readonly endpointId?: string
    readonly cursor?: string
    readonly limit: number
  }): Promise<{ readonly items: readonly DeliveryRecord[]; readonly nextCursor: string | null }>

  /**
   * A new delivery of the same event to the same endpoint with the same `X-Event-ID`, due now.
   *
   * @returns `not_found` for another app's or an unknown delivery, `not_finished` while it is pending,
   *   `endpoint_removed` when there is nowhere to send it.
   */
  resendDelivery(request: {
    readonly appId: string
    readonly deliveryId: string
    readonly newDeliveryId: string
  }): Promise<'resent' | 'not_found' | 'not_finished' | 'endpoint_removed'>

  /** A hint that something became due. Optional: polling alone stays correct. Resolves to a function that stops it. */
  onDue?(wake: () => void): Promise<() => Promise<void>>
}
