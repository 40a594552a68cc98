import { and, asc, desc, eq, inArray, lt, max, sql } from 'drizzle-orm'
import type { FeedStore } from '@kyc-relay/webhooks/delivery'
import type { PostgresDatabase } from '../engine/postgres/database.js'
import { queryBuilder, statement, type Queryable } from '../engine/postgres/statement.js'
import { groupBy } from '../group-by.js'
import { checkedTime } from '../checked-time.js'
import { checkedLimit } from '../pages.js'
import { decodeFeedCursor, encodeFeedCursor, mostOutOfOrder, type FeedPlace } from './feed-cursor.js'
import { deliveries, events } from './tables.postgres.js'

const value = sql.placeholder

/** The transactions below `settled` have ended; those from `unused` on have not begun. */
const readTransactions = statement<{ settled: string; unused: string }>(
  'read_transactions',
  sql`SELECT pg_snapshot_xmin(seen)::text AS settled, pg_snapshot_xmax(seen)::text AS unused
FROM pg_current_snapshot() AS seen`,
)

/** Finds the first event of the feed among the oldest of those that were created at a time or later. */
const findFirst = statement<FeedPlace>(
  'find_first_in_feed',
  sql`
SELECT transaction_id::text AS transaction, position FROM (
  SELECT transaction_id, position FROM kyc_relay_events
  WHERE app_id = ${value('appId')} AND created_at >= ${value('since')}::timestamptz
    AND transaction_id < ${value('settled')}::xid8 AND position > 0
  ORDER BY created_at, position LIMIT ${value('mostOutOfOrder')}::int
) AS kept ORDER BY kept.transaction_id, position LIMIT 1`,
)

/** Null without the role `pg_read_all_stats`: transactions of other users hold events back too, and only it sees them. */
const measureLag = statement<{ ms: number | null }>(
  'measure_feed_lag',
  sql`SELECT CASE WHEN pg_has_role('pg_read_all_stats', 'USAGE')
  THEN coalesce(extract(epoch FROM clock_timestamp() - min(began)) * 1000, 0)::float8 END AS ms FROM (
  SELECT xact_start AS began FROM pg_stat_activity WHERE backend_xid IS NOT NULL
  UNION ALL SELECT prepared FROM pg_prepared_xacts
) AS open`,
)

/**
 * Creates the feed on PostgreSQL. Its order is that of transaction ids, and only settled ones are listed: every later
 * commit has a higher id, while positions and times are given out before the commit.
 *
 * The settled id is read by a statement of its own, before the events: all of its transactions are then visible.
 */
export function createFeedStore({ database }: { readonly database: PostgresDatabase }): FeedStore {
  const ofApp = (appId: string) => and(eq(events.appId, appId), sql`${events.position} > 0`)
  const place = { transaction: sql<string>`${events.transactionId}::text`, position: events.position }

  async function transactions(on: Queryable) {
    const [found] = await readTransactions.rows(on, {})
    return found ?? { settled: '0', unused: '0' }
  }

  async function findPlace(on: Queryable, appId: string, since: Date): Promise<FeedPlace> {
    const { settled } = await transactions(on)
    const [first] = await findFirst.rows(on, { appId, since, settled, mostOutOfOrder })
    const before =
      first && sql`(${events.transactionId}, ${events.position}) < (${first.transaction}::xid8, ${first.position})`
    const [last] = await queryBuilder(on)
      .select(place)
      .from(events)
      .where(and(ofApp(appId), lt(events.transactionId, settled), before))
      .orderBy(desc(events.transactionId), desc(events.position))
      .limit(1)
    return last ?? { transaction: '0', position: 0 }
  }

  async function listDeliveries(on: Queryable, appId: string, eventIds: readonly string[]) {
    const made = await queryBuilder(on)
      .select({
        eventId: deliveries.eventId,
        endpointId: deliveries.endpointId,
        xEventId: deliveries.xEventId,
        state: deliveries.state,
      })
      .from(deliveries)
      .where(and(eq(deliveries.appId, appId), inArray(deliveries.eventId, [...eventIds])))
      .groupBy(deliveries.eventId, deliveries.endpointId, deliveries.xEventId, deliveries.state)
      .orderBy(asc(max(deliveries.position)))
    return groupBy(made, ({ eventId }) => eventId)
  }

  return {
    findCursor: ({ appId, since }) =>
      database.run(async (on) => encodeFeedCursor(await findPlace(on, appId, checkedTime(since)), appId)),

    listAfter: ({ appId, cursor, limit }) =>
      database.run(async (on) => {
        const after = decodeFeedCursor(cursor, appId)
        const { settled, unused } = await transactions(on)
        if (BigInt(after.transaction) >= BigInt(unused)) return null
        const rows = await queryBuilder(on)
          .select({ ...place, event: events })
          .from(events)
          .where(
            and(
              ofApp(appId),
              sql`(${events.transactionId}, ${events.position}) > (${after.transaction}::xid8, ${after.position})`,
              lt(events.transactionId, settled),
            ),
          )
          .orderBy(asc(events.transactionId), asc(events.position))
          .limit(checkedLimit(limit))
        const made = await listDeliveries(
          on,
          appId,
          rows.map(({ event }) => event.eventId),
        )
        return rows.map(({ event: { eventId, userId, type, createdAt, test, body }, ...at }) => ({
          eventId,
          userId,
          type,
          createdAt,
          test,
          body,
          deliveries: (made.get(eventId) ?? []).map(({ eventId: _, ...delivery }) => delivery),
          cursor: encodeFeedCursor(at, appId),
        }))
      }),

    measureLag: () => database.run(async (on) => (await measureLag.rows(on, {}))[0]?.ms ?? null),
  }
}
