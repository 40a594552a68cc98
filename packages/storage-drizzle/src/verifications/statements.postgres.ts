import type { KycStatus } from '@kyc-relay/kyc-core'
import { and, desc, eq, lt, or, sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { now } from '../engine/postgres/parameters.js'
import { statement } from '../engine/postgres/statement.js'
import { kycStatuses, submissionKeys, verifications } from './tables.postgres.js'

const value = sql.placeholder

/** Reads of the verification store, prepared once per connection. */
export function prepareVerificationReads(db: NodePgDatabase) {
  return {
    findExisting: db
      .select({
        userId: submissionKeys.userId,
        verificationId: submissionKeys.verificationId,
        resultStatus: submissionKeys.resultStatus,
        resultMessage: submissionKeys.resultMessage,
        payloadDigest: submissionKeys.payloadDigest,
      })
      .from(submissionKeys)
      .where(
        and(
          eq(submissionKeys.externalVerificationId, value('externalVerificationId')),
          eq(submissionKeys.appId, value('appId')),
        ),
      )
      .prepare('kyc_relay_find_existing'),
    findStatus: db
      .select({ status: kycStatuses.status })
      .from(kycStatuses)
      .where(eq(kycStatuses.userId, value('userId')))
      .prepare('kyc_relay_find_status'),
    findReferencedTokens: db
      .select({
        appId: verifications.appId,
        userId: verifications.userId,
        ssnToken: verifications.ssnToken,
        documentNumberToken: verifications.documentNumberToken,
      })
      .from(verifications)
      .where(
        or(
          sql`${verifications.ssnToken} = ANY(${value('tokens')}::text[])`,
          sql`${verifications.documentNumberToken} = ANY(${value('tokens')}::text[])`,
        ),
      )
      .prepare('kyc_relay_find_referenced_tokens'),
    findVerification: db
      .select()
      .from(verifications)
      .where(
        and(
          eq(verifications.verificationId, value('verificationId')),
          eq(verifications.appId, value('appId')),
          eq(verifications.userId, value('userId')),
        ),
      )
      .prepare('kyc_relay_find_verification'),
    listVerifications: db
      .select()
      .from(verifications)
      .where(
        and(
          eq(verifications.appId, value('appId')),
          eq(verifications.userId, value('userId')),
          lt(verifications.position, value('before')),
        ),
      )
      .orderBy(desc(verifications.position))
      .limit(value('limit'))
      .prepare('kyc_relay_list_verifications'),
  }
}

/**
 * Locks the row of a user's status until the end of the transaction, and reads it. A new user gets a row, so that the
 * first submissions of a user wait for each other too.
 */
export const lockStatus = statement<{ status: KycStatus; since: Date }>(
  'lock_status',
  sql`
INSERT INTO kyc_relay_kyc_statuses AS present (user_id, status, since)
VALUES (${value('userId')}, 'UNVERIFIED', ${now})
ON CONFLICT (user_id) DO UPDATE SET since = present.since
RETURNING status, since`,
)

/** Takes the key of a submission; no row when it is taken. */
export const insertKey = statement(
  'insert_submission_key',
  sql`
INSERT INTO kyc_relay_submission_keys (
  external_verification_id, app_id, user_id, verification_id, result_status, result_message, payload_digest
) VALUES (
  ${value('externalVerificationId')}, ${value('appId')}, ${value('userId')}, ${value('verificationId')},
  ${value('resultStatus')}, ${value('resultMessage')}, ${value('payloadDigest')}
)
ON CONFLICT (external_verification_id, app_id) DO NOTHING`,
)

/** Writes all rows of one user of a submission in one statement; nothing when the id is taken (`inserted` 0). */
export const insertVerification = statement<{ inserted: number }>(
  'insert_verification',
  sql`
WITH verification AS (
  INSERT INTO kyc_relay_verifications (
    user_id, verification_id, app_id, external_verification_id, external_verification_provider, schema_version,
    decision, decisioned_at, recorded_at, country_code, result_status, result_message, payload_digest,
    ssn_token, ssn_state, document_number_token, previous_status, next_status, status_at, sections, checks,
    decline_codes, sealed_details, erasable_key, erasable_mac
  ) VALUES (
    ${value('userId')}, ${value('verificationId')}, ${value('appId')}, ${value('externalVerificationId')},
    ${value('externalVerificationProvider')}, ${value('schemaVersion')}, ${value('decision')},
    ${value('decisionedAt')}::timestamptz, ${value('recordedAt')}::timestamptz, ${value('countryCode')},
    ${value('resultStatus')}, ${value('resultMessage')}, ${value('payloadDigest')}::bytea, ${value('ssnToken')},
    ${value('ssnState')}, ${value('documentNumberToken')}, ${value('previous')}, ${value('next')},
    ${value('statusAt')}::timestamptz, ${value('sections')}, ${value('checks')}, ${value('declineCodes')},
    ${value('sealedDetails')}::bytea, ${value('erasableKey')}::bytea, ${value('erasableMac')}::bytea
  )
  ON CONFLICT (user_id, verification_id) DO NOTHING
  RETURNING verification_id, user_id, recorded_at
), jobs AS (
  INSERT INTO kyc_relay_photo_jobs (user_id, photo_job_id, app_id, verification_id, side, sealed_url, state, created_at,
    due_at)
  SELECT v.user_id, j.id, ${value('appId')}, v.verification_id, j.side, j.url, 'PENDING', v.recorded_at, v.recorded_at
  FROM verification v, unnest(
    ${value('jobIds')}::text[], ${value('jobSides')}::text[], ${value('jobUrls')}::bytea[]
  ) AS j (id, side, url)
), outbox AS (
  INSERT INTO kyc_relay_kyc_status_outbox (user_id, change_id, app_id, previous, next, at)
  SELECT v.user_id, v.verification_id, ${value('appId')}, ${value('previous')}, ${value('next')},
    ${value('statusAt')}::timestamptz
  FROM verification v WHERE ${value('publishes')}::boolean
), moved AS (
  UPDATE kyc_relay_kyc_statuses AS present SET status = ${value('next')}, since = ${value('statusAt')}::timestamptz
  FROM verification v WHERE present.user_id = ${value('userId')} AND ${value('moves')}::boolean
)
SELECT count(*)::int AS inserted FROM verification`,
)
