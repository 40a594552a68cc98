import { and, asc, eq, gt, inArray } from 'drizzle-orm'
import { accessTokens, grants, revokedGrants } from '../apps/tables.postgres.js'
import type { AuditChain } from '../audit/chain.postgres.js'
import { exportEvent } from '../audit/export-events.js'
import type { PostgresDatabase } from '../engine/postgres/database.js'
import { queryBuilder } from '../engine/postgres/statement.js'
import { checkedLimit, pageOf } from '../pages.js'
import { events } from '../webhooks/tables.postgres.js'
import { transactions } from '../webhooks/transaction-tables.postgres.js'
import type { UserRecords } from './user-records.js'

/** Creates the reads of everything that is stored about a user on PostgreSQL. */
export function createUserRecords(dependencies: {
  readonly database: PostgresDatabase
  readonly audit: AuditChain | null
}): UserRecords {
  const { database, audit } = dependencies
  return {
    listEvents: ({ appId, userId, limit, after = 0 }) =>
      database.run(async (on) => {
        const rows = await queryBuilder(on)
          .select()
          .from(events)
          .where(and(eq(events.appId, appId), eq(events.userId, userId), gt(events.position, after)))
          .orderBy(asc(events.position))
          .limit(checkedLimit(limit) + 1)
        const { items, nextCursor } = pageOf(rows, limit, ({ position }) => position)
        return {
          items: items.map(({ eventId, type, occurredAt, createdAt, test, withheld, body }) => {
            return { eventId, type, occurredAt, createdAt, test, withheld, body }
          }),
          next: nextCursor,
        }
      }),
    listTransactions: ({ appId, userId, limit, after = '' }) =>
      database.run(async (on) => {
        const rows = await queryBuilder(on)
          .select()
          .from(transactions)
          .where(
            and(eq(transactions.appId, appId), eq(transactions.userId, userId), gt(transactions.transactionId, after)),
          )
          .orderBy(asc(transactions.transactionId))
          .limit(checkedLimit(limit) + 1)
        const { items, nextCursor } = pageOf(rows, limit, ({ transactionId }) => transactionId)
        return {
          items: items.map(({ transactionId, state, revision, movedAt, fields }) => ({
            transactionId,
            state,
            revision,
            movedAt,
            fields: fields === null ? null : (JSON.parse(fields) as Record<string, unknown>),
          })),
          next: nextCursor,
        }
      }),
    readAccess: (userId) =>
      database.run(async (on) => {
        const query = queryBuilder(on)
        const revoked = await query
          .select({ appId: revokedGrants.appId, revokedAt: revokedGrants.revokedAt })
          .from(revokedGrants)
          .where(eq(revokedGrants.userId, userId))
          .orderBy(asc(revokedGrants.appId))
        const grantedTo = query.select({ appId: grants.appId }).from(grants).where(eq(grants.userId, userId))
        const tokens = await query
          .select({ appId: accessTokens.appId, scopes: accessTokens.scopes, expiresAt: accessTokens.expiresAt })
          .from(accessTokens)
          .where(and(inArray(accessTokens.appId, grantedTo), eq(accessTokens.userId, userId)))
          .orderBy(asc(accessTokens.expiresAt), asc(accessTokens.hash))
        return {
          revokedGrants: revoked,
          accessTokens: tokens.map((token) => ({ ...token, scopes: JSON.parse(token.scopes) as string[] })),
        }
      }),
    recordExport: (request) =>
      database.transaction(async (on) =>
        audit?.append(on, request.userId, (nowMs) => exportEvent(audit.seal, request, nowMs), request.actor),
      ),
  }
}
