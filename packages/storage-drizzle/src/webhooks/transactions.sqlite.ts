import { and, eq, sql } from 'drizzle-orm'
import type { TransactionStore } from '@kyc-relay/webhooks/delivery'
import type {
  InsertedEvent,
  PublishedBefore,
  TransactionMove,
  TransactionRecord,
  TransactionEventType,
} from '@kyc-relay/webhooks/internal'
import { type DrizzleDatabase, read } from '../engine/sqlite/statement.js'
import { ownBytes } from './original-event.js'
import { preparePublishing, writeEvent, type PublishingStatements } from './publishing.sqlite.js'
import type { GroupCommit } from '../engine/sqlite/group-commit.js'
import { events } from './tables.sqlite.js'
import { transactionMoves, transactions } from './transaction-tables.sqlite.js'

const value = sql.placeholder

function prepareStatements(db: DrizzleDatabase) {
  return {
    find: db
      .select()
      .from(transactions)
      .where(eq(transactions.transactionId, value('transactionId')))
      .prepare(),
    findMoveBySource: db
      .select({
        position: events.position,
        eventId: events.eventId,
        type: events.type,
        withheld: events.withheld,
        userId: events.userId,
        body: events.body,
        transactionId: transactionMoves.transactionId,
        state: transactionMoves.state,
      })
      .from(events)
      .leftJoin(transactionMoves, eq(transactionMoves.event, events.position))
      .where(and(eq(events.appId, value('appId')), eq(events.sourceEventId, value('sourceEventId'))))
      .prepare(),
    findEvent: db
      .select({ position: events.position })
      .from(events)
      .where(eq(events.eventId, value('eventId')))
      .prepare(),
    insert: db
      .insert(transactions)
      .values({
        transactionId: value('transactionId'),
        appId: value('appId'),
        userId: value('userId'),
        state: value('state'),
        revision: 1,
        fields: value('fields'),
        movedAt: value('movedAt'),
      })
      .onConflictDoNothing()
      .prepare(),
    update: db
      .update(transactions)
      .set({
        state: sql`${value('state')}`,
        revision: sql`revision + 1`,
        fields: sql`${value('fields')}`,
        movedAt: sql`${value('movedAt')}`,
      })
      .where(
        and(eq(transactions.transactionId, value('transactionId')), eq(transactions.revision, value('fromRevision'))),
      )
      .prepare(),
    insertMove: db
      .insert(transactionMoves)
      .values({
        event: value('event'),
        transactionId: value('transactionId'),
        revision: value('revision'),
        state: value('state'),
      })
      .prepare(),
  }
}

type TransactionStatements = ReturnType<typeof prepareStatements>

/** Creates the transaction store on one SQLite connection. */
export function createTransactionStore(dependencies: {
  readonly db: DrizzleDatabase
  readonly commits: GroupCommit
  /** The store's clock. */
  readonly clock: () => Date
}): TransactionStore {
  const { db, commits, clock } = dependencies
  const publishing = preparePublishing(db)
  const statements = prepareStatements(db)
  return {
    findTransaction: ({ transactionId, appId, sourceEventId }) =>
      // Two synchronous reads: no write of this process can run between them.
      read(() => {
        const row = statements.find.get({ transactionId })
        const transaction = row === undefined ? null : readTransaction(row)
        const owner = appId ?? transaction?.appId ?? null
        const known = owner !== null && sourceEventId !== null
        return {
          transaction,
          publishedBefore: known ? findPublished(statements, publishing, owner, sourceEventId) : null,
        }
      }),
    moveTransaction: (move) => commits.write(() => writeMove(statements, publishing, move, clock())),
  }
}

function findPublished(
  statements: TransactionStatements,
  publishing: PublishingStatements,
  appId: string,
  sourceEventId: string,
): PublishedBefore | null {
  const row = statements.findMoveBySource.get({ appId, sourceEventId })
  if (row === undefined) return null
  const { position, eventId, type, withheld, transactionId, state } = row
  const deliveries = publishing.listDeliveriesOfEvent.all({ event: position })
  // Only a transaction event changes a transaction.
  const eventType = type as TransactionEventType
  const move = transactionId === null || state === null ? null : { transactionId, state, eventType }
  const original = { userId: row.userId, type, body: ownBytes(row.body) }
  return { event: { eventId, deliveries, withheld, duplicate: true, original }, move }
}

function writeMove(
  statements: TransactionStatements,
  publishing: PublishingStatements,
  move: TransactionMove,
  now: Date,
): InsertedEvent | 'stale' {
  const { transactionId, appId, userId, fromRevision, next, event } = move
  const { sourceEventId } = event
  if (sourceEventId !== null && publishing.findBySource.get({ appId, sourceEventId }) !== undefined) return 'stale'
  const row = {
    transactionId,
    state: next,
    fields: move.fields === null ? null : JSON.stringify(move.fields),
    movedAt: move.movedAt.getTime(),
  }
  const { changes } =
    fromRevision === 0
      ? statements.insert.run({ ...row, appId, userId })
      : statements.update.run({ ...row, fromRevision })
  if (changes === 0) return 'stale'
  const inserted = writeEvent(publishing, event, now)
  const position = statements.findEvent.get({ eventId: event.eventId })?.position
  statements.insertMove.run({ event: position, transactionId, revision: fromRevision + 1, state: next })
  return inserted
}

function readTransaction(row: typeof transactions.$inferSelect): TransactionRecord {
  const { transactionId, appId, userId, state, revision, fields } = row
  return {
    transactionId,
    appId,
    userId,
    state,
    revision,
    fields: fields === null ? null : (JSON.parse(fields) as Record<string, unknown>),
  }
}
