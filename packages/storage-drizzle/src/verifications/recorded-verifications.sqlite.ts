import type Database from 'better-sqlite3'
import { readStoredVerification, type StoredVerification } from '../audit/stored-verification.js'
import { prepare } from '../engine/sqlite/statement.js'

/** Times are milliseconds here. */
type StoredRow = Omit<StoredVerification, 'decisionedAt' | 'recordedAt' | 'statusAt'> & {
  readonly decisionedAt: number
  readonly recordedAt: number
  readonly statusAt: number
}

/** Reads verifications of any owner by id, with all data that their audit entries record. */
export function prepareRecordedVerifications(client: Database.Database) {
  const find = prepare<[string], StoredRow>(
    client,
    `SELECT verification_id AS verificationId, app_id AS appId, user_id AS userId,
      external_verification_id AS externalVerificationId, external_verification_provider AS externalVerificationProvider,
      schema_version AS schemaVersion, decision, decisioned_at AS decisionedAt, recorded_at AS recordedAt,
      country_code AS countryCode, result_status AS resultStatus, result_message AS resultMessage,
      payload_digest AS payloadDigest, ssn_token AS ssnToken, ssn_state AS ssnState,
      document_number_token AS documentNumberToken, previous_status AS previousStatus, next_status AS nextStatus,
      status_at AS statusAt, sections, checks, decline_codes AS declineCodes, sealed_details AS sealedDetails,
      erasable_key AS erasableKey, erasable_mac AS erasableMac
    FROM kyc_relay_verifications WHERE verification_id IN (SELECT value FROM json_each(?))`,
  )
  return (verificationIds: readonly string[]): readonly ReturnType<typeof readStoredVerification>[] =>
    find.all(JSON.stringify(verificationIds)).map(({ decisionedAt, recordedAt, statusAt, ...row }) =>
      readStoredVerification({
        ...row,
        decisionedAt: new Date(decisionedAt),
        recordedAt: new Date(recordedAt),
        statusAt: new Date(statusAt),
      }),
    )
}
