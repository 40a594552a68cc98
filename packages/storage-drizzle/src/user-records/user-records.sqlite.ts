import { and, asc, eq, gt, inArray, sql } from 'drizzle-orm'
import { accessTokens, grants, revokedGrants } from '../apps/tables.sqlite.js'
import type { AuditChain } from '../audit/chain.sqlite.js'
import { exportEvent } from '../audit/export-events.js'
import { read, type DrizzleDatabase } from '../engine/sqlite/statement.js'
import type { GroupCommit } from '../engine/sqlite/group-commit.js'
import { checkedLimit, pageOf } from '../pages.js'
import { events } from '../webhooks/tables.sqlite.js'
import { transactions } from '../webhooks/transaction-tables.sqlite.js'
import type { UserRecords } from './user-records.js'

const value = sql.placeholder

function prepareStatements(db: DrizzleDatabase) {
  const grantedTo = db
    .select({ appId: grants.appId })
    .from(grants)
    .where(eq(grants.userId, value('userId')))
  return {
    listEvents: db
      .select()
      .from(events)
      .where(
        and(eq(events.userId, value('userId')), eq(events.appId, value('appId')), gt(events.position, value('after'))),
      )
      .orderBy(asc(events.position))
      .limit(value('limit'))
      .prepare(),
    listTransactions: db
      .select()
      .from(transactions)
      .where(
        and(
          eq(transactions.userId, value('userId')),
          eq(transactions.appId, value('appId')),
          gt(transactions.transactionId, value('after')),
        ),
      )
      .orderBy(asc(transactions.transactionId))
      .limit(value('limit'))
      .prepare(),
    listRevokedGrants: db
      .select({ appId: revokedGrants.appId, revokedAt: revokedGrants.revokedAt })
      .from(revokedGrants)
      .where(eq(revokedGrants.userId, value('userId')))
      .orderBy(asc(revokedGrants.appId))
      .prepare(),
    listAccessTokens: db
      .select({ appId: accessTokens.appId, scopes: accessTokens.scopes, expiresAt: accessTokens.expiresAt })
      .from(accessTokens)
      .where(and(inArray(accessTokens.appId, grantedTo), eq(accessTokens.userId, value('userId'))))
      .orderBy(asc(accessTokens.expiresAt), asc(accessTokens.hash))
      .prepare(),
  }
}

/** Creates the reads of everything that is stored about a user on one SQLite connection. */
export function createUserRecords(dependencies: {
  readonly db: DrizzleDatabase
  readonly commits: GroupCommit
  readonly clock: () => Date
  readonly audit: AuditChain | null
}): UserRecords {
  const { db, commits, clock, audit } = dependencies
  const statements = prepareStatements(db)

  return {
    listEvents: ({ appId, userId, limit, after = 0 }) =>
      read(() => {
        const rows = statements.listEvents.all({ appId, userId, after, limit: checkedLimit(limit) + 1 })
        const { items, nextCursor } = pageOf(rows, limit, ({ position }) => position)
        return {
          items: items.map(({ eventId, type, occurredAt, createdAt, test, withheld, body }) => ({
            eventId,
            type,
            withheld,
            test: test === 1,
            occurredAt: new Date(occurredAt),
            createdAt: new Date(createdAt),
            body: body === null ? null : new Uint8Array(body),
          })),
          next: nextCursor,
        }
      }),
    listTransactions: ({ appId, userId, limit, after = '' }) =>
      read(() => {
        const rows = statements.listTransactions.all({ appId, userId, after, limit: checkedLimit(limit) + 1 })
        const { items, nextCursor } = pageOf(rows, limit, ({ transactionId }) => transactionId)
        return {
          items: items.map(({ transactionId, state, revision, movedAt, fields }) => ({
            transactionId,
            state,
            revision,
            movedAt: new Date(movedAt),
            fields: fields === null ? null : (JSON.parse(fields) as Record<string, unknown>),
          })),
          next: nextCursor,
        }
      }),
    readAccess: (userId) =>
      read(() => ({
        revokedGrants: statements.listRevokedGrants
          .all({ userId })
          .map(({ appId, revokedAt }) => ({ appId, revokedAt: new Date(revokedAt) })),
        accessTokens: statements.listAccessTokens.all({ userId }).map(({ appId, scopes, expiresAt }) => ({
          appId,
          scopes: JSON.parse(scopes) as string[],
          expiresAt: new Date(expiresAt),
        })),
      })),
    recordExport: (request) =>
      commits.write(() => audit?.append(exportEvent(audit.seal, request, clock().getTime()), request.actor)),
  }
}
