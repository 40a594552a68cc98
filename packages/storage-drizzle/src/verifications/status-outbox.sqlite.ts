import { and, asc, eq } from 'drizzle-orm'
import type { KycStatusOutbox } from '@kyc-relay/kyc-core'
import type { GroupCommit } from '../engine/sqlite/group-commit.js'
import { read, type DrizzleDatabase } from '../engine/sqlite/statement.js'
import { checkedLimit } from '../pages.js'
import { statusChangeOf } from './status-change.js'
import { kycStatusOutbox as outbox } from './tables.sqlite.js'

/** Creates the outbox of status changes on one SQLite connection. */
export function createStatusOutbox({
  db,
  commits,
}: {
  readonly db: DrizzleDatabase
  readonly commits: GroupCommit
}): KycStatusOutbox {
  return {
    listUnpublished: (request) =>
      read(() =>
        db
          .select()
          .from(outbox)
          .orderBy(asc(outbox.at), asc(outbox.changeId))
          .limit(checkedLimit(request.limit))
          .all()
          .map(statusChangeOf),
      ),

    markPublished: ({ userId, changeId }) =>
      commits.write(() => {
        db.delete(outbox)
          .where(and(eq(outbox.userId, userId), eq(outbox.changeId, changeId)))
          .run()
      }),
  }
}
