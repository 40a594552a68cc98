import { sql } from 'drizzle-orm'
import { checkedLimit } from '../page-cursor.js'
import type { LatestVerification, VerificationOverview } from '../verification-overview.js'
import type { PostgresDatabase } from './database.js'
import { statement } from './statement.js'

const value = sql.placeholder

const listLatest = statement<LatestVerification>(
  'list_latest_verifications',
  sql`
SELECT verification_id AS "verificationId", app_id AS "appId", user_id AS "userId", decision,
  result_status AS "resultStatus", recorded_at AS "recordedAt"
FROM kyc_relay_verifications
WHERE verification_id < ${value('before')}
ORDER BY verification_id DESC
LIMIT ${value('limit')}`,
)

/** Verifications of everybody in one PostgreSQL database. */
export function createVerificationOverview(database: PostgresDatabase): VerificationOverview {
  return {
    listLatest: ({ limit, before = '~' }) =>
      database.run((on) => listLatest.rows(on, { before, limit: checkedLimit(limit) })),
  }
}
