import { sql } from 'drizzle-orm'
import { now } from '../engine/postgres/parameters.js'
import { statement } from '../engine/postgres/statement.js'
import { sentTo } from './claim-statements.postgres.js'

const value = sql.placeholder

/** Searches through the user's events: a separate index would cost every delivery a write for this rare search. */
const pendingOfUser = sql`
  SELECT delivery.position FROM kyc_relay_events AS event
  JOIN kyc_relay_deliveries AS delivery ON delivery.app_id = ${value('appId')} AND delivery.event_id = event.event_id
  WHERE event.app_id = ${value('appId')} AND event.user_id = ${value('userId')} AND delivery.ended_at IS NULL`

/** For attempts in flight: they are not aborted and not retried. */
export const requestCancelOfUser = statement(
  'request_cancel_of_user',
  sql`
UPDATE kyc_relay_delivery_queue SET cancel_requested = ${value('reason')}
WHERE app_id = ${value('appId')} AND position IN (${pendingOfUser})
  AND lease_token IS NOT NULL AND cancel_requested IS NULL`,
)

/** Blocks claims of every endpoint with a waiting delivery of the user. */
export const lockSchedulesOfUser = statement<{ endpointId: string }>(
  'lock_schedules_of_user',
  sql`
SELECT endpoint_id AS "endpointId" FROM kyc_relay_endpoint_schedules
WHERE app_id = ${value('appId')} AND endpoint_id IN (
  SELECT endpoint_id FROM kyc_relay_delivery_queue
  WHERE app_id = ${value('appId')} AND position IN (${pendingOfUser})
)
ORDER BY endpoint_id FOR NO KEY UPDATE`,
)

/**
 * Deletes from the queue what it ends in the log: one statement, so that no claim comes between. Only of endpoints whose
 * schedules are locked: a claim of another one may be about to lease its deliveries.
 */
export const cancelOfUser = statement(
  'cancel_of_user',
  sql`
WITH cancelled AS (
  DELETE FROM kyc_relay_delivery_queue
  WHERE app_id = ${value('appId')} AND position IN (${pendingOfUser}) AND due_at IS NOT NULL
    AND endpoint_id = ANY(${value('endpointIds')}::text[])
  RETURNING delivery_id, attempts_made
)
UPDATE kyc_relay_deliveries AS delivery
SET state = 'CANCELLED', attempts_made = cancelled.attempts_made, ended_at = ${now}, cancel_reason = ${value('reason')}
FROM cancelled WHERE delivery.app_id = ${value('appId')} AND delivery.delivery_id = cancelled.delivery_id`,
)

/** The earliest waiting delivery of each endpoint that may be sent: the first of each class, found by its index. */
export const refreshNextDue = statement(
  'refresh_next_due',
  sql`
UPDATE kyc_relay_endpoint_schedules AS schedule SET next_due_at = (
  SELECT min(first.due_at) FROM unnest(${sentTo(sql`schedule.paused`)}) AS sent (class) CROSS JOIN LATERAL (
    SELECT due_at FROM kyc_relay_delivery_queue AS waiting
    WHERE waiting.app_id = ${value('appId')} AND waiting.endpoint_id = schedule.endpoint_id
      AND waiting.class = sent.class AND waiting.due_at IS NOT NULL
    ORDER BY waiting.due_at, waiting.position LIMIT 1
  ) AS first
)
WHERE schedule.app_id = ${value('appId')} AND schedule.endpoint_id = ANY(${value('endpointIds')}::text[])`,
)

/** Reads the delivery to resend and locks its endpoint against removal, and its event against retention. */
export const findForResend = statement<{
  state: string
  endpointId: string
  eventType: string
  lineageId: string
  removed: boolean
  paused: boolean
  test: boolean
  blanked: boolean
}>(
  'find_for_resend',
  sql`
SELECT delivery.state, delivery.endpoint_id AS "endpointId", delivery.event_type AS "eventType",
  endpoint.lineage_id AS "lineageId", endpoint.removed_at IS NOT NULL AS removed, endpoint.paused_by IS NOT NULL AS paused, event.test, event.body IS NULL AS blanked
FROM kyc_relay_deliveries AS delivery
JOIN kyc_relay_endpoints AS endpoint USING (app_id, endpoint_id)
JOIN kyc_relay_events AS event USING (app_id, event_id)
WHERE delivery.app_id = ${value('appId')} AND delivery.delivery_id = ${value('deliveryId')}
FOR SHARE OF endpoint, event`,
)

/** Copies and queues the delivery. Writes a due notice unless it waits for the end of a pause. One statement. */
export const insertResend = statement(
  'insert_resend',
  sql`
WITH written AS (
  INSERT INTO kyc_relay_deliveries (
    app_id, delivery_id, event_id, endpoint_id, x_event_id, user_id, event_type, state, created_at, resend_of
  )
  SELECT app_id, ${value('newDeliveryId')}, event_id, ${value('endpointId')}, x_event_id, user_id, event_type, 'PENDING',
    ${now}, delivery_id
  FROM kyc_relay_deliveries WHERE app_id = ${value('appId')} AND delivery_id = ${value('deliveryId')}
  RETURNING app_id, position, delivery_id, endpoint_id, created_at
), queued AS (
  INSERT INTO kyc_relay_delivery_queue (app_id, position, delivery_id, endpoint_id, class, due_at)
  SELECT app_id, position, delivery_id, endpoint_id, ${value('class')}::smallint, created_at FROM written
)
INSERT INTO kyc_relay_due_notices (app_id, endpoint_id, due_at)
SELECT app_id, endpoint_id, created_at FROM written WHERE NOT ${value('held')}::boolean`,
)
