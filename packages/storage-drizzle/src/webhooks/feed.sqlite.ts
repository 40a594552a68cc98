import type Database from 'better-sqlite3'
import { and, asc, desc, eq, gt, gte, inArray, lt, max, min } from 'drizzle-orm'
import type { FeedStore } from '@kyc-relay/webhooks/delivery'
import { groupBy } from '../group-by.js'
import { read, type DrizzleDatabase } from '../engine/sqlite/statement.js'
import { checkedTime } from '../checked-time.js'
import { checkedLimit } from '../pages.js'
import { StorageError } from '../storage-error.js'
import { decodeFeedCursor, encodeFeedCursor, mostOutOfOrder } from './feed-cursor.js'
import { deliveries, endpoints, events } from './tables.sqlite.js'

/** Creates the feed on one SQLite connection. It has one writer, so positions are in commit order. */
export function createFeedStore(dependencies: {
  readonly client: Database.Database
  readonly db: DrizzleDatabase
}): FeedStore {
  const { client, db } = dependencies
  const cursorAt = (position: number, appId: string) => encodeFeedCursor({ transaction: '0', position }, appId)

  function lastPosition(): number {
    return db.select({ position: events.position }).from(events).orderBy(desc(events.position)).get()?.position ?? 0
  }

  function listDeliveries(positions: readonly number[]) {
    const made = db
      .select({
        event: deliveries.event,
        endpointId: endpoints.endpointId,
        xEventId: deliveries.xEventId,
        state: deliveries.state,
      })
      .from(deliveries)
      .innerJoin(endpoints, eq(endpoints.position, deliveries.endpoint))
      .where(inArray(deliveries.event, [...positions]))
      .groupBy(deliveries.event, endpoints.endpointId, deliveries.xEventId, deliveries.state)
      .orderBy(asc(max(deliveries.position)))
      .all()
    return groupBy(made, ({ event }) => String(event))
  }

  return {
    findCursor: ({ appId, since }) =>
      read(() => {
        const { position } = events
        const kept = db
          .select({ position })
          .from(events)
          .where(and(eq(events.appId, appId), gte(events.createdAt, checkedTime(since).getTime())))
          .orderBy(asc(events.createdAt), asc(position))
          .limit(mostOutOfOrder)
          .as('kept')
        const first = db
          .select({ position: min(kept.position) })
          .from(kept)
          .get()?.position
        const last = db
          .select({ position })
          .from(events)
          .where(and(eq(events.appId, appId), first == null ? undefined : lt(position, first)))
          .orderBy(desc(position))
          .get()
        return cursorAt(last?.position ?? 0, appId)
      }),

    listAfter: ({ appId, cursor, limit }) =>
      read(() => {
        const { transaction, position: after } = decodeFeedCursor(cursor, appId)
        // A caller's open transaction shows events that it may still take back.
        if (client.inTransaction) throw new StorageError('TRANSACTION_OPEN')
        const rows = db
          .select()
          .from(events)
          .where(and(eq(events.appId, appId), gt(events.position, after)))
          .orderBy(asc(events.position))
          .limit(checkedLimit(limit))
          .all()
        if (transaction !== '0' || (rows.length === 0 && after > lastPosition())) return null
        const made = listDeliveries(rows.map(({ position }) => position))
        return rows.map(({ position, eventId, userId, type, createdAt, test, body }) => ({
          eventId,
          userId,
          type,
          body,
          test: test === 1,
          createdAt: new Date(createdAt),
          deliveries: (made.get(String(position)) ?? []).map(({ event: _, ...delivery }) => delivery),
          cursor: cursorAt(position, appId),
        }))
      }),

    measureLag: () => Promise.resolve(0),
  }
}
