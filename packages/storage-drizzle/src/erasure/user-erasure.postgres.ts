import { sql } from 'drizzle-orm'
import { userErasedEvent } from '../audit/erasure-events.js'
import type { UserErasure } from './user-erasure.js'
import type { AuditChain } from '../audit/chain.postgres.js'
import type { PostgresDatabase } from '../engine/postgres/database.js'
import { erasePhotoJobs } from '../photos/store.postgres.js'
import { statement } from '../engine/postgres/statement.js'
import { cancelPending } from '../webhooks/store.postgres.js'

const value = sql.placeholder

/** Reason of the cancellation in the delivery log. */
const cancelReason = 'USER_ERASED'

const ofUser = sql`user_id = ${value('userId')} AND app_id = ${value('appId')}`

const listAppsOfUser = statement<{ appId: string }>(
  'list_apps_of_user',
  sql`
SELECT app_id AS "appId" FROM kyc_relay_grants WHERE user_id = ${value('userId')}
UNION SELECT app_id FROM kyc_relay_verifications WHERE user_id = ${value('userId')}
UNION SELECT app_id FROM kyc_relay_events WHERE user_id = ${value('userId')}
UNION SELECT app_id FROM kyc_relay_transactions WHERE user_id = ${value('userId')}
ORDER BY 1`,
)

const blankAnswers = statement(
  'blank_answers',
  sql`
UPDATE kyc_relay_attempts SET response_body = NULL
WHERE response_body IS NOT NULL AND delivery_id IN (
  SELECT delivery_id FROM kyc_relay_deliveries WHERE event_id IN (SELECT event_id FROM kyc_relay_events WHERE ${ofUser})
)`,
)

const blankBodies = statement(
  'blank_bodies',
  sql`UPDATE kyc_relay_events SET body = NULL WHERE ${ofUser} AND body IS NOT NULL`,
)

const blankTransactions = statement(
  'blank_transactions',
  sql`UPDATE kyc_relay_transactions SET fields = NULL WHERE ${ofUser} AND fields IS NOT NULL`,
)

const countVerifications = statement<{ count: number }>(
  'count_verifications',
  sql`SELECT count(*)::int AS count FROM kyc_relay_verifications WHERE ${ofUser}`,
)

/** Creates the erasure of users' rows on PostgreSQL. */
export function createUserErasure(dependencies: {
  readonly database: PostgresDatabase
  /** Time of the store's clock; null for the database's clock. */
  readonly instant: () => Date | null
  readonly audit: AuditChain | null
}): UserErasure {
  const { database, instant, audit } = dependencies
  return {
    listAppsOfUser: (userId) =>
      database.run(async (on) => (await listAppsOfUser.rows(on, { userId })).map(({ appId }) => appId)),
    eraseUser: (owner) =>
      database.transaction(async (on) => {
        const at = instant()
        const deliveriesCancelled = await cancelPending(on, { ...owner, reason: cancelReason }, at)
        await blankAnswers.count(on, owner)
        const erased = {
          deliveriesCancelled,
          bodiesBlanked: await blankBodies.count(on, owner),
          transactionsBlanked: await blankTransactions.count(on, owner),
          ...(await erasePhotoJobs(on, owner, at)),
          verificationsKept: (await countVerifications.rows(on, owner))[0]?.count ?? 0,
        }
        await audit?.append(on, owner.userId, (nowMs) =>
          userErasedEvent(audit.seal, owner, nowMs, erased.verificationsKept),
        )
        return erased
      }),
  }
}
