import type {
  AttemptRecord,
  ClaimedDelivery,
  DeliveryFilter,
  DeliveryRecord,
  DeliveryState,
  Endpoint,
  PreparedEvent,
  AttemptResult,
} from '../delivery/webhook-store.js'

export interface StoredEndpoint {
  endpoint: Endpoint
  readonly sequence: number
  removed: boolean
  /** Time since which every attempt failed; null if the last one succeeded. */
  failingSinceMs: number | null
  lastSuccessAtMs: number | null
  lastClaimedAtMs: number
}

export interface StoredAttempt {
  readonly number: number
  readonly startedAtMs: number
  token: string
  leaseEndsAtMs: number
  ended: { readonly atMs: number; readonly result: AttemptResult } | null
}

export interface StoredDelivery {
  readonly deliveryId: string
  readonly event: PreparedEvent
  /** Changes when its endpoint is removed and another one of the lineage takes it over. */
  endpointId: string
  readonly xEventId: string
  readonly createdAtMs: number
  readonly resendOf: string | null
  /** Made by a recovery. */
  readonly recovered: boolean
  readonly sequence: number
  state: DeliveryState
  dueAtMs: number
  attemptsMade: number
  /** Set while in flight. */
  open: StoredAttempt | null
  attempts: StoredAttempt[]
  unsentSinceMs: number | null
  endedAtMs: number | null
  cancelReason: string | null
  /** Reason to cancel after the attempt in flight, unless it succeeds. */
  cancelRequested: string | null
}

/** Converts a record to a claimed delivery. */
export function claimedOf(
  delivery: StoredDelivery,
  endpoint: Endpoint,
  attempt: StoredAttempt,
  nowMs: number,
): ClaimedDelivery {
  const { endpointId, url, standardWebhooks, headers } = endpoint
  return {
    fence: {
      appId: delivery.event.appId,
      deliveryId: delivery.deliveryId,
      attempt: attempt.number,
      token: attempt.token,
    },
    deliveryId: delivery.deliveryId,
    eventId: delivery.event.eventId,
    xEventId: delivery.xEventId,
    appId: delivery.event.appId,
    userId: delivery.event.userId,
    eventType: delivery.event.type,
    test: delivery.event.test,
    endpoint: { endpointId, url, standardWebhooks, headers },
    body: delivery.event.body,
    unsentForMs: delivery.unsentSinceMs === null ? 0 : nowMs - delivery.unsentSinceMs,
    traceContext: delivery.event.traceContext ?? null,
  }
}

/** Converts a record to a stored delivery. */
export function recordOf(delivery: StoredDelivery, endpoint: Endpoint): DeliveryRecord {
  const { event } = delivery
  const waiting = delivery.state === 'PENDING' && delivery.open === null
  const sent = delivery.attempts.flatMap(({ ended }) => ended?.result.attempt ?? [])
  const last = sent.findLast(({ state }) => state !== 'UNSENT')?.report
  return {
    deliveryId: delivery.deliveryId,
    eventId: event.eventId,
    xEventId: delivery.xEventId,
    appId: event.appId,
    userId: event.userId,
    eventType: event.type,
    test: event.test,
    endpointId: delivery.endpointId,
    url: endpoint.url,
    state: delivery.state,
    attemptsMade: delivery.attemptsMade,
    createdAt: new Date(delivery.createdAtMs),
    nextAttemptAt: waiting ? new Date(delivery.dueAtMs) : null,
    endedAt: delivery.endedAtMs === null ? null : new Date(delivery.endedAtMs),
    cancelReason: delivery.cancelReason,
    resendOf: delivery.resendOf,
    httpStatus: last?.status ?? null,
    latencyMs: last?.timings.totalMs ?? null,
  }
}

/** Tells whether a delivery meets every condition that is given. @param movedId Transaction that its event moved. */
export function isFound(record: DeliveryRecord, filter: DeliveryFilter, movedId: string | undefined): boolean {
  const { createdAfter, createdBefore, transactionId, ...equal } = filter
  return (
    Object.entries(equal).every(
      ([field, value]) => value === undefined || record[field as keyof typeof equal] === value,
    ) &&
    (transactionId === undefined || movedId === transactionId) &&
    (createdAfter === undefined || record.createdAt >= createdAfter) &&
    (createdBefore === undefined || record.createdAt < createdBefore)
  )
}

/** Converts a record to a stored attempt. */
export function attemptRecordOf(attempt: StoredAttempt): AttemptRecord {
  const { ended } = attempt
  return {
    number: attempt.number,
    state: ended?.result.attempt.state ?? 'STARTED',
    startedAt: new Date(attempt.startedAtMs),
    endedAt: ended === null ? null : new Date(ended.atMs),
    report: ended === null ? null : structuredClone(ended.result.attempt.report),
  }
}

/** Compares by due time, earliest first; test events before all others, and what a recovery made after them. */
export function byDue(one: StoredDelivery, other: StoredDelivery): number {
  return (
    Number(other.event.test) - Number(one.event.test) ||
    Number(one.recovered) - Number(other.recovered) ||
    one.dueAtMs - other.dueAtMs ||
    one.sequence - other.sequence
  )
}
