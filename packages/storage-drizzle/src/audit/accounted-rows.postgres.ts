import { and, eq, inArray, sql } from 'drizzle-orm'
import type { AuditLog, AuditSeal } from '@kyc-relay/kyc-core/audit'
import type { UnaccountedRow } from '@kyc-relay/kyc-core/internal'
import { checkedLimit } from '../pages.js'
import type { PostgresDatabase } from '../engine/postgres/database.js'
import { queryBuilder, statement, type Queryable } from '../engine/postgres/statement.js'
import { vaultAudit } from '../vault/tables.postgres.js'
import { findRecordedVerifications } from '../verifications/recorded-verifications.postgres.js'
import { revealContent, verificationContent } from './recorded-content.js'
import { auditEntries } from './tables.postgres.js'

const value = sql.placeholder

type AccountedRows = Pick<AuditLog, 'findRecorded' | 'listUnaccounted'>

interface ExaminedRow {
  readonly subject: string
  readonly userId?: string
  /** `NOT_COVERED` for a row that is older than the log. */
  readonly code: UnaccountedRow['code'] | 'NOT_COVERED' | null
}

// Scalar subqueries instead of EXISTS: PostgreSQL may plan EXISTS as a hash of the whole other table.
const examineVerifications = statement<ExaminedRow>(
  'stores_audit_examine_verifications',
  sql`
SELECT v.verification_id AS subject, v.user_id AS "userId", CASE
  WHEN v.position <= ${value('startedAfter')}::bigint THEN 'NOT_COVERED'
  WHEN v.previous_status <> v.next_status AND (
    SELECT s.since FROM kyc_relay_kyc_statuses s WHERE s.user_id = v.user_id AND s.since >= v.status_at
  ) IS NULL THEN 'STATUS_MISSING' END AS code
FROM kyc_relay_verifications v WHERE (v.verification_id, v.user_id) > (${value('after')}, ${value('afterUserId')})
ORDER BY v.verification_id, v.user_id LIMIT ${value('limit')}`,
)

const examineStatuses = statement<ExaminedRow>(
  'stores_audit_examine_statuses',
  sql`
SELECT s.user_id AS subject, CASE WHEN s.status = 'UNVERIFIED' THEN (
  SELECT 'STATUS_UNFOUNDED' FROM kyc_relay_verifications v
  WHERE v.user_id = s.user_id AND v.previous_status <> v.next_status AND (
    SELECT c.at FROM kyc_relay_kyc_status_corrections c
    WHERE c.user_id = s.user_id AND c.next = s.status AND c.at = s.since LIMIT 1
  ) IS NULL LIMIT 1
) WHEN (
  SELECT v.status_at FROM kyc_relay_verifications v
  WHERE v.user_id = s.user_id AND v.next_status = s.status AND v.previous_status <> v.next_status
    AND v.status_at = s.since LIMIT 1
) IS NULL AND (
  SELECT c.at FROM kyc_relay_kyc_status_corrections c
  WHERE c.user_id = s.user_id AND c.next = s.status AND c.at = s.since LIMIT 1
) IS NULL THEN 'STATUS_UNFOUNDED' END AS code
FROM kyc_relay_kyc_statuses s WHERE s.user_id > ${value('after')} ORDER BY s.user_id LIMIT ${value('limit')}`,
)

const rowOf = ({ subject, userId }: { readonly subject: string | null; readonly userId?: string | null }) =>
  JSON.stringify([subject, userId])

/** Marks verifications that have no entry in the log: the id of a verification is unique for its user only. */
async function withoutEntry(on: Queryable, page: readonly ExaminedRow[]): Promise<readonly ExaminedRow[]> {
  const subjects = page.map(({ subject }) => subject)
  const found = await queryBuilder(on)
    .select({ subject: auditEntries.subject, userId: auditEntries.userId })
    .from(auditEntries)
    .where(and(eq(auditEntries.kind, 'VERIFICATION_RECORDED'), inArray(auditEntries.subject, subjects)))
  const recorded = new Set(found.map(rowOf))
  return page.map((row) =>
    row.code === 'NOT_COVERED' || recorded.has(rowOf(row)) ? row : { ...row, code: 'ROW_WITHOUT_ENTRY' },
  )
}

/** Reads the rows that entries of verifications cover, and verifications and statuses without an entry. */
export function verificationRows(database: PostgresDatabase, seal: AuditSeal): AccountedRows {
  return {
    async findRecorded(subjects) {
      const found = await database.run((on) => findRecordedVerifications(on, subjects))
      return new Map(
        found.map((one) => [
          one.verification.verificationId,
          { digest: seal.digest(verificationContent(one)), erased: one.erased },
        ]),
      )
    },
    async listUnaccounted({ startedAfter, cursor, limit }) {
      checkedLimit(limit, 1_000)
      // The list (first verifications, then statuses), and the key of the last row of the page.
      const [what, after, afterUserId] = (cursor === null ? ['v', '', ''] : JSON.parse(cursor)) as readonly string[]
      const examine = what === 'v' ? examineVerifications : examineStatuses
      const page = await database.run(async (on) => {
        const examined = await examine.rows(on, { startedAfter, after, afterUserId, limit })
        return what === 'v' ? withoutEntry(on, examined) : examined
      })
      const last = page.at(-1)
      const ended = what === 'v' ? JSON.stringify(['s', '', '']) : null
      const next = last && JSON.stringify([what, last.subject, last.userId ?? ''])
      const nextCursor = page.length < limit || next === undefined ? ended : next
      return { rows: unaccounted(page), examined: page.length, nextCursor }
    },
  }
}

const examineReveals = statement<ExaminedRow>(
  'vault_audit_examine_reveals',
  sql`
SELECT a.position::text AS subject, CASE WHEN (
  SELECT e.sequence FROM kyc_relay_vault_audit_entries e
  WHERE e.kind = 'VALUE_REVEALED' AND e.subject = a.position::text LIMIT 1
) IS NULL THEN 'ROW_WITHOUT_ENTRY' END AS code
FROM kyc_relay_vault_audit a WHERE a.position > ${value('after')} ORDER BY a.position LIMIT ${value('limit')}`,
)

/** Reads the reveals that entries of the vault cover, and reveals without an entry. */
export function revealRows(database: PostgresDatabase, seal: AuditSeal): AccountedRows {
  return {
    async findRecorded(subjects) {
      const found = await database.run((on) =>
        queryBuilder(on)
          .select()
          .from(vaultAudit)
          .where(inArray(vaultAudit.position, subjects.map(Number))),
      )
      return new Map(
        found.map(({ position, at, ...reveal }) => [
          String(position),
          { digest: seal.digest(revealContent({ ...reveal, atMs: at.getTime() })), erased: false },
        ]),
      )
    },
    async listUnaccounted({ startedAfter, cursor, limit }) {
      checkedLimit(limit, 1_000)
      const after = cursor === null ? startedAfter : Number(cursor)
      const page = await database.run((on) => examineReveals.rows(on, { after, limit }))
      const last = page.at(-1)
      const nextCursor = page.length < limit || last === undefined ? null : last.subject
      return { rows: unaccounted(page), examined: page.length, nextCursor }
    },
  }
}

function unaccounted(page: readonly ExaminedRow[]): readonly UnaccountedRow[] {
  return page.flatMap(({ subject, code }) => (code === null || code === 'NOT_COVERED' ? [] : [{ subject, code }]))
}
