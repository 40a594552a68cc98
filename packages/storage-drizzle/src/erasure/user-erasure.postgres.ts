import { and, eq, inArray, isNotNull } from 'drizzle-orm'
import { union } from 'drizzle-orm/pg-core'
import type { AppUser } from '@kyc-relay/kyc-core'
import { userErasedEvent } from '../audit/erasure-events.js'
import { checkedOwner } from '../checked-owner.js'
import type { UserErasure } from './user-erasure.js'
import type { AuditChain } from '../audit/chain.postgres.js'
import type { PostgresDatabase } from '../engine/postgres/database.js'
import { erasePhotoJobs } from '../photos/store.postgres.js'
import { queryBuilder, type Queryable } from '../engine/postgres/statement.js'
import { grants } from '../apps/tables.postgres.js'
import { StorageError } from '../storage-error.js'
import { markErasure } from '../user-retention/store.postgres.js'
import { submissionKeys, verifications } from '../verifications/tables.postgres.js'
import { cancelPending } from '../webhooks/store.postgres.js'
import { attempts, deliveries, events } from '../webhooks/tables.postgres.js'
import { transactions } from '../webhooks/transaction-tables.postgres.js'

/** Reason of the cancellation in the delivery log. */
const cancelReason = 'USER_ERASED'

const ofUser = (table: typeof events | typeof transactions | typeof verifications, { appId, userId }: AppUser) =>
  and(eq(table.userId, userId), eq(table.appId, appId))

async function listAppsOfUser(on: Queryable, userId: string): Promise<readonly string[]> {
  const query = queryBuilder(on)
  const appsIn = (table: typeof grants | typeof verifications | typeof events | typeof transactions) =>
    query.select({ appId: table.appId }).from(table).where(eq(table.userId, userId))
  const rows = await union(appsIn(grants), appsIn(verifications), appsIn(events), appsIn(transactions))
  return rows.map(({ appId }) => appId).sort()
}

/** Blanks the bodies of receivers' answers to events of the user. */
async function blankAnswers(on: Queryable, owner: AppUser): Promise<void> {
  const query = queryBuilder(on)
  const eventsOfUser = query.select({ eventId: events.eventId }).from(events).where(ofUser(events, owner))
  const deliveriesOfUser = query
    .select({ deliveryId: deliveries.deliveryId })
    .from(deliveries)
    .where(and(eq(deliveries.appId, owner.appId), inArray(deliveries.eventId, eventsOfUser)))
  await query
    .update(attempts)
    .set({ responseBody: null })
    .where(
      and(
        eq(attempts.appId, owner.appId),
        inArray(attempts.deliveryId, deliveriesOfUser),
        isNotNull(attempts.responseBody),
      ),
    )
}

/** Blanks what an SSN can be guessed from: tokens with digits, digests of submissions, and the key that covers both. */
async function blankVerifications(on: Queryable, owner: AppUser): Promise<void> {
  const query = queryBuilder(on)
  const blanked = await query
    .update(verifications)
    .set({ payloadDigest: null, ssnToken: null, erasableKey: null })
    .where(and(ofUser(verifications, owner), isNotNull(verifications.erasableKey)))
    .returning({ externalVerificationId: verifications.externalVerificationId })
  // One statement each: distributed tables keep the keys by external id.
  for (const { externalVerificationId } of blanked) {
    await query
      .update(submissionKeys)
      .set({ payloadDigest: null })
      .where(
        and(eq(submissionKeys.externalVerificationId, externalVerificationId), eq(submissionKeys.appId, owner.appId)),
      )
  }
}

/** Creates the erasure of users' rows on PostgreSQL. */
export function createUserErasure(dependencies: {
  readonly database: PostgresDatabase
  /** Time of the store's clock; null for the database's clock. */
  readonly instant: () => Date | null
  readonly audit: AuditChain | null
}): UserErasure {
  const { database, instant, audit } = dependencies
  return {
    listAppsOfUser: (userId) => database.run((on) => listAppsOfUser(on, userId)),
    async eraseUser(owner) {
      checkedOwner(owner)
      return database.transaction(async (on) => {
        const at = instant()
        if (!(await markErasure(on, { userId: owner.userId, erasureId: null }, at)))
          throw new StorageError('LEGAL_HOLD')
        const deliveriesCancelled = await cancelPending(on, { ...owner, reason: cancelReason }, at)
        await blankAnswers(on, owner)
        await blankVerifications(on, owner)
        const query = queryBuilder(on)
        const bodies = await query
          .update(events)
          .set({ body: null })
          .where(and(ofUser(events, owner), isNotNull(events.body)))
        const fields = await query
          .update(transactions)
          .set({ fields: null })
          .where(and(ofUser(transactions, owner), isNotNull(transactions.fields)))
        const erased = {
          deliveriesCancelled,
          bodiesBlanked: bodies.rowCount ?? 0,
          transactionsBlanked: fields.rowCount ?? 0,
          ...(await erasePhotoJobs(on, owner, at)),
          verificationsKept: await query.$count(verifications, ofUser(verifications, owner)),
        }
        const { verificationsKept } = erased
        await audit?.append(
          on,
          owner.userId,
          (nowMs) => userErasedEvent(audit.seal, owner, nowMs, verificationsKept),
          owner.actor,
        )
        return erased
      })
    },
  }
}
