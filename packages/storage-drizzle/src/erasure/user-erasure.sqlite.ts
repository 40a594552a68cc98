import { and, eq, isNotNull, sql } from 'drizzle-orm'
import { userErasedEvent } from '../audit/erasure-events.js'
import { checkedOwner } from '../checked-owner.js'
import type { ErasedRows, UserErasure } from './user-erasure.js'
import type { AuditChain } from '../audit/chain.sqlite.js'
import { cancelPending, prepareCancelling } from '../webhooks/cancelling.sqlite.js'
import type { Checkpoints } from '../engine/sqlite/checkpoints.js'
import { type DrizzleDatabase, read } from '../engine/sqlite/statement.js'
import { erasePhotoJobs, preparePhotoErasure } from '../photos/store.sqlite.js'
import type { GroupCommit } from '../engine/sqlite/group-commit.js'
import { grants } from '../apps/tables.sqlite.js'
import { StorageError } from '../storage-error.js'
import { prepareErasureStart } from '../user-retention/store.sqlite.js'
import { verifications } from '../verifications/tables.sqlite.js'
import { attempts, events } from '../webhooks/tables.sqlite.js'
import { transactions } from '../webhooks/transaction-tables.sqlite.js'

const value = sql.placeholder

/** Reason of the cancellation in the delivery log. */
const cancelReason = 'USER_ERASED'

function prepareStatements(db: DrizzleDatabase) {
  const ofUser = (table: typeof events | typeof transactions | typeof verifications) =>
    and(eq(table.userId, value('userId')), eq(table.appId, value('appId')))
  const appsIn = (table: typeof events | typeof transactions | typeof verifications | typeof grants) =>
    db
      .selectDistinct({ appId: table.appId })
      .from(table)
      .where(eq(table.userId, value('userId')))
      .prepare()
  return {
    appsWithGrant: appsIn(grants),
    appsWithVerification: appsIn(verifications),
    appsWithEvent: appsIn(events),
    appsWithTransaction: appsIn(transactions),
    blankAnswers: db
      .update(attempts)
      .set({ responseBody: null })
      .where(
        and(
          sql`${attempts.delivery} IN (SELECT position FROM kyc_relay_deliveries WHERE event IN
            (SELECT position FROM kyc_relay_events WHERE user_id = ${value('userId')} AND app_id = ${value('appId')}))`,
          isNotNull(attempts.responseBody),
        ),
      )
      .prepare(),
    blankBodies: db
      .update(events)
      .set({ body: null })
      .where(and(ofUser(events), isNotNull(events.body)))
      .prepare(),
    blankTransactions: db
      .update(transactions)
      .set({ fields: null })
      .where(and(ofUser(transactions), isNotNull(transactions.fields)))
      .prepare(),
    blankVerifications: db
      .update(verifications)
      .set({ payloadDigest: null, ssnToken: null, erasableKey: null })
      .where(and(ofUser(verifications), isNotNull(verifications.erasableKey)))
      .prepare(),
    countVerifications: db
      .select({ count: sql<number>`count(*)` })
      .from(verifications)
      .where(ofUser(verifications))
      .prepare(),
  }
}

/** Creates the erasure of users' rows on one SQLite connection. */
export function createUserErasure(dependencies: {
  readonly db: DrizzleDatabase
  readonly commits: GroupCommit
  readonly checkpoints: Checkpoints
  readonly clock: () => Date
  readonly audit: AuditChain | null
}): UserErasure {
  const { db, commits, checkpoints, clock, audit } = dependencies
  const statements = prepareStatements(db)
  const cancelling = prepareCancelling(db)
  const photoErasure = preparePhotoErasure(db)
  const startErasure = prepareErasureStart(db)

  function eraseRows(owner: Parameters<UserErasure['eraseUser']>[0]): ErasedRows {
    const { appId, userId } = owner
    const now = clock()
    if (startErasure.run({ userId, erasureId: null, at: now.getTime() }).changes === 0)
      throw new StorageError('LEGAL_HOLD')
    const deliveriesCancelled = cancelPending(cancelling, { appId, userId, reason: cancelReason }, now)
    statements.blankAnswers.run({ appId, userId })
    statements.blankVerifications.run({ appId, userId })
    const erased = {
      deliveriesCancelled,
      bodiesBlanked: statements.blankBodies.run({ appId, userId }).changes,
      transactionsBlanked: statements.blankTransactions.run({ appId, userId }).changes,
      ...erasePhotoJobs(photoErasure, { appId, userId }, now),
      verificationsKept: statements.countVerifications.get({ appId, userId })?.count ?? 0,
    }
    audit?.append(userErasedEvent(audit.seal, owner, now.getTime(), erased.verificationsKept), owner.actor)
    return erased
  }

  return {
    listAppsOfUser: (userId) =>
      read(() => {
        const { appsWithGrant, appsWithVerification, appsWithEvent, appsWithTransaction } = statements
        const lists = [appsWithGrant, appsWithVerification, appsWithEvent, appsWithTransaction]
        return [...new Set(lists.flatMap((list) => list.all({ userId }).map(({ appId }) => appId)))].sort()
      }),
    async eraseUser(owner) {
      checkedOwner(owner)
      const erased = await commits.write(() => eraseRows(owner))
      await checkpoints.empty()
      return erased
    },
  }
}
