import type Database from 'better-sqlite3'
import type { EventType } from '@kyc-relay/webhooks'
import { prepare } from './prepared.js'

/** What a claim reads of a delivery it opened or took over. */
export interface ClaimedRow {
  readonly deliveryId: string
  readonly attemptsMade: number
  readonly xEventId: string
  readonly appId: string
  readonly userId: string
  readonly eventType: EventType
  readonly unsentSince: number | null
  readonly event: number
  readonly endpoint: number
}

const claimedColumns = `delivery_id AS deliveryId, attempts_made AS attemptsMade, x_event_id AS xEventId, app_id AS appId,
  user_id AS userId, event_type AS eventType, unsent_since AS unsentSince, event, endpoint`

/**
 * The statements of a claim, without a query builder in between: they run for every delivery.
 */
export function prepareClaiming(client: Database.Database) {
  return {
    // Not `turn_at <= now`: after the clock was set back, a turn taken "in the future" must not hold an endpoint back.
    listTurns: prepare<
      [failing: number, now: number, cap: number, limit: number],
      { readonly endpoint: number; readonly inFlight: number; readonly turnAt: number }
    >(
      client,
      `SELECT endpoint, in_flight AS inFlight, turn_at AS turnAt FROM kyc_relay_endpoint_turns
      WHERE failing = ? AND next_due_at IS NOT NULL AND next_due_at <= ? AND in_flight < ?
      ORDER BY turn_at, next_due_at, endpoint LIMIT ?`,
    ),
    /** Due or not. */
    listWaiting: prepare<[endpoint: number, limit: number], { readonly position: number; readonly dueAt: number }>(
      client,
      `SELECT position, due_at AS dueAt FROM kyc_relay_deliveries
      WHERE endpoint = ? AND due_at IS NOT NULL ORDER BY due_at, position LIMIT ?`,
    ),
    openAttempt: prepare<[token: string, leaseUntil: number, position: number], ClaimedRow>(
      client,
      `UPDATE kyc_relay_deliveries
      SET due_at = NULL, lease_token = ?, lease_until = ?, attempts_made = attempts_made + 1
      WHERE position = ? RETURNING ${claimedColumns}`,
    ),
    openNumber: prepare<[delivery: number, number: number, startedAt: number]>(
      client,
      `INSERT INTO kyc_relay_attempts (delivery, number, state, started_at) VALUES (?, ?, 'STARTED', ?)
      ON CONFLICT (delivery, number) DO UPDATE
      SET state = 'STARTED', started_at = excluded.started_at, ended_at = NULL, report = NULL, response_body = NULL
      WHERE kyc_relay_attempts.state = 'UNSENT'`,
    ),
    findEvent: prepare<
      [event: number],
      {
        readonly eventId: string
        readonly test: number
        readonly body: Buffer | null
        readonly traceContext: string | null
      }
    >(
      client,
      `SELECT event_id AS eventId, test, body, trace_context AS traceContext
      FROM kyc_relay_events WHERE position = ?`,
    ),
    findEndpoint: prepare<
      [endpoint: number],
      { readonly endpointId: string; readonly url: string; readonly standardWebhooks: number }
    >(
      client,
      `SELECT endpoint_id AS endpointId, url, standard_webhooks AS standardWebhooks
      FROM kyc_relay_endpoints WHERE position = ?`,
    ),
    takeTurn: prepare<[claimed: number, now: number, nextDueAt: number | null, endpoint: number]>(
      client,
      `UPDATE kyc_relay_endpoint_turns SET in_flight = in_flight + ?, last_claimed_at = ?, next_due_at = ?
      WHERE endpoint = ?`,
    ),
    findEarliestDue: prepare<[], { readonly nextDueAt: number }>(
      client,
      `SELECT next_due_at AS nextDueAt FROM kyc_relay_endpoint_turns
        WHERE next_due_at IS NOT NULL ORDER BY next_due_at LIMIT 1`,
    ),
    listExpired: prepare<[now: number, limit: number], { readonly position: number }>(
      client,
      `SELECT position FROM kyc_relay_deliveries
        WHERE lease_until IS NOT NULL AND lease_until <= ? ORDER BY lease_until, position LIMIT ?`,
    ),
    takeOver: prepare<[token: string, leaseUntil: number, position: number], ClaimedRow>(
      client,
      `UPDATE kyc_relay_deliveries SET lease_token = ?, lease_until = ?
      WHERE position = ? RETURNING ${claimedColumns}`,
    ),
    endLeases: prepare<[now: number, now: number]>(
      client,
      'UPDATE kyc_relay_deliveries SET lease_until = ? WHERE lease_until IS NOT NULL AND lease_until > ?',
    ),
  }
}

export type ClaimingStatements = ReturnType<typeof prepareClaiming>
