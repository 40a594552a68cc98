import { and, asc, eq, inArray } from 'drizzle-orm'
import type { KycStatusOutbox } from '@kyc-relay/kyc-core'
import type { GroupCommit } from '../engine/sqlite/group-commit.js'
import { read, type DrizzleDatabase } from '../engine/sqlite/statement.js'
import { checkedLimit } from '../pages.js'
import { mergedChanges } from './merged-changes.js'
import { kycStatusCorrections, kycStatusLog, verifications } from './tables.sqlite.js'

/** Creates the outbox of status changes on one SQLite connection. */
export function createStatusOutbox({
  db,
  commits,
}: {
  readonly db: DrizzleDatabase
  readonly commits: GroupCommit
}): KycStatusOutbox {
  const listSubmitted = (limit: number) =>
    db
      .select({
        userId: kycStatusLog.userId,
        appId: verifications.appId,
        verificationId: verifications.verificationId,
        previous: kycStatusLog.previous,
        next: kycStatusLog.next,
        at: kycStatusLog.at,
      })
      .from(kycStatusLog)
      .innerJoin(verifications, eq(verifications.position, kycStatusLog.verification))
      .where(eq(kycStatusLog.unpublished, 1))
      .orderBy(asc(kycStatusLog.at), asc(kycStatusLog.verification))
      .limit(limit)
      .all()
  const listCorrected = (limit: number) =>
    db
      .select({
        userId: kycStatusCorrections.userId,
        correctionId: kycStatusCorrections.correctionId,
        previous: kycStatusCorrections.previous,
        next: kycStatusCorrections.next,
        at: kycStatusCorrections.at,
      })
      .from(kycStatusCorrections)
      .where(eq(kycStatusCorrections.unpublished, 1))
      .orderBy(asc(kycStatusCorrections.at), asc(kycStatusCorrections.position))
      .limit(limit)
      .all()
  return {
    listUnpublished: (request) =>
      read(() => {
        const limit = checkedLimit(request.limit)
        const dated = <Row extends { readonly at: number }>({ at, ...row }: Row) => ({ ...row, at: new Date(at) })
        return mergedChanges(listSubmitted(limit).map(dated), listCorrected(limit).map(dated), limit)
      }),

    markPublished: ({ userId, changeId }) =>
      commits.write(() => {
        const ofChange = db
          .select({ position: verifications.position })
          .from(verifications)
          .where(and(eq(verifications.userId, userId), eq(verifications.verificationId, changeId)))
        db.update(kycStatusLog).set({ unpublished: 0 }).where(inArray(kycStatusLog.verification, ofChange)).run()
        db.update(kycStatusCorrections)
          .set({ unpublished: 0 })
          .where(and(eq(kycStatusCorrections.userId, userId), eq(kycStatusCorrections.correctionId, changeId)))
          .run()
      }),
  }
}
