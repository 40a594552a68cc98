import { sql } from 'drizzle-orm'
import type { Decision, RecordedCheck, SectionName } from '@kyc-relay/kyc-core'
import type { RecordedVerification } from '../audit/recorded-content.js'
import { readStoredVerification, type StoredVerification } from '../audit/stored-verification.js'
import { statement, type Queryable } from '../engine/postgres/statement.js'

const value = sql.placeholder

const find = statement<StoredVerification>(
  'audit_find_verifications',
  sql`
SELECT v.verification_id AS "verificationId", v.app_id AS "appId", v.user_id AS "userId",
  v.external_verification_id AS "externalVerificationId",
  v.external_verification_provider AS "externalVerificationProvider", v.schema_version AS "schemaVersion", v.decision,
  v.decisioned_at AS "decisionedAt", v.recorded_at AS "recordedAt", v.country_code AS "countryCode",
  v.result_status AS "resultStatus", v.result_message AS "resultMessage", v.payload_digest AS "payloadDigest",
  v.ssn_token AS "ssnToken", v.ssn_standing AS "ssnStanding", v.document_number_token AS "documentNumberToken",
  v.sealed_details AS "sealedDetails", l.previous, l.next, l.at AS "loggedAt"
FROM kyc_relay_verifications v
LEFT JOIN kyc_relay_kyc_status_log l ON l.verification_id = v.verification_id AND l.user_id = v.user_id
WHERE v.verification_id = ANY(${value('ids')}::text[])`,
)

const listSections = statement<{ of: string; section: SectionName; verificationId: string; status: Decision }>(
  'audit_list_sections',
  sql`
SELECT verification_id AS "of", section, provider_verification_id AS "verificationId", status
FROM kyc_relay_verification_sections WHERE verification_id = ANY(${value('ids')}::text[])
ORDER BY verification_id, ordinal`,
)

const listChecks = statement<RecordedCheck & { of: string }>(
  'audit_list_checks',
  sql`
SELECT verification_id AS "of", section, name, status FROM kyc_relay_verification_checks
WHERE verification_id = ANY(${value('ids')}::text[]) ORDER BY verification_id, ordinal`,
)

const listDeclineCodes = statement<{ of: string; code: string }>(
  'audit_list_decline_codes',
  sql`
SELECT verification_id AS "of", code FROM kyc_relay_decline_codes
WHERE verification_id = ANY(${value('ids')}::text[]) ORDER BY verification_id, ordinal`,
)

/** Reads verifications of any owner by id, with all data that their audit entries record. */
export async function findRecordedVerifications(
  on: Queryable,
  verificationIds: readonly string[],
): Promise<readonly RecordedVerification[]> {
  const ids = [...verificationIds]
  const rows = await find.rows(on, { ids })
  const sections = groupByVerification(await listSections.rows(on, { ids }))
  const checks = groupByVerification(await listChecks.rows(on, { ids }))
  const codes = groupByVerification(await listDeclineCodes.rows(on, { ids }))
  return rows.map((row) =>
    readStoredVerification(row, {
      sections: sections.get(row.verificationId) ?? [],
      checks: checks.get(row.verificationId) ?? [],
      declineCodes: codes.get(row.verificationId) ?? [],
    }),
  )
}

function groupByVerification<T extends { readonly of: string }>(rows: readonly T[]): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>()
  for (const row of rows) {
    const group = groups.get(row.of)
    if (group === undefined) groups.set(row.of, [row])
    else group.push(row)
  }
  return groups
}
