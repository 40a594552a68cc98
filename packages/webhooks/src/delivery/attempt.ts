/** Identifies one attempt and the right to record its result. Another claim of the delivery makes the fence stale. */
export interface Fence {
  /** App of the delivery. */
  readonly appId: string
  readonly deliveryId: string
  /** Number of the attempt, 1 to 5. */
  readonly attempt: number
  /** Unique per claim. */
  readonly token: string
}

/** `STARTED` while in flight. `UNSENT` does not count as an attempt. */
export type AttemptState = 'STARTED' | 'SUCCEEDED' | 'FAILED' | 'INTERRUPTED' | 'UNSENT'

/** Cause of a failure, shown to the partner. */
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
  | 'HEADERS_UNAVAILABLE'
  | 'BODY_UNAVAILABLE'
  | 'RESOLVER_DOWN'
  | 'GRANT_REVOKED'
  | 'USER_ERASED'
  | 'GRANTS_UNAVAILABLE'
  | 'OUT_OF_SOCKETS'
  | 'PROXY_FAILED'
  | 'NO_TIME_LEFT'
  | 'INTERNAL_ERROR'

/** Data of one attempt. Durations are in milliseconds since its start. All are null for an interrupted attempt. */
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
  /**
   * Response headers, for example `Location`, `Content-Type` and `Retry-After`. Values that may hold secrets are
   * redacted.
   */
  readonly responseHeaders: Readonly<Record<string, string>>
  /** The first 16 KiB of the response body. */
  readonly responseBody: Uint8Array | null
  /** Version of the signing key that signed this attempt. */
  readonly keyVersion: number | null
}

/** Result of an attempt and the next state of its delivery. Applied only while the fence is current. */
export interface AttemptResult {
  readonly fence: Fence
  readonly attempt: { readonly state: Exclude<AttemptState, 'STARTED'>; readonly report: AttemptReport }
  readonly next:
    | { readonly state: 'DELIVERED' }
    | { readonly state: 'FAILED' }
    | { readonly state: 'CANCELLED'; readonly reason: string }
    /** Due again in `delayMs` by the store's clock. With attempt state `UNSENT` the attempt does not count. */
    | { readonly state: 'PENDING'; readonly delayMs: number }
}

/** A stored attempt. */
export interface AttemptRecord {
  readonly number: number
  readonly state: AttemptState
  readonly startedAt: Date
  readonly endedAt: Date | null
  readonly report: AttemptReport | null
}
