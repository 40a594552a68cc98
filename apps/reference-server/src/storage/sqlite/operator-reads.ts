import type { SqliteOwnDatabase } from '@kyc-relay/storage-drizzle/internal'
import { sql, type SQL } from 'drizzle-orm'
import {
  mostCounted,
  type AppUserRow,
  type CreatedPlace,
  type DeliveryRow,
  type EndpointQueue,
  type OperatorReads,
  type TransactionRow,
  type WithheldRow,
} from '../operator-reads.js'

/** A row as SQLite returns it: times are milliseconds. */
type Stored<Row> = {
  readonly [Key in keyof Row]: Row[Key] extends Date ? number : Row[Key] extends Date | null ? number | null : Row[Key]
}

const nothing = sql``
const when = (value: string | undefined, condition: (value: string) => SQL) =>
  value === undefined ? nothing : condition(value)
const isBefore = (place: CreatedPlace | undefined) =>
  place === undefined
    ? nothing
    : sql`AND (i.created_at, i.position) < (${place.createdAt.getTime()}, ${place.position})`
/** All apps, or one app that need not exist: events of an unknown app are withheld. */
const apps = (appId: string | undefined) =>
  appId === undefined ? sql`kyc_relay_apps` : sql`(SELECT ${appId} AS app_id)`

/** Creates the reads of an operator on SQLite. */
export function createOperatorReads(database: SqliteOwnDatabase): OperatorReads {
  return {
    listApps: ({ after = '', limit }) =>
      database.read((db) =>
        db.all<{ appId: string; name: string }>(
          sql`SELECT app_id AS appId, name FROM kyc_relay_apps WHERE app_id > ${after} ORDER BY app_id LIMIT ${limit}`,
        ),
      ),
    listUsers: ({ appId, externalReferenceId, after = '', limit }) =>
      database.read((db) =>
        db
          .all<Omit<AppUserRow, 'scopes'> & { readonly scopes: string }>(
            sql`SELECT user_id AS userId, account_id AS accountId, external_reference_id AS externalReferenceId, scopes
              FROM kyc_relay_grants WHERE app_id = ${appId}
              ${when(externalReferenceId, (value) => sql`AND external_reference_id = ${value}`)}
              AND user_id > ${after} ORDER BY user_id LIMIT ${limit}`,
          )
          .map((row) => ({ ...row, scopes: JSON.parse(row.scopes) as string[] })),
      ),
    listDeliveries: ({ appId, endpointId, eventType, state, before, limit }) =>
      database.read((db) =>
        db
          .all<Stored<DeliveryRow>>(
            // One search of an index for each app. The state is a literal, which allows SQLite to use a partial index.
            sql`SELECT d.delivery_id AS deliveryId, d.app_id AS appId, p.endpoint_id AS endpointId, d.user_id AS userId,
              e.event_id AS eventId, d.x_event_id AS xEventId, d.event_type AS eventType, d.state,
              d.created_at AS createdAt, d.position, d.ended_at AS endedAt, d.cancel_reason AS cancelReason,
              d.http_status AS httpStatus, d.resend_of AS resendOf
            FROM ${apps(appId)} a JOIN kyc_relay_deliveries d ON d.position IN (
              SELECT i.position FROM kyc_relay_deliveries i WHERE i.app_id = a.app_id
                ${when(state, (value) => sql`AND i.state = ${sql.raw(`'${value}'`)}`)}
                ${when(eventType, (value) => sql`AND i.event_type = ${value}`)}
                ${when(
                  endpointId,
                  (value) =>
                    sql`AND i.endpoint = (SELECT position FROM kyc_relay_endpoints WHERE endpoint_id = ${value})`,
                )}
                ${isBefore(before)} ORDER BY i.created_at DESC, i.position DESC LIMIT ${limit})
            JOIN kyc_relay_events e ON e.position = d.event JOIN kyc_relay_endpoints p ON p.position = d.endpoint
            ORDER BY d.created_at DESC, d.position DESC LIMIT ${limit}`,
          )
          .map((row) => ({ ...row, createdAt: new Date(row.createdAt), endedAt: dateOf(row.endedAt) })),
      ),
    listWithheld: ({ appId, before, limit }) =>
      database.read((db) =>
        db
          .all<Stored<WithheldRow>>(
            sql`SELECT e.event_id AS eventId, e.app_id AS appId, e.user_id AS userId, e.type AS eventType,
              e.withheld AS reason, e.created_at AS createdAt, e.position
            FROM ${apps(appId)} a JOIN kyc_relay_events e ON e.position IN (
              SELECT i.position FROM kyc_relay_events i WHERE i.app_id = a.app_id AND i.withheld IS NOT NULL
                ${isBefore(before)} ORDER BY i.created_at DESC, i.position DESC LIMIT ${limit})
            ORDER BY e.created_at DESC, e.position DESC LIMIT ${limit}`,
          )
          .map((row) => ({ ...row, createdAt: new Date(row.createdAt) })),
      ),
    listQueue: ({ appId, after, limit }) =>
      database.read((db) =>
        db
          .all<Stored<Omit<EndpointQueue, 'paused'>> & { readonly paused: number }>(
            sql`SELECT * FROM (
              SELECT p.app_id AS appId, p.endpoint_id AS endpointId,
                (SELECT count(*) FROM (SELECT 1 FROM kyc_relay_deliveries WHERE endpoint = s.endpoint
                  AND due_at IS NOT NULL LIMIT ${mostCounted})) AS waiting,
                s.in_flight AS inFlight,
                (SELECT min(due_at) FROM kyc_relay_deliveries WHERE endpoint = s.endpoint AND due_at IS NOT NULL)
                  AS oldestDueAt,
                s.paused, s.failing_since AS failingSince
              FROM kyc_relay_endpoint_schedules s JOIN kyc_relay_endpoints p ON p.position = s.endpoint
              WHERE true ${when(appId, (value) => sql`AND p.app_id = ${value}`)}
                ${after === undefined ? nothing : sql`AND (p.app_id, p.endpoint_id) > (${after.appId}, ${after.endpointId})`}
            ) WHERE waiting > 0 OR inFlight > 0 ORDER BY appId, endpointId LIMIT ${limit}`,
          )
          .map((row) => ({
            ...row,
            oldestDueAt: dateOf(row.oldestDueAt),
            paused: row.paused === 1,
            failingSince: dateOf(row.failingSince),
          })),
      ),
    findTransaction: (transactionId) =>
      database.read((db) => {
        const row = db.get<Stored<Omit<TransactionRow, 'moves'>> | undefined>(
          sql`SELECT transaction_id AS transactionId, app_id AS appId, user_id AS userId, state, revision,
            moved_at AS movedAt FROM kyc_relay_transactions WHERE transaction_id = ${transactionId}`,
        )
        if (row === undefined) return null
        const moves = db.all<Stored<TransactionRow['moves'][number]>>(
          sql`SELECT m.revision, m.state, e.event_id AS eventId, e.created_at AS createdAt
          FROM kyc_relay_transaction_moves m JOIN kyc_relay_events e ON e.position = m.event
          WHERE m.transaction_id = ${transactionId} ORDER BY m.revision`,
        )
        return {
          ...row,
          movedAt: new Date(row.movedAt),
          moves: moves.map((move) => ({ ...move, createdAt: new Date(move.createdAt) })),
        }
      }),
  }
}

function dateOf(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms)
}
