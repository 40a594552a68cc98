import type Database from 'better-sqlite3'
import type { Decision } from '@kyc-relay/kyc-core'
import type { RecordedCheck, SectionName } from '@kyc-relay/kyc-core/internal'
import { readStoredVerification, type StoredVerification } from '../audit/stored-verification.js'
import { prepare } from '../engine/sqlite/statement.js'

/** Times are milliseconds here. */
type StoredRow = Omit<StoredVerification, 'decisionedAt' | 'recordedAt' | 'loggedAt'> & {
  readonly position: number
  readonly decisionedAt: number
  readonly recordedAt: number
  readonly loggedAt: number | null
}

/** Reads verifications of any owner by id, with all data that their audit entries record. */
export function prepareRecordedVerifications(client: Database.Database) {
  const find = prepare<[string], StoredRow>(
    client,
    `SELECT v.position, v.verification_id AS verificationId, v.app_id AS appId, v.user_id AS userId,
      v.external_verification_id AS externalVerificationId,
      v.external_verification_provider AS externalVerificationProvider, v.schema_version AS schemaVersion, v.decision,
      v.decisioned_at AS decisionedAt, v.recorded_at AS recordedAt, v.country_code AS countryCode,
      v.result_status AS resultStatus, v.result_message AS resultMessage, v.payload_digest AS payloadDigest,
      v.ssn_token AS ssnToken, v.ssn_state AS ssnState, v.document_number_token AS documentNumberToken,
      v.sealed_details AS sealedDetails, v.erasable_key AS erasableKey, v.erasable_mac AS erasableMac, l.previous, l.next, l.at AS loggedAt
    FROM kyc_relay_verifications v
    LEFT JOIN kyc_relay_kyc_status_log l ON l.verification = v.position AND l.user_id = v.user_id
    WHERE v.verification_id IN (SELECT value FROM json_each(?))`,
  )
  const listSections = prepare<[number], { section: SectionName; verificationId: string; status: Decision }>(
    client,
    `SELECT section, provider_verification_id AS verificationId, status
    FROM kyc_relay_verification_sections WHERE verification = ? ORDER BY ordinal`,
  )
  const listChecks = prepare<[number], RecordedCheck>(
    client,
    `SELECT section, name, status FROM kyc_relay_verification_checks WHERE verification = ? ORDER BY ordinal`,
  )
  const listDeclineCodes = prepare<[number], { code: string }>(
    client,
    `SELECT code FROM kyc_relay_decline_codes WHERE verification = ? ORDER BY ordinal`,
  )

  return (verificationIds: readonly string[]): readonly ReturnType<typeof readStoredVerification>[] =>
    find.all(JSON.stringify(verificationIds)).map(({ position, decisionedAt, recordedAt, loggedAt, ...row }) =>
      readStoredVerification(
        {
          ...row,
          decisionedAt: new Date(decisionedAt),
          recordedAt: new Date(recordedAt),
          loggedAt: loggedAt === null ? null : new Date(loggedAt),
        },
        {
          sections: listSections.all(position),
          checks: listChecks.all(position),
          declineCodes: listDeclineCodes.all(position),
        },
      ),
    )
}
