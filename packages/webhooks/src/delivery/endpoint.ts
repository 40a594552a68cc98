import type { EventName } from '../events/event-types.js'
import type { AttemptCause } from './attempt.js'
import type { SealedHeaders } from './endpoint-headers.js'

/** An HTTPS URL with its event types, to register. */
export interface NewEndpoint {
  /** UUID. */
  readonly endpointId: string
  readonly appId: string
  readonly url: string
  /** Subscribed event types; null for all events, including types of later versions. */
  readonly eventTypes: readonly EventName[] | null
  /** True to send the three Standard Webhooks headers in addition to `X-HMAC-Signature`. */
  readonly standardWebhooks: boolean
  /** Name that the partner gave, at most 200 characters. Default null. */
  readonly description?: string | null
  /** Headers that every request to it carries. Default null. Not kept after its removal. */
  readonly headers?: SealedHeaders | null
  readonly createdAt: Date
}

/** Who paused an endpoint. A partner cannot lift an operator's pause. */
export type PausedBy = 'PARTNER' | 'OPERATOR'

/** A registered endpoint. */
export interface Endpoint extends NewEndpoint {
  /**
   * UUID: the id of the first endpoint of its lineage. A lineage is all endpoints of an app with one URL, at the same
   * time or one after the other. Registering the URL again continues it, and so does `replaceEndpoint`, also with another
   * URL. `X-Event-ID` is computed from it, so that it stays the same.
   */
  readonly lineageId: string
  readonly description: string | null
  readonly headers: SealedHeaders | null
  /** Null unless paused. While it is paused, only test events are sent to it; all others wait. */
  readonly pausedBy: PausedBy | null
}

/** How the deliveries of an endpoint end. */
export interface EndpointHealth {
  readonly endpointId: string
  /** Time of the first of its last attempts that all failed; null if its last attempt succeeded, or none was sent. */
  readonly failingSince: Date | null
  /**
   * End of its last attempt that succeeded; null without one. It stays when the delivery is no longer kept. A store need
   * not write each success of a healthy endpoint: the time may lag behind by about a minute, or until the next success.
   */
  readonly lastSuccessAt: Date | null
}

/** A change of health: an endpoint that began or ceased to fail. */
export interface EndpointHealthChange {
  readonly appId: string
  readonly endpointId: string
  /** True if its last attempt failed, and the one before did not. */
  readonly failing: boolean
}

/** How the attempts of one hour ended at an endpoint, by cause. Attempts that were not sent do not count. */
export interface EndpointHour {
  readonly endpointId: string
  /** Start of the hour, UTC. */
  readonly hour: Date
  /** Why they failed; null if the receiver acknowledged. */
  readonly cause: AttemptCause | null
  /** Number of attempts that ended in this hour. */
  readonly attempts: number
  /** How many of them were the first of their delivery. */
  readonly firstAttempts: number
  /** How many of them ended their delivery as `FAILED`. */
  readonly failedDeliveries: number
}
