import { and, eq, getTableColumns, inArray } from 'drizzle-orm'
import type { RecordedVerification } from '../audit/recorded-content.js'
import { readStoredVerification } from '../audit/stored-verification.js'
import { queryBuilder, type Queryable } from '../engine/postgres/statement.js'
import {
  declineCodes,
  kycStatusLog,
  submissionKeys,
  verificationChecks,
  verifications,
  verificationSections,
} from './tables.postgres.js'

/** Reads verifications of any owner by id, with all data that their audit entries record. */
export async function findRecordedVerifications(
  on: Queryable,
  verificationIds: readonly string[],
): Promise<readonly RecordedVerification[]> {
  const ids = [...verificationIds]
  const query = queryBuilder(on)
  const rows = await query
    .select({
      ...getTableColumns(verifications),
      previous: kycStatusLog.previous,
      next: kycStatusLog.next,
      loggedAt: kycStatusLog.at,
      keyVerificationId: submissionKeys.verificationId,
    })
    .from(verifications)
    .leftJoin(
      kycStatusLog,
      and(eq(kycStatusLog.userId, verifications.userId), eq(kycStatusLog.verificationId, verifications.verificationId)),
    )
    // What a replay answers must be what was recorded.
    .leftJoin(
      submissionKeys,
      and(
        eq(submissionKeys.externalVerificationId, verifications.externalVerificationId),
        eq(submissionKeys.appId, verifications.appId),
        eq(submissionKeys.userId, verifications.userId),
        eq(submissionKeys.verificationId, verifications.verificationId),
        eq(submissionKeys.resultStatus, verifications.resultStatus),
        eq(submissionKeys.resultMessage, verifications.resultMessage),
        eq(submissionKeys.payloadDigest, verifications.payloadDigest),
      ),
    )
    .where(inArray(verifications.verificationId, ids))
  const { section, status } = verificationSections
  const sections = groupByVerification(
    await query
      .select({
        of: verificationSections.verificationId,
        section,
        verificationId: verificationSections.providerVerificationId,
        status,
      })
      .from(verificationSections)
      .where(inArray(verificationSections.verificationId, ids))
      .orderBy(verificationSections.verificationId, verificationSections.ordinal),
  )
  const checks = groupByVerification(
    await query
      .select({
        of: verificationChecks.verificationId,
        section: verificationChecks.section,
        name: verificationChecks.name,
        status: verificationChecks.status,
      })
      .from(verificationChecks)
      .where(inArray(verificationChecks.verificationId, ids))
      .orderBy(verificationChecks.verificationId, verificationChecks.ordinal),
  )
  const codes = groupByVerification(
    await query
      .select({ of: declineCodes.verificationId, code: declineCodes.code })
      .from(declineCodes)
      .where(inArray(declineCodes.verificationId, ids))
      .orderBy(declineCodes.verificationId, declineCodes.ordinal),
  )
  return rows.map((row) => {
    const payloadDigest = row.keyVerificationId === null ? new Uint8Array() : row.payloadDigest
    return readStoredVerification(
      { ...row, payloadDigest },
      {
        sections: sections.get(row.verificationId) ?? [],
        checks: checks.get(row.verificationId) ?? [],
        declineCodes: codes.get(row.verificationId) ?? [],
      },
    )
  })
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
