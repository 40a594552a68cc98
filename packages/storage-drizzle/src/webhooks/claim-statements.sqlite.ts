import type Database from 'better-sqlite3'
import type { EventName } from '@kyc-relay/webhooks/internal'
import { prepare, prepareRows } from '../engine/sqlite/statement.js'

/** Columns of a delivery that was claimed or taken over. */
export type ClaimedRow = readonly [
  deliveryId: string,
  attemptsMade: number,
  xEventId: string,
  appId: string,
  userId: string,
  eventType: EventName,
  unsentSince: number | null,
  eventId: string,
  test: number,
  body: Buffer | null,
  traceContext: string | null,
  endpointId: string,
  url: string,
  standardWebhooks: number,
  headers: string | null,
]

/** Prepares the statements that run for every claim, without the query builder. */
export function prepareClaiming(client: Database.Database) {
  return {
    // Not `waiting_since <= now`: after the clock was set back, a future value must not delay an endpoint.
    listSchedules: prepareRows<
      [failing: number, now: number, cap: number, limit: number],
      readonly [endpoint: number, inFlight: number, waitingSince: number, paused: number]
    >(
      client,
      `SELECT endpoint, in_flight, waiting_since, paused FROM kyc_relay_endpoint_schedules
      WHERE failing = ? AND next_due_at IS NOT NULL AND next_due_at <= ? AND in_flight < ?
      ORDER BY waiting_since, next_due_at, endpoint LIMIT ? + 0`,
    ),
    /** All waiting deliveries of a class, due or not. */
    listWaiting: prepareRows<
      [endpoint: number, ofClass: number, limit: number],
      readonly [position: number, dueAt: number]
    >(
      client,
      `SELECT position, due_at FROM kyc_relay_deliveries
      WHERE endpoint = ? AND class = ? AND due_at IS NOT NULL ORDER BY due_at, position LIMIT ? + 0`,
    ),
    openAttempt: prepare<[token: string, leaseUntil: number, position: number]>(
      client,
      `UPDATE kyc_relay_deliveries
      SET due_at = NULL, lease_token = ?, lease_until = ?, attempts_made = attempts_made + 1 WHERE position = ?`,
    ),
    openNumber: prepare<[delivery: number, number: number, startedAt: number]>(
      client,
      `INSERT INTO kyc_relay_attempts (delivery, number, state, started_at) VALUES (?, ?, 'STARTED', ?)
      ON CONFLICT (delivery, number) DO UPDATE
      SET state = 'STARTED', started_at = excluded.started_at, ended_at = NULL, report = NULL, response_body = NULL
      WHERE kyc_relay_attempts.state = 'UNSENT'`,
    ),
    findClaimed: prepareRows<[position: number], ClaimedRow>(
      client,
      `SELECT delivery_id, attempts_made, x_event_id, delivery.app_id, delivery.user_id, event_type, unsent_since,
        event_id, test, body, trace_context, endpoint_id, url, standard_webhooks, headers
      FROM kyc_relay_deliveries AS delivery JOIN kyc_relay_events AS event ON event.position = delivery.event
        JOIN kyc_relay_endpoints AS endpoint ON endpoint.position = delivery.endpoint
      WHERE delivery.position = ?`,
    ),
    moveSchedule: prepare<[claimed: number, now: number, nextDueAt: number | null, endpoint: number]>(
      client,
      `UPDATE kyc_relay_endpoint_schedules SET in_flight = in_flight + ?, last_claimed_at = ?, next_due_at = ?
      WHERE endpoint = ?`,
    ),
    findEarliestDue: prepareRows<[], readonly [nextDueAt: number]>(
      client,
      `SELECT next_due_at FROM kyc_relay_endpoint_schedules WHERE next_due_at IS NOT NULL ORDER BY next_due_at LIMIT 1`,
    ),
    listExpired: prepareRows<[now: number, limit: number], readonly [position: number]>(
      client,
      `SELECT position FROM kyc_relay_deliveries
        WHERE lease_until IS NOT NULL AND lease_until <= ? ORDER BY lease_until, position LIMIT ? + 0`,
    ),
    takeOver: prepare<[token: string, leaseUntil: number, position: number]>(
      client,
      'UPDATE kyc_relay_deliveries SET lease_token = ?, lease_until = ? WHERE position = ?',
    ),
    endLeases: prepare<[now: number, now: number]>(
      client,
      'UPDATE kyc_relay_deliveries SET lease_until = ? WHERE lease_until IS NOT NULL AND lease_until > ?',
    ),
  }
}

export type ClaimingStatements = ReturnType<typeof prepareClaiming>
