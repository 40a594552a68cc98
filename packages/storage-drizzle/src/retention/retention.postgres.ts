import { sql } from 'drizzle-orm'
import { checkedLimit } from '../pages.js'
import { completePolicy, removedRows, type Retention } from './retention.js'
import type { PostgresDatabase } from '../engine/postgres/database.js'
import { now } from '../engine/postgres/parameters.js'
import { statement, type Queryable } from '../engine/postgres/statement.js'
import { groupByApp, statementByApp } from '../webhooks/by-app.postgres.js'
import { listOldHours, listUnmergedHours, mergeHour, removeHours } from '../webhooks/endpoint-hours.postgres.js'
import { listHeldUsers, lockHeldUsers } from '../user-retention/store.postgres.js'
import { heldClasses } from '../webhooks/values.js'

const value = sql.placeholder
const before = sql`${now} - ${value('ageMs')}::float8 * interval '1 millisecond'`

/** Users under a legal hold. */
const heldUsers = sql`${value('heldUsers')}::text[]`

const held = sql.raw(`'{${heldClasses.join()}}'::smallint[]`)

/** Lists what waits too long for the end of a pause. */
const listOverdue = statement<{ appId: string; endpointId: string; position: number }>(
  'retention_list_overdue',
  sql`
SELECT waiting.app_id AS "appId", waiting.endpoint_id AS "endpointId", waiting.position
FROM kyc_relay_endpoint_schedules AS schedule JOIN kyc_relay_delivery_queue AS waiting USING (app_id, endpoint_id)
WHERE schedule.paused AND waiting.class = ANY (${held}) AND waiting.due_at < ${before} LIMIT ${value('limit')}`,
)

/** Keeps the endpoints paused until the end of the transaction. */
const lockPaused = statementByApp(
  'retention_lock_paused',
  (ofApp) => sql`
SELECT FROM unnest(${value('appIds')}::text[], ${value('endpointIds')}::text[]) AS given (app_id, endpoint_id)
JOIN kyc_relay_endpoint_schedules AS schedule USING (app_id, endpoint_id) WHERE ${ofApp('schedule')}
ORDER BY app_id, endpoint_id FOR NO KEY UPDATE OF schedule`,
)

const expireWaiting = statementByApp(
  'retention_expire_waiting',
  (ofApp) => sql`
WITH expired AS (
  DELETE FROM kyc_relay_delivery_queue AS waiting
  USING unnest(${value('appIds')}::text[], ${value('positions')}::bigint[]) AS given (app_id, position),
    kyc_relay_endpoint_schedules AS schedule
  WHERE waiting.app_id = given.app_id AND waiting.position = given.position AND waiting.due_at IS NOT NULL
    AND schedule.app_id = waiting.app_id AND schedule.endpoint_id = waiting.endpoint_id AND schedule.paused
    AND ${ofApp('waiting')} AND ${ofApp('schedule')}
  RETURNING waiting.app_id, waiting.delivery_id, waiting.attempts_made
)
UPDATE kyc_relay_deliveries AS delivery
SET state = 'CANCELLED', attempts_made = expired.attempts_made, ended_at = ${now}, cancel_reason = 'EXPIRED'
FROM expired WHERE delivery.app_id = expired.app_id AND delivery.delivery_id = expired.delivery_id AND ${ofApp('delivery')}`,
)

const listOldBodies = statement<{ appId: string; eventId: string }>(
  'retention_list_bodies',
  sql`
SELECT old.app_id AS "appId", old.event_id AS "eventId" FROM kyc_relay_events AS old
WHERE old.body IS NOT NULL AND old.created_at < ${before} AND NOT EXISTS (
  SELECT FROM kyc_relay_deliveries AS pending
  WHERE pending.app_id = old.app_id AND pending.event_id = old.event_id AND pending.ended_at IS NULL
) AND old.user_id <> ALL (${heldUsers})
ORDER BY old.created_at LIMIT ${value('limit')}`,
)

/** Locks the events, so that nobody resends them meanwhile. */
const lockEvents = statementByApp(
  'retention_lock_events',
  (ofApp) => sql`
SELECT FROM unnest(${value('appIds')}::text[], ${value('eventIds')}::text[]) AS given (app_id, event_id)
JOIN kyc_relay_events AS event USING (app_id, event_id) WHERE ${ofApp('event')}
ORDER BY app_id, event_id FOR NO KEY UPDATE OF event`,
)

const blankBodies = statementByApp(
  'retention_blank_bodies',
  (ofApp) => sql`
UPDATE kyc_relay_events AS event SET body = NULL
FROM unnest(${value('appIds')}::text[], ${value('eventIds')}::text[]) AS given (app_id, event_id)
WHERE event.app_id = given.app_id AND event.event_id = given.event_id AND event.body IS NOT NULL AND ${ofApp('event')}
  AND event.user_id <> ALL (${heldUsers})
  AND NOT EXISTS (
    SELECT FROM kyc_relay_deliveries AS pending
    WHERE pending.app_id = event.app_id AND pending.event_id = event.event_id AND pending.ended_at IS NULL
      AND ${ofApp('pending')}
  )`,
)

const listOldFields = statement<{ appId: string; transactionId: string }>(
  'retention_list_fields',
  sql`
SELECT app_id AS "appId", transaction_id AS "transactionId" FROM kyc_relay_transactions
WHERE fields IS NOT NULL AND moved_at < ${before} AND user_id <> ALL (${heldUsers}) ORDER BY moved_at LIMIT ${value('limit')}`,
)

/** A transaction that moved meanwhile keeps its fields. */
const blankFields = statementByApp(
  'retention_blank_fields',
  (ofApp) => sql`
UPDATE kyc_relay_transactions AS transaction SET fields = NULL
FROM unnest(${value('appIds')}::text[], ${value('transactionIds')}::text[]) AS given (app_id, transaction_id)
WHERE transaction.app_id = given.app_id AND transaction.transaction_id = given.transaction_id
  AND transaction.moved_at < ${before} AND transaction.user_id <> ALL (${heldUsers}) AND ${ofApp('transaction')}`,
)

const listOldAttempts = statement<{ appId: string; deliveryId: string; number: number }>(
  'retention_list_attempts',
  sql`
SELECT old.app_id AS "appId", old.delivery_id AS "deliveryId", old.number FROM kyc_relay_attempts AS old
JOIN kyc_relay_deliveries AS ended
  ON ended.app_id = old.app_id AND ended.delivery_id = old.delivery_id AND ended.ended_at IS NOT NULL
WHERE old.started_at < ${before} AND ended.user_id <> ALL (${heldUsers})
ORDER BY old.started_at LIMIT ${value('limit')}`,
)

/** Attempts of an ended delivery never change. The user of a delivery does not either. */
const removeAttempts = statementByApp(
  'retention_remove_attempts',
  (ofApp) => sql`
DELETE FROM kyc_relay_attempts AS attempt
USING unnest(${value('appIds')}::text[], ${value('deliveryIds')}::text[], ${value('numbers')}::int[])
    AS given (app_id, delivery_id, number),
  kyc_relay_deliveries AS ended
WHERE attempt.app_id = given.app_id AND attempt.delivery_id = given.delivery_id AND attempt.number = given.number
  AND ended.app_id = given.app_id AND ended.delivery_id = given.delivery_id AND ended.user_id <> ALL (${heldUsers})
  AND ${ofApp('attempt')} AND ${ofApp('ended')}`,
)

const removeAccessTokens = statement(
  'retention_remove_access_tokens',
  sql`
WITH chosen AS MATERIALIZED (
  SELECT hash FROM kyc_relay_access_tokens WHERE expires_at < ${before}
  ORDER BY expires_at LIMIT ${value('limit')} FOR UPDATE SKIP LOCKED
)
DELETE FROM kyc_relay_access_tokens WHERE hash IN (SELECT hash FROM chosen)`,
)

/** Creates the retention on PostgreSQL. It lists old rows first, then changes them in short transactions. */
export function createRetention(dependencies: {
  readonly database: PostgresDatabase
  /** True if the tables are distributed by app: each transaction is then of one app. */
  readonly distributed: boolean
  /** Time of the store's clock; null for the database's clock. */
  readonly instant: () => Date | null
}): Retention {
  const { database, distributed, instant } = dependencies

  /** Lists rows, then changes those of each group in a transaction. Returns the sum of what `change` returns. */
  async function forEachApp<Row extends { readonly appId: string }>(
    list: (on: Queryable) => Promise<readonly Row[]>,
    change: (
      on: Queryable,
      rows: readonly Row[],
      keys: { readonly appId: string | null; readonly appIds: readonly string[] },
    ) => Promise<number>,
  ): Promise<number> {
    const listed = await database.run(list)
    let sum = 0
    for (const { appId, rows } of groupByApp(listed, (row) => row.appId, distributed)) {
      const keys = { appId, appIds: rows.map((row) => row.appId) }
      sum += await database.transaction((on) => change(on, rows, keys))
    }
    return sum
  }

  const expireOverdue = (ageMs: number, limit: number, at: Date | null) =>
    forEachApp(
      (on) => listOverdue.rows(on, { ageMs, limit, now: at }),
      async (on, rows, keys) => {
        const endpointIds = rows.map(({ endpointId }) => endpointId)
        const positions = rows.map(({ position }) => position)
        await lockPaused.rows(on, { ...keys, endpointIds })
        return expireWaiting.count(on, { ...keys, positions, now: at })
      },
    )

  const blankOldBodies = (ageMs: number, limit: number, at: Date | null) =>
    forEachApp(
      async (on) => listOldBodies.rows(on, { ageMs, limit, heldUsers: await listHeldUsers(on), now: at }),
      async (on, rows, keys) => {
        const eventIds = rows.map(({ eventId }) => eventId)
        const heldUsers = await lockHeldUsers(on)
        await lockEvents.rows(on, { ...keys, eventIds })
        return blankBodies.count(on, { ...keys, eventIds, heldUsers })
      },
    )

  const blankOldFields = (ageMs: number, limit: number, at: Date | null) =>
    forEachApp(
      async (on) => listOldFields.rows(on, { ageMs, limit, heldUsers: await listHeldUsers(on), now: at }),
      async (on, rows, keys) => {
        const transactionIds = rows.map(({ transactionId }) => transactionId)
        return blankFields.count(on, { ...keys, transactionIds, ageMs, now: at, heldUsers: await lockHeldUsers(on) })
      },
    )

  const removeOldAttempts = (ageMs: number, limit: number, at: Date | null) =>
    forEachApp(
      async (on) => listOldAttempts.rows(on, { ageMs, limit, heldUsers: await listHeldUsers(on), now: at }),
      async (on, rows, keys) => {
        const deliveryIds = rows.map(({ deliveryId }) => deliveryId)
        const numbers = rows.map(({ number }) => number)
        return removeAttempts.count(on, { ...keys, deliveryIds, numbers, heldUsers: await lockHeldUsers(on) })
      },
    )

  /** Returns the number of endpoints and hours. */
  async function mergeEndpointHours(limit: number, at: Date | null): Promise<number> {
    const unmerged = await database.run((on) => listUnmergedHours.rows(on, { limit, now: at }))
    for (const { appId, endpointId, hour } of unmerged)
      await database.transaction((on) => mergeHour.count(on, { appId, endpointId, hour }))
    return unmerged.length
  }

  /** Returns the number of endpoints and hours. */
  const removeEndpointHours = (ageMs: number, limit: number, at: Date | null) =>
    forEachApp(
      (on) => listOldHours.rows(on, { ageMs, limit, now: at }),
      async (on, rows, keys) => {
        const endpointIds = rows.map(({ endpointId }) => endpointId)
        await removeHours.count(on, { ...keys, endpointIds, hours: rows.map(({ hour }) => hour) })
        return rows.length
      },
    )

  return {
    async removeOld(given) {
      const policy = completePolicy(given)
      const limit = checkedLimit(policy.limit, 10_000)
      const at = instant()
      const counts = {
        deliveriesExpired: await expireOverdue(policy.bodyAgeMs, limit, at),
        bodiesBlanked: await blankOldBodies(policy.bodyAgeMs, limit, at),
        transactionsBlanked: await blankOldFields(policy.bodyAgeMs, limit, at),
        attemptsRemoved: await removeOldAttempts(policy.attemptAgeMs, limit, at),
        endpointHoursRemoved: await removeEndpointHours(policy.endpointHourAgeMs, limit, at),
        endpointHoursMerged: await mergeEndpointHours(limit, at),
        accessTokensRemoved: await database.run((on) =>
          removeAccessTokens.count(on, { ageMs: policy.expiredTokenAgeMs, limit, now: at }),
        ),
      }
      return removedRows(counts, limit)
    },
  }
}
