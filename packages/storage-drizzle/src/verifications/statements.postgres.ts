import { and, desc, eq, lt, or, sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { statement } from '../engine/postgres/statement.js'
import {
  declineCodes,
  kycStatuses,
  kycStatusLog,
  verificationChecks,
  verifications,
  verificationSections,
} from './tables.postgres.js'

const value = sql.placeholder

/** Reads of the verification store, prepared once per connection. */
export function prepareVerificationReads(db: NodePgDatabase) {
  return {
    findExisting: db
      .select({
        userId: verifications.userId,
        verificationId: verifications.verificationId,
        resultStatus: verifications.resultStatus,
        resultMessage: verifications.resultMessage,
        payloadDigest: verifications.payloadDigest,
      })
      .from(verifications)
      .where(
        and(
          eq(verifications.appId, value('appId')),
          eq(verifications.externalVerificationId, value('externalVerificationId')),
        ),
      )
      .prepare('kyc_relay_find_existing'),
    findStatus: db
      .select({ status: kycStatuses.status })
      .from(kycStatuses)
      .where(eq(kycStatuses.userId, value('userId')))
      .prepare('kyc_relay_find_status'),
    findReferencedTokens: db
      .select({ ssnToken: verifications.ssnToken, documentNumberToken: verifications.documentNumberToken })
      .from(verifications)
      .where(
        or(
          sql`${verifications.ssnToken} = ANY(${value('tokens')}::text[])`,
          sql`${verifications.documentNumberToken} = ANY(${value('tokens')}::text[])`,
        ),
      )
      .prepare('kyc_relay_find_referenced_tokens'),
    findVerification: db
      .select({ verification: verifications, log: kycStatusLog })
      .from(verifications)
      .innerJoin(kycStatusLog, eq(kycStatusLog.verificationId, verifications.verificationId))
      .where(
        and(
          eq(verifications.verificationId, value('verificationId')),
          eq(verifications.appId, value('appId')),
          eq(verifications.userId, value('userId')),
        ),
      )
      .prepare('kyc_relay_find_verification'),
    listVerifications: db
      .select({ verification: verifications, log: kycStatusLog })
      .from(verifications)
      .innerJoin(kycStatusLog, eq(kycStatusLog.verificationId, verifications.verificationId))
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
    listSections: db
      .select()
      .from(verificationSections)
      .where(sql`${verificationSections.verificationId} = ANY(${value('ids')}::text[])`)
      .orderBy(verificationSections.verificationId, verificationSections.ordinal)
      .prepare('kyc_relay_list_sections'),
    listChecks: db
      .select()
      .from(verificationChecks)
      .where(sql`${verificationChecks.verificationId} = ANY(${value('ids')}::text[])`)
      .orderBy(verificationChecks.verificationId, verificationChecks.ordinal)
      .prepare('kyc_relay_list_checks'),
    listDeclineCodes: db
      .select()
      .from(declineCodes)
      .where(sql`${declineCodes.verificationId} = ANY(${value('ids')}::text[])`)
      .orderBy(declineCodes.verificationId, declineCodes.ordinal)
      .prepare('kyc_relay_list_decline_codes'),
  }
}

/**
 * Locks a user until the end of the transaction and reads the current status; null for an unknown user.
 *
 * It is not a row lock because a new user has no row. A status written while it waited for the lock is not visible
 * here; {@link insertVerification} detects it.
 */
export const lockStatus = statement<{ status: 'PASS' | 'PASS_INTERNATIONAL' | null }>(
  'lock_status',
  sql`
SELECT (SELECT status FROM kyc_relay_kyc_statuses WHERE user_id = ${value('userId')}) AS status,
  pg_advisory_xact_lock(hashtextextended(current_schema() || ' kyc_relay_kyc_statuses ' || ${value('userId')}, 0))`,
)

/**
 * Writes all rows of one submission in one statement; nothing when the key or the id is taken (`inserted` 0). Another
 * submission of the user changed the status meanwhile if `moved` is 0 although the status should change, or if
 * `present` differs from the status that was read.
 */
export const insertVerification = statement<{
  inserted: number
  moved: number
  present: 'PASS' | 'PASS_INTERNATIONAL' | null
}>(
  'insert_verification',
  sql`
WITH verification AS (
  INSERT INTO kyc_relay_verifications (
    verification_id, app_id, user_id, external_verification_id, external_verification_provider, schema_version,
    decision, decisioned_at, recorded_at, country_code, result_status, result_message, payload_digest,
    ssn_token, ssn_standing, document_number_token, sealed_details
  ) VALUES (
    ${value('verificationId')}, ${value('appId')}, ${value('userId')}, ${value('externalVerificationId')},
    ${value('externalVerificationProvider')}, ${value('schemaVersion')}, ${value('decision')},
    ${value('decisionedAt')}, ${value('recordedAt')}, ${value('countryCode')}, ${value('resultStatus')},
    ${value('resultMessage')}, ${value('payloadDigest')}, ${value('ssnToken')}, ${value('ssnStanding')},
    ${value('documentNumberToken')}, ${value('sealedDetails')}
  )
  -- Of any constraint: when one verification is written twice at once, its id can be found taken before its key is.
  ON CONFLICT DO NOTHING
  RETURNING verification_id, user_id, recorded_at
), sections AS (
  INSERT INTO kyc_relay_verification_sections (verification_id, ordinal, section, provider_verification_id, status)
  SELECT v.verification_id, s.ordinal - 1, s.section, s.id, s.status
  FROM verification v, unnest(
    ${value('sections')}::text[], ${value('sectionIds')}::text[], ${value('sectionStatuses')}::text[]
  ) WITH ORDINALITY AS s (section, id, status, ordinal)
), checks AS (
  INSERT INTO kyc_relay_verification_checks (verification_id, ordinal, section, name, status)
  SELECT v.verification_id, c.ordinal - 1, c.section, c.name, c.status
  FROM verification v, unnest(
    ${value('checkSections')}::text[], ${value('checkNames')}::text[], ${value('checkStatuses')}::text[]
  ) WITH ORDINALITY AS c (section, name, status, ordinal)
), codes AS (
  INSERT INTO kyc_relay_decline_codes (verification_id, ordinal, code)
  SELECT v.verification_id, d.ordinal - 1, d.code
  FROM verification v, unnest(${value('declineCodes')}::text[]) WITH ORDINALITY AS d (code, ordinal)
), jobs AS (
  INSERT INTO kyc_relay_photo_jobs (photo_job_id, verification_id, side, sealed_url, state, created_at, due_at)
  SELECT j.id, v.verification_id, j.side, j.url, 'PENDING', v.recorded_at, v.recorded_at
  FROM verification v, unnest(
    ${value('jobIds')}::text[], ${value('jobSides')}::text[], ${value('jobUrls')}::bytea[]
  ) AS j (id, side, url)
), log AS (
  INSERT INTO kyc_relay_kyc_status_log (verification_id, user_id, previous, next, at)
  SELECT v.verification_id, v.user_id, ${value('previous')}, ${value('next')}, v.recorded_at FROM verification v
), moved AS (
  INSERT INTO kyc_relay_kyc_statuses AS present (user_id, status, since)
  SELECT v.user_id, ${value('next')}, v.recorded_at FROM verification v WHERE ${value('moves')}::boolean
  ON CONFLICT (user_id) DO UPDATE SET status = excluded.status, since = excluded.since
  WHERE present.status = ${value('previous')}
  RETURNING user_id
)
SELECT (SELECT count(*) FROM verification)::int AS inserted, (SELECT count(*) FROM moved)::int AS moved,
  -- As it was when this statement began: what it writes itself is not seen.
  (SELECT status FROM kyc_relay_kyc_statuses WHERE user_id = ${value('userId')}) AS present`,
)
