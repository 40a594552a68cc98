import { and, asc, eq } from 'drizzle-orm'
import type { KycStatusOutbox } from '@kyc-relay/kyc-core'
import type { PostgresDatabase } from '../engine/postgres/database.js'
import { queryBuilder } from '../engine/postgres/statement.js'
import { checkedLimit } from '../pages.js'
import { statusChangeOf } from './status-change.js'
import { kycStatusOutbox as outbox } from './tables.postgres.js'

/** Creates the outbox of status changes on PostgreSQL. */
export function createStatusOutbox({ database }: { readonly database: PostgresDatabase }): KycStatusOutbox {
  return {
    listUnpublished: (request) =>
      database.run(async (on) => {
        const rows = await queryBuilder(on)
          .select()
          .from(outbox)
          .orderBy(asc(outbox.at), asc(outbox.changeId))
          .limit(checkedLimit(request.limit))
        return rows.map(statusChangeOf)
      }),

    markPublished: ({ userId, changeId }) =>
      database.run(async (on) => {
        await queryBuilder(on)
          .delete(outbox)
          .where(and(eq(outbox.userId, userId), eq(outbox.changeId, changeId)))
      }),
  }
}
