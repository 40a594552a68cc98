import { and, eq, gte, sql } from 'drizzle-orm'
import type Database from 'better-sqlite3'
import type { EndpointHour } from '@kyc-relay/webhooks/delivery'
import { checkedTime } from '../checked-time.js'
import { prepare, type DrizzleDatabase } from '../engine/sqlite/statement.js'
import { hourMs, readHour, type CountedAttempts } from './endpoint-hours.js'
import { endpointHours, endpoints } from './tables.sqlite.js'

/** Prepares the statement that adds to the counts of an hour. */
export function prepareCounting(client: Database.Database) {
  const add = prepare<[endpoint: number, hour: number, cause: string, attempts: number, first: number, failed: number]>(
    client,
    `INSERT INTO kyc_relay_endpoint_hours (endpoint, hour, cause, attempts, first_attempts, failed_deliveries)
    VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (endpoint, hour, cause) DO UPDATE SET attempts = attempts + excluded.attempts,
      first_attempts = first_attempts + excluded.first_attempts,
      failed_deliveries = failed_deliveries + excluded.failed_deliveries`,
  )
  return (counted: readonly CountedAttempts<number>[], now: number): void => {
    const hour = Math.floor(now / hourMs) * hourMs
    for (const { endpoint, cause, attempts, firstAttempts, failedDeliveries } of counted)
      add.run(endpoint, hour, cause, attempts, firstAttempts, failedDeliveries)
  }
}

/** Prepares the reading of the counts of an app. */
export function prepareHours(db: DrizzleDatabase) {
  const list = db
    .select({
      endpointId: endpoints.endpointId,
      hour: endpointHours.hour,
      cause: endpointHours.cause,
      attempts: endpointHours.attempts,
      firstAttempts: endpointHours.firstAttempts,
      failedDeliveries: endpointHours.failedDeliveries,
    })
    .from(endpoints)
    .innerJoin(endpointHours, eq(endpointHours.endpoint, endpoints.position))
    .where(and(eq(endpoints.appId, sql.placeholder('appId')), gte(endpointHours.hour, sql.placeholder('from'))))
    .prepare()
  return ({ appId, since }: { readonly appId: string; readonly since: Date }): readonly EndpointHour[] =>
    list
      .all({ appId, from: Math.floor(checkedTime(since).getTime() / hourMs) * hourMs })
      .map((row) => readHour({ ...row, hour: new Date(row.hour) }))
}
