import { sql } from 'drizzle-orm'
import { now } from '../engine/postgres/parameters.js'
import { statement } from '../engine/postgres/statement.js'

const value = sql.placeholder

/** One statement for the three tables, so that a claim sees all of it or nothing. */
export const cancelOfEndpoint = statement(
  'cancel_of_endpoint',
  sql`
WITH cancelled AS (
  DELETE FROM kyc_relay_delivery_queue WHERE endpoint_id = ${value('endpointId')} AND due_at IS NOT NULL
  RETURNING delivery_id, attempts_made
), ended AS (
  UPDATE kyc_relay_deliveries AS delivery
  SET state = 'CANCELLED', attempts_made = cancelled.attempts_made, ended_at = ${now}, cancel_reason = 'ENDPOINT_REMOVED'
  FROM cancelled WHERE delivery.delivery_id = cancelled.delivery_id
)
UPDATE kyc_relay_endpoint_schedules SET next_due_at = NULL WHERE endpoint_id = ${value('endpointId')}`,
)

/** Searches through the user's events: a separate index would cost every delivery a write for this rare search. */
const pendingOfUser = sql`
  SELECT app_id, position FROM kyc_relay_deliveries WHERE ended_at IS NULL AND event_id IN (
    SELECT event_id FROM kyc_relay_events WHERE user_id = ${value('userId')} AND app_id = ${value('appId')}
  )`

/** For attempts in flight: they are not aborted and not retried. */
export const requestCancelOfUser = statement(
  'request_cancel_of_user',
  sql`
UPDATE kyc_relay_delivery_queue SET cancel_requested = ${value('reason')}
WHERE (app_id, position) IN (${pendingOfUser}) AND lease_token IS NOT NULL AND cancel_requested IS NULL`,
)

/** Blocks claims of every endpoint with a waiting delivery of the user. */
export const lockSchedulesOfUser = statement<{ endpointId: string }>(
  'lock_schedules_of_user',
  sql`
SELECT endpoint_id AS "endpointId" FROM kyc_relay_endpoint_schedules
WHERE endpoint_id IN (
  SELECT endpoint_id FROM kyc_relay_delivery_queue WHERE (app_id, position) IN (${pendingOfUser})
)
ORDER BY endpoint_id FOR NO KEY UPDATE`,
)

/** Deletes from the queue what it ends in the log: one statement, so that no claim comes between. */
export const cancelOfUser = statement(
  'cancel_of_user',
  sql`
WITH cancelled AS (
  DELETE FROM kyc_relay_delivery_queue WHERE (app_id, position) IN (${pendingOfUser}) AND due_at IS NOT NULL
  RETURNING delivery_id, attempts_made
)
UPDATE kyc_relay_deliveries AS delivery
SET state = 'CANCELLED', attempts_made = cancelled.attempts_made, ended_at = ${now}, cancel_reason = ${value('reason')}
FROM cancelled WHERE delivery.delivery_id = cancelled.delivery_id`,
)

/** The earliest waiting delivery of each endpoint, found by its index. */
export const refreshNextDue = statement(
  'refresh_next_due',
  sql`
UPDATE kyc_relay_endpoint_schedules AS schedule SET next_due_at = (
  SELECT due_at FROM kyc_relay_delivery_queue AS waiting
  WHERE waiting.endpoint_id = schedule.endpoint_id AND waiting.due_at IS NOT NULL
  ORDER BY waiting.due_at, waiting.position LIMIT 1
)
WHERE schedule.endpoint_id = ANY(${value('endpointIds')}::text[])`,
)

/** Reads the delivery to resend and locks its endpoint against removal. */
export const findForResend = statement<{ state: string; removed: boolean; blanked: boolean }>(
  'find_for_resend',
  sql`
SELECT delivery.state, endpoint.removed_at IS NOT NULL AS removed, event.body IS NULL AS blanked
FROM kyc_relay_deliveries AS delivery
JOIN kyc_relay_endpoints AS endpoint USING (endpoint_id)
JOIN kyc_relay_events AS event USING (event_id)
WHERE delivery.delivery_id = ${value('deliveryId')} AND delivery.app_id = ${value('appId')}
FOR SHARE OF endpoint`,
)

/** Copies the delivery, queues it and announces it in one statement. */
export const insertResend = statement(
  'insert_resend',
  sql`
WITH written AS (
  INSERT INTO kyc_relay_deliveries (
    delivery_id, event_id, endpoint_id, x_event_id, app_id, user_id, event_type, state, created_at, resend_of
  )
  SELECT ${value('newDeliveryId')}, event_id, endpoint_id, x_event_id, app_id, user_id, event_type, 'PENDING',
    ${now}, delivery_id
  FROM kyc_relay_deliveries WHERE delivery_id = ${value('deliveryId')}
  RETURNING app_id, position, delivery_id, endpoint_id, created_at
), queued AS (
  INSERT INTO kyc_relay_delivery_queue (app_id, position, delivery_id, endpoint_id, due_at)
  SELECT app_id, position, delivery_id, endpoint_id, created_at FROM written
)
INSERT INTO kyc_relay_due_notices (endpoint_id, due_at) SELECT endpoint_id, created_at FROM written`,
)
