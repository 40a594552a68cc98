import type Database from 'better-sqlite3'
import type { Decision, IngestionResult, KycStatus, RecordedCheck, SectionName, Token } from '@kyc-relay/kyc-core'
import type { RecordedVerification } from '../audit/recorded-content.js'
import { prepare } from './prepared.js'

interface StoredVerification {
  readonly position: number
  readonly verificationId: string
  readonly appId: string
  readonly userId: string
  readonly externalVerificationId: string
  readonly externalVerificationProvider: string
  readonly schemaVersion: string
  readonly decision: Decision
  readonly decisionedAt: number
  readonly recordedAt: number
  readonly countryCode: string
  readonly resultStatus: IngestionResult['status']
  readonly resultMessage: string
  readonly payloadDigest: Buffer
  readonly ssnToken: Token | null
  readonly ssnStanding: 'COLLECTED' | 'VALIDATED' | null
  readonly documentNumberToken: Token | null
  readonly sealedDetails: Buffer
  readonly previous: KycStatus | null
  readonly next: KycStatus | null
  readonly loggedAt: number | null
}

/** Verifications by their ids, with everything that their audit entries speak of, whoever they are of. */
export function prepareRecordedVerifications(client: Database.Database) {
  const find = prepare<[string], StoredVerification>(
    client,
    `SELECT v.position, v.verification_id AS verificationId, v.app_id AS appId, v.user_id AS userId,
      v.external_verification_id AS externalVerificationId,
      v.external_verification_provider AS externalVerificationProvider, v.schema_version AS schemaVersion, v.decision,
      v.decisioned_at AS decisionedAt, v.recorded_at AS recordedAt, v.country_code AS countryCode,
      v.result_status AS resultStatus, v.result_message AS resultMessage, v.payload_digest AS payloadDigest,
      v.ssn_token AS ssnToken, v.ssn_standing AS ssnStanding, v.document_number_token AS documentNumberToken,
      v.sealed_details AS sealedDetails, l.previous, l.next, l.at AS loggedAt
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

  return (verificationIds: readonly string[]): readonly RecordedVerification[] =>
    find.all(JSON.stringify(verificationIds)).map((row) => {
      const { position, verificationId, appId, userId, externalVerificationId, previous, next, loggedAt } = row
      const { ssnToken, ssnStanding, documentNumberToken } = row
      return {
        key: { appId, userId, externalVerificationId },
        verification: {
          verificationId,
          schemaVersion: row.schemaVersion,
          externalVerificationProvider: row.externalVerificationProvider,
          decision: row.decision,
          decisionedAt: new Date(row.decisionedAt),
          countryCode: row.countryCode,
          ssn: ssnToken === null || ssnStanding === null ? null : { token: ssnToken, standing: ssnStanding },
          documentNumber: documentNumberToken === null ? null : { token: documentNumberToken },
          sections: listSections.all(position),
          checks: listChecks.all(position),
          declineCodes: listDeclineCodes.all(position).map(({ code }) => code),
          sealedDetails: row.sealedDetails,
        },
        payloadDigest: row.payloadDigest,
        recordedAt: new Date(row.recordedAt),
        result: { status: row.resultStatus, verificationId, message: row.resultMessage },
        statusLog:
          previous === null || next === null || loggedAt === null ? null : { previous, next, at: new Date(loggedAt) },
      }
    })
}
