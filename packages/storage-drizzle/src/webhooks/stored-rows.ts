import type { AttemptRecord, AttemptReport, DeliveryRecord, Endpoint } from '@kyc-relay/webhooks/delivery'
import type { EventName } from '@kyc-relay/webhooks/internal'
import { dateOrNull, type StoredInstant } from '../stored-instant.js'
import { parseHeaders } from './sealed-headers.js'

// Rows as both engines select them.

interface EndpointRow extends Omit<Endpoint, 'eventTypes' | 'headers' | 'standardWebhooks' | 'createdAt'> {
  /** JSON array; null for all events. */
  readonly eventTypes: string | null
  readonly headers: string | null
  readonly standardWebhooks: number | boolean
  readonly createdAt: StoredInstant
}

export function readEndpoint(row: EndpointRow): Endpoint {
  return {
    endpointId: row.endpointId,
    appId: row.appId,
    url: row.url,
    lineageId: row.lineageId,
    description: row.description,
    eventTypes: row.eventTypes === null ? null : (JSON.parse(row.eventTypes) as EventName[]),
    headers: parseHeaders(row.headers),
    standardWebhooks: Boolean(row.standardWebhooks),
    pausedBy: row.pausedBy,
    createdAt: new Date(row.createdAt),
  }
}

interface DeliveryRow extends Omit<DeliveryRecord, 'test' | 'createdAt' | 'nextAttemptAt' | 'endedAt'> {
  readonly test: number | boolean
  readonly createdAt: StoredInstant
  readonly dueAt: StoredInstant | null
  readonly endedAt: StoredInstant | null
}

export function readDelivery(row: DeliveryRow): DeliveryRecord {
  return {
    deliveryId: row.deliveryId,
    eventId: row.eventId,
    xEventId: row.xEventId,
    appId: row.appId,
    userId: row.userId,
    eventType: row.eventType,
    test: Boolean(row.test),
    endpointId: row.endpointId,
    url: row.url,
    state: row.state,
    attemptsMade: row.attemptsMade,
    createdAt: new Date(row.createdAt),
    nextAttemptAt: dateOrNull(row.dueAt),
    endedAt: dateOrNull(row.endedAt),
    cancelReason: row.cancelReason,
    resendOf: row.resendOf,
    httpStatus: row.httpStatus,
    latencyMs: row.latencyMs,
  }
}

interface AttemptRow extends Pick<AttemptRecord, 'number' | 'state'> {
  readonly startedAt: StoredInstant
  readonly endedAt: StoredInstant | null
  /** JSON, without the response body. */
  readonly report: string | null
  readonly responseBody: Uint8Array | null
}

export function readAttempt(row: AttemptRow): AttemptRecord {
  const responseBody = row.responseBody === null ? null : new Uint8Array(row.responseBody)
  const report =
    row.report === null ? null : { ...(JSON.parse(row.report) as Omit<AttemptReport, 'responseBody'>), responseBody }
  return {
    number: row.number,
    state: row.state,
    startedAt: new Date(row.startedAt),
    endedAt: dateOrNull(row.endedAt),
    report,
  }
}
