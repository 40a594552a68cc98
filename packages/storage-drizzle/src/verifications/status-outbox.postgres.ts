import { and, asc, eq, sql } from 'drizzle-orm'
import type { KycStatusOutbox } from '@kyc-relay/kyc-core'
import type { PostgresDatabase } from '../engine/postgres/database.js'
import { queryBuilder } from '../engine/postgres/statement.js'
import { checkedLimit } from '../pages.js'
import { mergedChanges } from './merged-changes.js'
import { kycStatusCorrections, kycStatusLog, verifications } from './tables.postgres.js'

/** Creates the outbox of status changes on PostgreSQL. */
export function createStatusOutbox({ database }: { readonly database: PostgresDatabase }): KycStatusOutbox {
  const ofLog = and(
    eq(verifications.userId, kycStatusLog.userId),
    eq(verifications.verificationId, kycStatusLog.verificationId),
  )
  return {
    listUnpublished: (request) =>
      database.run(async (on) => {
        const limit = checkedLimit(request.limit)
        const submitted = await queryBuilder(on)
          .select({
            userId: kycStatusLog.userId,
            appId: verifications.appId,
            verificationId: kycStatusLog.verificationId,
            previous: kycStatusLog.previous,
            next: kycStatusLog.next,
            at: kycStatusLog.at,
          })
          .from(kycStatusLog)
          .innerJoin(verifications, ofLog)
          .where(sql`${kycStatusLog.unpublished}`)
          .orderBy(asc(kycStatusLog.at), asc(kycStatusLog.verificationId))
          .limit(limit)
        const corrected = await queryBuilder(on)
          .select({
            userId: kycStatusCorrections.userId,
            correctionId: kycStatusCorrections.correctionId,
            previous: kycStatusCorrections.previous,
            next: kycStatusCorrections.next,
            at: kycStatusCorrections.at,
          })
          .from(kycStatusCorrections)
          .where(sql`${kycStatusCorrections.unpublished}`)
          .orderBy(asc(kycStatusCorrections.at), asc(kycStatusCorrections.correctionId))
          .limit(limit)
        return mergedChanges(submitted, corrected, limit)
      }),

    markPublished: ({ userId, changeId }) =>
      database.run(async (on) => {
        const isLogged = and(eq(kycStatusLog.userId, userId), eq(kycStatusLog.verificationId, changeId))
        await queryBuilder(on).update(kycStatusLog).set({ unpublished: false }).where(isLogged)
        const isCorrected = and(
          eq(kycStatusCorrections.userId, userId),
          eq(kycStatusCorrections.correctionId, changeId),
        )
        await queryBuilder(on).update(kycStatusCorrections).set({ unpublished: false }).where(isCorrected)
      }),
  }
}
