import { and, eq, sql } from 'drizzle-orm'
import type { TransactionStore } from '@kyc-relay/webhooks/delivery'
import type {
  KnownTransactionState,
  PublishedBefore,
  TransactionMove,
  TransactionRecord,
  WithheldReason,
  TransactionEventType,
} from '@kyc-relay/webhooks/internal'
import type { PostgresDatabase } from '../engine/postgres/database.js'
import type { DueNotifications } from '../engine/due-notifications.js'
import { ownBytes } from './original-event.js'
import { listDeliveriesOfEvent, writeToLive } from './publishing.postgres.js'
import { queryBuilder, statement, type Queryable } from '../engine/postgres/statement.js'
import { StorageError } from '../storage-error.js'
import { transactionMoves, transactions } from './transaction-tables.postgres.js'

const value = sql.placeholder

/**
 * Reads the transaction and the event with the source event id in one statement, so in one snapshot. The transaction is
 * searched in all apps: a request for one of another app is refused.
 */
const findTransaction = statement<{
  transactionId: string | null
  appId: string
  userId: string
  state: KnownTransactionState
  revision: number
  fields: string | null
  publishedAppId: string
  eventId: string | null
  eventType: TransactionEventType
  withheld: WithheldReason | null
  publishedUserId: string
  body: Uint8Array | null
  movedTransactionId: string | null
  movedState: KnownTransactionState
}>(
  'find_transaction',
  sql`
WITH transaction AS (
  SELECT * FROM kyc_relay_transactions WHERE transaction_id = ${value('transactionId')}
  ORDER BY app_id IS NOT DISTINCT FROM ${value('appId')} DESC, app_id LIMIT 1
), published AS (
  SELECT event.app_id, event.event_id, event.type, event.withheld, event.user_id, event.body, move.transaction_id, move.state
  FROM kyc_relay_event_sources AS source
  JOIN kyc_relay_events AS event USING (app_id, event_id)
  LEFT JOIN kyc_relay_transaction_moves AS move USING (app_id, event_id)
  WHERE source.app_id = coalesce(${value('appId')}::text, (SELECT app_id FROM transaction))
    AND source.source_event_id = ${value('sourceEventId')}
)
SELECT t.transaction_id AS "transactionId", t.app_id AS "appId", t.user_id AS "userId", t.state, t.revision, t.fields,
  p.app_id AS "publishedAppId", p.event_id AS "eventId", p.type AS "eventType", p.withheld,
  p.user_id AS "publishedUserId", p.body, p.transaction_id AS "movedTransactionId",
  p.state AS "movedState"
FROM (SELECT) AS one LEFT JOIN transaction AS t ON true LEFT JOIN published AS p ON true`,
)

/** Rolls back a move that comes too late; the caller gets no error. */
const stale = new StorageError('CONSTRAINT')

/** Creates the transaction store on PostgreSQL. */
export function createTransactionStore(dependencies: {
  readonly database: PostgresDatabase
  readonly notifications: DueNotifications
  /** Time of the store's clock; null for the database's clock. */
  readonly instant: () => Date | null
}): TransactionStore {
  const { database, notifications, instant } = dependencies
  return {
    findTransaction: (request) =>
      database.run(async (on) => {
        const [row] = await findTransaction.rows(on, request)
        if (row === undefined) return { transaction: null, publishedBefore: null }
        const { transactionId, appId, userId, state, revision } = row
        const fields = row.fields === null ? null : (JSON.parse(row.fields) as TransactionRecord['fields'])
        return {
          transaction: transactionId === null ? null : { transactionId, appId, userId, state, revision, fields },
          publishedBefore: await readPublished(on, row),
        }
      }),
    async moveTransaction(move) {
      try {
        const inserted = await database.transaction((on) => writeMove(on, move, instant()))
        if (inserted.deliveries.length > 0) notifications.notify()
        return inserted
      } catch (error) {
        if (error === stale) return 'stale'
        throw error
      }
    },
  }
}

async function readPublished(
  on: Queryable,
  row: {
    readonly publishedAppId: string
    readonly eventId: string | null
    readonly eventType: TransactionEventType
    readonly withheld: WithheldReason | null
    readonly publishedUserId: string
    readonly body: Uint8Array | null
    readonly movedTransactionId: string | null
    readonly movedState: KnownTransactionState
  },
): Promise<PublishedBefore | null> {
  const { eventId, eventType, withheld, movedTransactionId: transactionId, movedState: state } = row
  if (eventId === null) return null
  const deliveries = await listDeliveriesOfEvent.rows(on, { appId: row.publishedAppId, eventId })
  const move = transactionId === null ? null : { transactionId, state, eventType }
  const original = { userId: row.publishedUserId, type: eventType, body: ownBytes(row.body) }
  return { event: { eventId, deliveries, withheld, duplicate: true, original }, move }
}

async function writeMove(on: Queryable, move: TransactionMove, now: Date | null) {
  const { transactionId, appId, userId, fromRevision, next: state, movedAt, event } = move
  const fields = move.fields === null ? null : JSON.stringify(move.fields)
  const query = queryBuilder(on)
  const revision = fromRevision + 1
  const row = { transactionId, appId, userId, state, fields, movedAt, revision }
  const { rowCount } =
    fromRevision === 0
      ? await query.insert(transactions).values(row).onConflictDoNothing()
      : await query
          .update(transactions)
          .set({ state, fields, movedAt, revision })
          .where(
            and(
              eq(transactions.appId, appId),
              eq(transactions.transactionId, transactionId),
              eq(transactions.revision, fromRevision),
            ),
          )
  if (rowCount === 0) throw stale
  const inserted = await writeToLive(on, event, now)
  if (typeof inserted === 'string' || inserted.duplicate) throw stale
  await query.insert(transactionMoves).values({ appId, eventId: event.eventId, transactionId, revision, state })
  return inserted
}
