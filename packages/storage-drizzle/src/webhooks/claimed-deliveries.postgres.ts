import { sql, type SQL } from 'drizzle-orm'
import type { EventName } from '@kyc-relay/webhooks/internal'
import type { ClaimedDelivery } from '@kyc-relay/webhooks/delivery'
import { textArray } from '../engine/postgres/parameters.js'
import type { Queryable } from '../engine/postgres/statement.js'
import { parseHeaders } from './sealed-headers.js'
import { statementByApp } from './by-app.postgres.js'

const value = sql.placeholder

/** What is sent of a claimed delivery. */
export interface ClaimedRow {
  readonly eventId: string
  readonly xEventId: string
  readonly userId: string
  readonly eventType: EventName
  readonly test: boolean
  readonly endpointId: string
  readonly url: string
  readonly standardWebhooks: boolean
  readonly headers: string | null
  readonly body: Buffer | null
  readonly traceContext: string | null
}

/** Selects what is sent of claimed deliveries, in the given order. */
export const selectClaimed = (ofApp: (table: string) => SQL): SQL => sql`
SELECT delivery.event_id AS "eventId", delivery.x_event_id AS "xEventId", delivery.user_id AS "userId",
  delivery.event_type AS "eventType", event.test, endpoint.endpoint_id AS "endpointId", endpoint.url,
  endpoint.standard_webhooks AS "standardWebhooks", endpoint.headers, event.body, event.trace_context AS "traceContext"
FROM unnest(${value('appIds')}::text[], ${value('deliveryIds')}::text[])
  WITH ORDINALITY AS claimed (app_id, delivery_id, ordinal)
CROSS JOIN LATERAL (
  SELECT * FROM kyc_relay_deliveries AS delivery
  WHERE delivery.app_id = claimed.app_id AND delivery.delivery_id = claimed.delivery_id AND ${ofApp('delivery')} LIMIT 1
) AS delivery CROSS JOIN LATERAL (
  SELECT * FROM kyc_relay_events AS event
  WHERE event.app_id = claimed.app_id AND event.event_id = delivery.event_id AND ${ofApp('event')} LIMIT 1
) AS event CROSS JOIN LATERAL (
  SELECT * FROM kyc_relay_endpoints AS endpoint
  WHERE endpoint.app_id = claimed.app_id AND endpoint.endpoint_id = delivery.endpoint_id AND ${ofApp('endpoint')} LIMIT 1
) AS endpoint
ORDER BY claimed.ordinal`

const readClaimed = statementByApp<ClaimedRow>('read_claimed', selectClaimed)

/** A delivery with an open attempt. */
export interface Leased {
  readonly appId: string
  readonly deliveryId: string
  readonly attempt: number
  readonly token: string
  readonly unsentSince: Date | null
}

/** Reads what is sent of leased deliveries. */
export async function readLeased(
  on: Queryable,
  appId: string | null,
  leased: readonly Leased[],
  nowMs: number,
): Promise<readonly ClaimedDelivery[]> {
  if (leased.length === 0) return []
  return claimedOf(leased, await readClaimed.rows(on, { appId, ...deliveryKeysOf(leased) }), nowMs)
}

/** Joins leases to what is sent of them, in the same order. */
export function claimedOf(
  leased: readonly Leased[],
  rows: readonly ClaimedRow[],
  nowMs: number,
): readonly ClaimedDelivery[] {
  return leased.flatMap((lease, index) => {
    const row = rows[index]
    return row === undefined ? [] : [readClaim(lease, row, nowMs)]
  })
}

export function deliveryKeysOf(rows: readonly Leased[]) {
  return {
    appIds: textArray(rows.map(({ appId }) => appId)),
    deliveryIds: textArray(rows.map(({ deliveryId }) => deliveryId)),
  }
}

/** Returns the bytes as Uint8Array without a copy, as other stores do: a Buffer has another JSON form. */
function bytesOf(body: Buffer | null): Uint8Array {
  return body === null ? new Uint8Array() : new Uint8Array(body.buffer, body.byteOffset, body.length)
}

function readClaim(lease: Leased, row: ClaimedRow, nowMs: number): ClaimedDelivery {
  const { appId, deliveryId, attempt, token, unsentSince } = lease
  const { endpointId, url, standardWebhooks } = row
  return {
    fence: { appId, deliveryId, attempt, token },
    deliveryId,
    eventId: row.eventId,
    xEventId: row.xEventId,
    appId,
    userId: row.userId,
    eventType: row.eventType,
    test: row.test,
    endpoint: { endpointId, url, standardWebhooks, headers: parseHeaders(row.headers) },
    body: bytesOf(row.body),
    unsentForMs: unsentSince === null ? 0 : Math.max(0, nowMs - unsentSince.getTime()),
    traceContext: row.traceContext,
  }
}
