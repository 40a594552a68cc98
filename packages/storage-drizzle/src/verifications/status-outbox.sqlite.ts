import { and, asc, eq, inArray } from 'drizzle-orm'
import type { KycStatusOutbox } from '@kyc-relay/kyc-core'
import type { GroupCommit } from '../engine/sqlite/group-commit.js'
import { read, type DrizzleDatabase } from '../engine/sqlite/statement.js'
import { checkedLimit } from '../page-cursor.js'
import { kycStatusLog, verifications } from './tables.sqlite.js'

/** Creates the outbox of status changes on one SQLite connection. */
export function createStatusOutbox({
  db,
  commits,
}: {
  readonly db: DrizzleDatabase
  readonly commits: GroupCommit
}): KycStatusOutbox {
  return {
    listUnpublished: ({ limit }) =>
      read(() =>
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
          .limit(checkedLimit(limit))
          .all()
          .map(({ at, ...change }) => ({ ...change, changedAt: new Date(at) })),
      ),

    markPublished: ({ userId, verificationId }) =>
      commits.write(() => {
        const ofChange = db
          .select({ position: verifications.position })
          .from(verifications)
          .where(and(eq(verifications.userId, userId), eq(verifications.verificationId, verificationId)))
        db.update(kycStatusLog).set({ unpublished: 0 }).where(inArray(kycStatusLog.verification, ofChange)).run()
      }),
  }
}
