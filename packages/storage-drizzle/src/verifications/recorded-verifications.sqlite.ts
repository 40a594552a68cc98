import type Database from 'better-sqlite3'
import { readStoredVerification, type StoredVerification } from '../audit/stored-verification.js'
import { prepare } from '../engine/sqlite/statement.js'

/** Times are milliseconds here. */
type StoredRow = Omit<StoredVerification, 'decisionedAt' | 'recordedAt' | 'loggedAt'> & {
  readonly decisionedAt: number
  readonly recordedAt: number
  readonly loggedAt: number | null
}

/** Reads verifications of any owner by id, with all data that their audit entries record. */
export function prepareRecordedVerifications(client: Database.Database) {
  const find = prepare<[string], StoredRow>(
    client,
    `SELECT v.verification_id AS verificationId, v.app_id AS appId, v.user_id AS userId,
      v.external_verification_id AS externalVerificationId,
      v.external_verification_provider AS externalVerificationProvider, v.schema_version AS schemaVersion, v.decision,
      v.decisioned_at AS decisionedAt, v.recorded_at AS recordedAt, v.country_code AS countryCode,
      v.result_status AS resultStatus, v.result_message AS resultMessage, v.payload_digest AS payloadDigest,
      v.ssn_token AS ssnToken, v.ssn_state AS ssnState, v.document_number_token AS documentNumberToken,
      v.sections, v.checks, v.decline_codes AS declineCodes, v.sealed_details AS sealedDetails,
      v.erasable_key AS erasableKey, v.erasable_mac AS erasableMac, l.previous, l.next, l.at AS loggedAt
    FROM kyc_relay_verifications v
    LEFT JOIN kyc_relay_kyc_status_log l ON l.verification = v.position AND l.user_id = v.user_id
    WHERE v.verification_id IN (SELECT value FROM json_each(?))`,
  )
  return (verificationIds: readonly string[]): readonly ReturnType<typeof readStoredVerification>[] =>
    find.all(JSON.stringify(verificationIds)).map(({ decisionedAt, recordedAt, loggedAt, ...row }) =>
      readStoredVerification({
        ...row,
        decisionedAt: new Date(decisionedAt),
        recordedAt: new Date(recordedAt),
        loggedAt: loggedAt === null ? null : new Date(loggedAt),
      }),
    )
}
