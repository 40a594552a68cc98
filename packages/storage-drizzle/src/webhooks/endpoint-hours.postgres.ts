import { and, eq, gte, sql, type SQL } from 'drizzle-orm'
import type { EndpointHour } from '@kyc-relay/webhooks/delivery'
import { checkedTime } from '../checked-time.js'
import { now } from '../engine/postgres/parameters.js'
import { queryBuilder, statement, type Queryable } from '../engine/postgres/statement.js'
import { statementByApp } from './by-app.postgres.js'
import { hourMs, readHour, type CountedAttempts } from './endpoint-hours.js'
import { endpointHours } from './tables.postgres.js'

const value = sql.placeholder

const insertCounts = statement(
  'insert_hour_counts',
  sql`
INSERT INTO kyc_relay_endpoint_hours (app_id, endpoint_id, hour, cause, attempts, first_attempts, failed_deliveries)
SELECT app_id, endpoint_id, ${value('hour')}::timestamptz, cause, attempts, first_attempts, failed_deliveries
FROM unnest(
  ${value('appIds')}::text[], ${value('endpointIds')}::text[], ${value('causes')}::text[],
  ${value('attempts')}::bigint[], ${value('firstAttempts')}::bigint[], ${value('failedDeliveries')}::bigint[]
) AS counted (app_id, endpoint_id, cause, attempts, first_attempts, failed_deliveries)`,
)

/** Adds counts to the hour of `at`. */
export async function addHourCounts(
  on: Queryable,
  counted: readonly CountedAttempts<{ readonly appId: string; readonly endpointId: string }>[],
  at: Date,
): Promise<void> {
  if (counted.length === 0) return
  await insertCounts.count(on, {
    hour: new Date(Math.floor(at.getTime() / hourMs) * hourMs),
    appIds: counted.map(({ endpoint }) => endpoint.appId),
    endpointIds: counted.map(({ endpoint }) => endpoint.endpointId),
    causes: counted.map(({ cause }) => cause),
    attempts: counted.map(({ attempts }) => attempts),
    firstAttempts: counted.map(({ firstAttempts }) => firstAttempts),
    failedDeliveries: counted.map(({ failedDeliveries }) => failedDeliveries),
  })
}

/** Lists the counts of an app from the hour of `since` on. */
export async function listEndpointHours(
  on: Queryable,
  { appId, since }: { readonly appId: string; readonly since: Date },
): Promise<readonly EndpointHour[]> {
  const { endpointId, hour, cause, attempts, firstAttempts, failedDeliveries } = endpointHours
  const from = new Date(Math.floor(checkedTime(since).getTime() / hourMs) * hourMs)
  const rows = await queryBuilder(on)
    .select({
      endpointId,
      hour,
      cause,
      attempts: sql<number>`sum(${attempts})`.mapWith(Number),
      firstAttempts: sql<number>`sum(${firstAttempts})`.mapWith(Number),
      failedDeliveries: sql<number>`sum(${failedDeliveries})`.mapWith(Number),
    })
    .from(endpointHours)
    .where(and(eq(endpointHours.appId, appId), gte(hour, from)))
    .groupBy(endpointId, hour, cause)
  return rows.map(readHour)
}

interface HourKey {
  readonly appId: string
  readonly endpointId: string
  readonly hour: Date
}

const columns = sql`DISTINCT app_id AS "appId", endpoint_id AS "endpointId", hour`

/** Lists hours that ended an hour ago and whose rows are not merged yet: nobody adds to them any more. */
export const listUnmergedHours = statement<HourKey>(
  'list_unmerged_hours',
  sql`
SELECT ${columns} FROM kyc_relay_endpoint_hours
WHERE NOT merged AND hour < ${now} - interval '2 hours' LIMIT ${value('limit')}`,
)

const oldHours = (kind: SQL) => sql`
SELECT ${columns} FROM kyc_relay_endpoint_hours
WHERE ${kind} AND hour < ${now} - ${value('ageMs')}::float8 * interval '1 millisecond'`

/** Each kind of rows by itself, since the index begins with the kind. */
export const listOldHours = statement<HourKey>(
  'list_old_hours',
  sql`${oldHours(sql`merged`)} UNION ${oldHours(sql`NOT merged`)} LIMIT ${value('limit')}`,
)

export const removeHours = statementByApp(
  'remove_hours',
  (ofApp) => sql`
DELETE FROM kyc_relay_endpoint_hours AS old
USING unnest(${value('appIds')}::text[], ${value('endpointIds')}::text[], ${value('hours')}::timestamptz[])
  AS given (app_id, endpoint_id, hour)
WHERE old.app_id = given.app_id AND old.endpoint_id = given.endpoint_id AND old.hour = given.hour AND ${ofApp('old')}`,
)

/** Of one endpoint: a busy one has thousands of rows in an hour, and the server limits the time of a statement. */
export const mergeHour = statement(
  'merge_hour',
  sql`
WITH old AS (
  DELETE FROM kyc_relay_endpoint_hours
  WHERE app_id = ${value('appId')} AND endpoint_id = ${value('endpointId')} AND hour = ${value('hour')}::timestamptz
  RETURNING *
)
INSERT INTO kyc_relay_endpoint_hours
  (app_id, endpoint_id, hour, cause, attempts, first_attempts, failed_deliveries, merged)
SELECT app_id, endpoint_id, hour, cause, sum(attempts), sum(first_attempts), sum(failed_deliveries), true
FROM old GROUP BY app_id, endpoint_id, hour, cause`,
)
