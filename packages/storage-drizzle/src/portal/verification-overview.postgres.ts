import { sql } from 'drizzle-orm'
import { checkedLimit } from '../page-cursor.js'
import {
  vaultReference,
  type LatestVerification,
  type VaultReferenceRow,
  type VerificationOverview,
} from './verification-overview.js'
import type { PostgresDatabase } from '../engine/postgres/database.js'
import { statement } from '../engine/postgres/statement.js'

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

const referencesIn = (of: 'newest' | 'oldest') =>
  statement<VaultReferenceRow>(
    `list_vault_references_of_${of}`,
    sql`
SELECT app_id AS "appId", user_id AS "userId", ssn_token AS "ssnToken", document_number_token AS "documentNumberToken"
FROM kyc_relay_verifications WHERE verification_id > ''
ORDER BY verification_id ${sql.raw(of === 'newest' ? 'DESC' : 'ASC')} LIMIT ${value('limit')}`,
  )

const references = { newest: referencesIn('newest'), oldest: referencesIn('oldest') }

/** Creates the overview of all verifications in one PostgreSQL database. */
export function createVerificationOverview(database: PostgresDatabase): VerificationOverview {
  return {
    listLatest: ({ limit, before = '~' }) =>
      database.run((on) => listLatest.rows(on, { before, limit: checkedLimit(limit) })),
    listVaultReferences: ({ of, limit }) =>
      database.run(async (on) => (await references[of].rows(on, { limit: checkedLimit(limit) })).map(vaultReference)),
  }
}
