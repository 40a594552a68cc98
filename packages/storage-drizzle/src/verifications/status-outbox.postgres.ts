import { and, asc, eq, sql } from 'drizzle-orm'
import type { KycStatusOutbox } from '@kyc-relay/kyc-core'
import type { PostgresDatabase } from '../engine/postgres/database.js'
import { queryBuilder } from '../engine/postgres/statement.js'
import { checkedLimit } from '../page-cursor.js'
import { kycStatusLog, verifications } from './tables.postgres.js'

/** Creates the outbox of status changes on PostgreSQL. */
export function createStatusOutbox({ database }: { readonly database: PostgresDatabase }): KycStatusOutbox {
  const ofLog = and(
    eq(verifications.userId, kycStatusLog.userId),
    eq(verifications.verificationId, kycStatusLog.verificationId),
  )
  return {
    listUnpublished: ({ limit }) =>
      database.run((on) =>
        queryBuilder(on)
          .select({
            userId: kycStatusLog.userId,
            appId: verifications.appId,
            verificationId: kycStatusLog.verificationId,
            previous: kycStatusLog.previous,
            next: kycStatusLog.next,
            changedAt: kycStatusLog.at,
          })
          .from(kycStatusLog)
          .innerJoin(verifications, ofLog)
          .where(sql`${kycStatusLog.unpublished}`)
          .orderBy(asc(kycStatusLog.at), asc(kycStatusLog.verificationId))
          .limit(checkedLimit(limit)),
      ),

    markPublished: ({ userId, verificationId }) =>
      database.run(async (on) => {
        const isOne = and(eq(kycStatusLog.userId, userId), eq(kycStatusLog.verificationId, verificationId))
        await queryBuilder(on).update(kycStatusLog).set({ unpublished: false }).where(isOne)
      }),
  }
}
