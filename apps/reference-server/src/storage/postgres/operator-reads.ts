import type { PostgresOwnDatabase } from '@kyc-relay/storage-drizzle/internal'
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

/** A row as the driver returns it: raw statements give times as texts, or positions as texts. */
type Stored<Row> = {
  readonly [Key in keyof Row]: Row[Key] extends Date ? string : Row[Key] extends Date | null ? string | null : Row[Key]
}

const nothing = sql``
const when = (value: string | undefined, condition: (value: string) => SQL) =>
  value === undefined ? nothing : condition(value)
const isBefore = (place: CreatedPlace | undefined) =>
  place === undefined
    ? nothing
    : sql`AND (i.created_at, i.position) < (${place.createdAt.toISOString()}::timestamptz, ${place.position}::bigint)`
/** The index of failed and cancelled deliveries is on another column. */
const hasState = (state: string) =>
  state === 'FAILED' || state === 'CANCELLED' ? sql`AND i.undelivered = ${state}` : sql`AND i.state = ${state}`

/**
 * Creates the reads of an operator on PostgreSQL.
 *
 * @param distributed True if the tables are distributed by app.
 */
export function createOperatorReads(database: PostgresOwnDatabase, distributed: boolean): OperatorReads {
  const rowsOf = <Row extends Record<string, unknown>>(statement: SQL) =>
    database.read(async (db) => (await db.execute<Row>(statement)).rows)
  /** The newest rows of all apps, or of one app that need not exist: events of an unknown app are withheld. */
  const newest = (rows: SQL, conditions: SQL, appId: string | undefined, limit: number) => {
    const newestOf = (app: SQL) =>
      sql`${rows} AS i WHERE ${app} ${conditions} ORDER BY i.created_at DESC, i.position DESC LIMIT ${limit}`
    if (appId !== undefined) return newestOf(sql`i.app_id = ${appId}`)
    // Citus has no search for each row of a table on the coordinator.
    if (distributed) return newestOf(sql`true`)
    // One search of an index for each app.
    return sql`SELECT n.* FROM kyc_relay_apps AS a CROSS JOIN LATERAL (${newestOf(sql`i.app_id = a.app_id`)}) AS n
      ORDER BY n."createdAt" DESC, n.position DESC LIMIT ${limit}`
  }
  return {
    listApps: ({ after = '', limit }) =>
      rowsOf<{ appId: string; name: string }>(
        sql`SELECT app_id AS "appId", name FROM kyc_relay_apps WHERE app_id > ${after} ORDER BY app_id LIMIT ${limit}`,
      ),
    async listUsers({ appId, externalReferenceId, after = '', limit }) {
      const rows = await rowsOf<Omit<AppUserRow, 'scopes'> & { readonly scopes: string }>(
        sql`SELECT user_id AS "userId", account_id AS "accountId", external_reference_id AS "externalReferenceId", scopes
          FROM kyc_relay_grants WHERE app_id = ${appId}
          ${when(externalReferenceId, (value) => sql`AND external_reference_id = ${value}`)}
          AND user_id > ${after} ORDER BY user_id LIMIT ${limit}`,
      )
      return rows.map((row) => ({ ...row, scopes: JSON.parse(row.scopes) as string[] }))
    },
    async listDeliveries({ appId, endpointId, eventType, state, before, limit }) {
      const conditions = sql`AND i.position > 0 ${when(state, hasState)}
        ${when(eventType, (value) => sql`AND i.event_type = ${value}`)}
        ${when(endpointId, (value) => sql`AND i.endpoint_id = ${value}`)} ${isBefore(before)}`
      const columns = sql`SELECT i.delivery_id AS "deliveryId", i.app_id AS "appId", i.endpoint_id AS "endpointId",
        i.user_id AS "userId", i.event_id AS "eventId", i.x_event_id AS "xEventId", i.event_type AS "eventType", i.state,
        i.created_at AS "createdAt", i.position, i.ended_at AS "endedAt", i.cancel_reason AS "cancelReason",
        i.http_status AS "httpStatus", i.resend_of AS "resendOf" FROM kyc_relay_deliveries`
      const rows = await rowsOf<Stored<DeliveryRow>>(newest(columns, conditions, appId, limit))
      return rows.map((row) => ({
        ...row,
        position: Number(row.position),
        createdAt: new Date(row.createdAt),
        endedAt: dateOf(row.endedAt),
      }))
    },
    async listWithheld({ appId, before, limit }) {
      const columns = sql`SELECT i.event_id AS "eventId", i.app_id AS "appId", i.user_id AS "userId",
        i.type AS "eventType", i.withheld AS reason, i.created_at AS "createdAt", i.position FROM kyc_relay_events`
      const conditions = sql`AND i.withheld IS NOT NULL ${isBefore(before)}`
      const rows = await rowsOf<Stored<WithheldRow>>(newest(columns, conditions, appId, limit))
      return rows.map((row) => ({ ...row, position: Number(row.position), createdAt: new Date(row.createdAt) }))
    },
    async listQueue({ appId, after, limit }) {
      const rows = await rowsOf<Stored<EndpointQueue>>(
        sql`SELECT * FROM (
          SELECT s.app_id AS "appId", s.endpoint_id AS "endpointId",
            (SELECT count(*)::int FROM (SELECT FROM kyc_relay_delivery_queue q WHERE q.app_id = s.app_id
              AND q.endpoint_id = s.endpoint_id AND q.due_at IS NOT NULL LIMIT ${mostCounted}) w) AS waiting,
            (SELECT count(*)::int FROM (SELECT FROM kyc_relay_delivery_queue q WHERE q.app_id = s.app_id
              AND q.endpoint_id = s.endpoint_id AND q.lease_until IS NOT NULL LIMIT ${mostCounted}) l) AS "inFlight",
            (SELECT min(q.due_at) FROM kyc_relay_delivery_queue q WHERE q.app_id = s.app_id
              AND q.endpoint_id = s.endpoint_id AND q.due_at IS NOT NULL) AS "oldestDueAt",
            s.paused, s.failing_since AS "failingSince"
          FROM kyc_relay_endpoint_schedules s
          WHERE true ${when(appId, (value) => sql`AND s.app_id = ${value}`)}
            ${after === undefined ? nothing : sql`AND (s.app_id, s.endpoint_id) > (${after.appId}, ${after.endpointId})`}
        ) queue WHERE waiting > 0 OR "inFlight" > 0 ORDER BY "appId", "endpointId" LIMIT ${limit}`,
      )
      return rows.map((row) => ({
        ...row,
        oldestDueAt: dateOf(row.oldestDueAt),
        failingSince: dateOf(row.failingSince),
      }))
    },
    async findTransaction(transactionId) {
      const [row] = await rowsOf<Stored<Omit<TransactionRow, 'moves'>>>(
        sql`SELECT transaction_id AS "transactionId", app_id AS "appId", user_id AS "userId", state, revision,
          moved_at AS "movedAt" FROM kyc_relay_transactions WHERE transaction_id = ${transactionId} LIMIT 1`,
      )
      if (row === undefined) return null
      const moves = await rowsOf<Stored<TransactionRow['moves'][number]>>(
        sql`SELECT m.revision, m.state, m.event_id AS "eventId", e.created_at AS "createdAt"
        FROM kyc_relay_transaction_moves m JOIN kyc_relay_events e ON e.app_id = m.app_id AND e.event_id = m.event_id
        WHERE m.app_id = ${row.appId} AND m.transaction_id = ${transactionId} AND m.revision > 0 ORDER BY m.revision`,
      )
      return {
        ...row,
        movedAt: new Date(row.movedAt),
        moves: moves.map((move) => ({ ...move, createdAt: new Date(move.createdAt) })),
      }
    },
  }
}

function dateOf(time: string | null): Date | null {
  return time === null ? null : new Date(time)
}
