import { and, eq, gt, inArray, sql } from 'drizzle-orm'
import type { AuditLog, AuditSeal } from '@kyc-relay/kyc-core/audit'
import type { AuditLogName, UnaccountedRow } from '@kyc-relay/kyc-core/internal'
import {
  accessRowOf,
  type StoredAccessToken,
  type StoredApiKey,
  type StoredCorrection,
  type StoredEndpoint,
  type StoredGrant,
  type StoredPause,
} from './access-rows.js'
import { revealContent, verificationContent } from './recorded-content.js'
import { checkedLimit } from '../page-cursor.js'
import { auditChains } from './chain.postgres.js'
import { connectPool } from '../engine/postgres/pool.js'
import { createDatabase, type PostgresDatabase } from '../engine/postgres/database.js'
import { storageErrorOf } from '../engine/postgres/errors.js'
import { requireMigrated } from '../engine/postgres/migrate.js'
import { findRecordedVerifications } from '../verifications/recorded-verifications.postgres.js'
import { queryBuilder, statement, type Queryable } from '../engine/postgres/statement.js'
import { vaultAudit } from '../vault/tables.postgres.js'
import { auditEntries, auditHeads, vaultAuditEntries, vaultAuditHeads } from './tables.postgres.js'

/** An audit log with a separate connection. */
export interface OpenedAuditLog extends AuditLog {
  /** Closes the connection. */
  close(): Promise<void>
}

/** Time limit of a page, in milliseconds. */
const pageTimeoutMs = 60_000

/**
 * Opens the audit log of a PostgreSQL database for verification, on one read-only connection. Connect to the primary.
 *
 * @throws StorageError `DATABASE_UNUSABLE`, `STORE_UNAVAILABLE`, `SCHEMA_OUTDATED`, `SCHEMA_NEWER`, `SCHEMA_EDITED`
 *
 * @example
 * ```ts
 * import { createLocalAuditSeal, parseKeyFile } from '@kyc-relay/kyc-core/node'
 * import { openPostgresAuditLog } from '@kyc-relay/storage-drizzle/postgres'
 *
 * export function openLog(keyFile: string) {
 *   const seal = createLocalAuditSeal({ keys: parseKeyFile(keyFile) })
 *   return openPostgresAuditLog({ connectionString: 'postgres://kyc@localhost/kyc' }, { log: 'stores', seal })
 * }
 * ```
 */
export async function openPostgresAuditLog(
  location: { readonly connectionString: string; readonly transactionPooler?: boolean },
  { log, seal }: { readonly log: AuditLogName; readonly seal: AuditSeal },
): Promise<OpenedAuditLog> {
  const settings = {
    ...{ statement_timeout: pageTimeoutMs, application_name: 'kyc-relay-audit' },
    options: '-c default_transaction_read_only=on',
  }
  const { pool, transactionPooler, close } = connectPool(
    { ...location, maxConnections: 1 },
    settings,
    pageTimeoutMs + 2_000,
  )
  try {
    await requireMigrated(pool, log === 'vault' ? 'postgres-vault' : 'postgres')
  } catch (error) {
    await close()
    throw storageErrorOf(error)
  }
  return { ...createAuditLog(createDatabase(pool, { transactionPooler }), log, seal), close }
}

const value = sql.placeholder

const tables = {
  stores: { entries: auditEntries, heads: auditHeads },
  vault: { entries: vaultAuditEntries, heads: vaultAuditHeads },
}
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** Creates the reader of one audit log. */
export function createAuditLog(database: PostgresDatabase, log: AuditLogName, seal: AuditSeal): AuditLog {
  const { entries, heads } = tables[log]
  const rows = log === 'stores' ? verificationRows(database, seal) : revealRows(database, seal)
  return {
    name: log,
    chains: auditChains,
    listHeads: () =>
      database.run(async (on) => {
        const found = await queryBuilder(on).select().from(heads).orderBy(heads.chain)
        return found.map((head) => ({ ...head, mac: hexOf(head.mac) }))
      }),
    listEntries: ({ chain, after, limit }) =>
      database.run(async (on) => {
        const found = await queryBuilder(on)
          .select()
          .from(entries)
          .where(and(eq(entries.chain, chain), gt(entries.sequence, after)))
          .orderBy(entries.sequence)
          .limit(checkedLimit(limit, 1_000))
        return found.map(({ at, ...entry }) => ({
          ...entry,
          atMs: at.getTime(),
          contentDigest: hexOf(entry.contentDigest),
          previousMac: hexOf(entry.previousMac),
          mac: hexOf(entry.mac),
        }))
      }),
    ...rows,
    ...(log === 'stores' ? { listAccess: accessRows(database, seal) } : {}),
  }
}

type AccountedRows = Pick<AuditLog, 'findRecorded' | 'listUnaccounted'>

interface ExaminedRow {
  readonly subject: string
  /** `NOT_COVERED` for a row that is older than the log. */
  readonly code: UnaccountedRow['code'] | 'NOT_COVERED' | null
}

// Scalar subqueries instead of EXISTS: PostgreSQL may plan EXISTS as a hash of the whole other table.
const examineVerifications = statement<ExaminedRow>(
  'stores_audit_examine_verifications',
  sql`
SELECT v.verification_id AS subject, CASE
  WHEN v.position <= ${value('startedAfter')}::bigint THEN 'NOT_COVERED'
  WHEN (
    SELECT l.previous <> l.next AND (
      SELECT s.since FROM kyc_relay_kyc_statuses s WHERE s.user_id = l.user_id AND s.since >= l.at
    ) IS NULL
    FROM kyc_relay_kyc_status_log l WHERE l.user_id = v.user_id AND l.verification_id = v.verification_id
  ) THEN 'STATUS_MISSING' END AS code
FROM kyc_relay_verifications v WHERE v.verification_id > ${value('after')}
ORDER BY v.verification_id LIMIT ${value('limit')}`,
)

const examineStatuses = statement<ExaminedRow>(
  'stores_audit_examine_statuses',
  sql`
SELECT s.user_id AS subject, CASE WHEN s.status = 'UNVERIFIED' THEN (
  SELECT 'STATUS_UNFOUNDED' FROM kyc_relay_kyc_status_log l
  WHERE l.user_id = s.user_id AND l.previous <> l.next AND (
    SELECT c.at FROM kyc_relay_kyc_status_corrections c
    WHERE c.user_id = s.user_id AND c.next = s.status AND c.at = s.since LIMIT 1
  ) IS NULL LIMIT 1
) WHEN (
  SELECT l.at FROM kyc_relay_verifications v JOIN kyc_relay_kyc_status_log l USING (user_id, verification_id)
  WHERE v.user_id = s.user_id AND l.next = s.status AND l.previous <> l.next AND l.at = s.since
  LIMIT 1
) IS NULL AND (
  SELECT c.at FROM kyc_relay_kyc_status_corrections c
  WHERE c.user_id = s.user_id AND c.next = s.status AND c.at = s.since LIMIT 1
) IS NULL THEN 'STATUS_UNFOUNDED' END AS code
FROM kyc_relay_kyc_statuses s WHERE s.user_id > ${value('after')} ORDER BY s.user_id LIMIT ${value('limit')}`,
)

/** Marks verifications that have no entry in the log. */
async function withoutEntry(on: Queryable, page: readonly ExaminedRow[]): Promise<readonly ExaminedRow[]> {
  const subjects = page.map(({ subject }) => subject)
  const found = await queryBuilder(on)
    .select({ subject: auditEntries.subject })
    .from(auditEntries)
    .where(and(eq(auditEntries.kind, 'VERIFICATION_RECORDED'), inArray(auditEntries.subject, subjects)))
  const recorded = new Set(found.map(({ subject }) => subject))
  return page.map((row) =>
    row.code === 'NOT_COVERED' || recorded.has(row.subject) ? row : { ...row, code: 'ROW_WITHOUT_ENTRY' },
  )
}

function verificationRows(database: PostgresDatabase, seal: AuditSeal): AccountedRows {
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
      // The cursor is a letter for the list (first verifications, then statuses) and the id of the last row of the
      // page.
      const [what, after] = [cursor?.slice(0, 1) ?? 'v', cursor?.slice(1) ?? '']
      const examine = what === 'v' ? examineVerifications : examineStatuses
      const page = await database.run(async (on) => {
        const examined = await examine.rows(on, { startedAfter, after, limit })
        return what === 'v' ? withoutEntry(on, examined) : examined
      })
      const last = page.at(-1)
      const ended = what === 'v' ? 's' : null
      const nextCursor = page.length < limit || last === undefined ? ended : `${what}${last.subject}`
      return { rows: unaccounted(page), examined: page.length, nextCursor }
    },
  }
}

const pageOf = sql`LIMIT ${value('limit')}`

const listGrants = statement<StoredGrant>(
  'stores_audit_list_grants',
  sql`
SELECT app_id AS "appId", user_id AS "userId", account_id AS "accountId", external_reference_id AS "externalReferenceId", scopes
FROM kyc_relay_grants WHERE (app_id, user_id) > (${value('first')}, ${value('second')}) ORDER BY app_id, user_id ${pageOf}`,
)
const listTokens = statement<StoredAccessToken>(
  'stores_audit_list_tokens',
  sql`
SELECT hash, app_id AS "appId", user_id AS "userId", scopes, extract(epoch FROM expires_at) * 1000 AS "expiresAt"
FROM kyc_relay_access_tokens WHERE hash > decode(${value('first')}, 'hex') ORDER BY hash ${pageOf}`,
)
const listKeys = statement<StoredApiKey>(
  'stores_audit_list_keys',
  sql`
SELECT app_id AS "appId", version, hash, sealed, issued_reason AS "issuedReason", extract(epoch FROM retired_at) * 1000 AS "retiredAt"
FROM kyc_relay_api_keys
WHERE (app_id, version) > (${value('first')}, (${value('second')})::int) ORDER BY app_id, version ${pageOf}`,
)
const listEndpoints = statement<StoredEndpoint>(
  'stores_audit_list_endpoints',
  sql`
SELECT endpoint_id AS "endpointId", app_id AS "appId", url, lineage_id AS "lineageId", description,
  extract(epoch FROM created_at) * 1000 AS "createdAt", event_types AS "eventTypes",
  standard_webhooks AS "standardWebhooks", headers, extract(epoch FROM removed_at) * 1000 AS "removedAt"
FROM kyc_relay_endpoints
WHERE (app_id, endpoint_id) > (${value('first')}, ${value('second')}) ORDER BY app_id, endpoint_id ${pageOf}`,
)

const listPauses = statement<StoredPause>(
  'stores_audit_list_pauses',
  sql`
SELECT endpoint_id AS "endpointId", app_id AS "appId", paused_by AS by
FROM kyc_relay_endpoints
WHERE (app_id, endpoint_id) > (${value('first')}, ${value('second')}) AND paused_by IS NOT NULL
ORDER BY app_id, endpoint_id ${pageOf}`,
)
const listCorrections = statement<StoredCorrection>(
  'stores_audit_list_corrections',
  sql`
SELECT correction_id AS "correctionId", user_id AS "userId", previous, next, extract(epoch FROM at) * 1000 AS at, actor, reason
FROM kyc_relay_kyc_status_corrections
WHERE (user_id, correction_id) > (${value('first')}, ${value('second')}) ORDER BY user_id, correction_id ${pageOf}`,
)

/** Lists keys, tokens, grants, endpoints, pauses and corrections. The cursor is the number of the list and the last row of the page. */
function accessRows(database: PostgresDatabase, seal: AuditSeal): NonNullable<AuditLog['listAccess']> {
  const numberOf = (value: number | null) => (value === null ? null : Math.round(Number(value)))
  const lists = [
    {
      start: '',
      list: async (on: Queryable, page: AccessPage) =>
        (await listGrants.rows(on, page)).map((row) => ({
          row: accessRowOf.grant(seal, row),
          key: [row.appId, row.userId],
        })),
    },
    {
      start: '',
      list: async (on: Queryable, page: AccessPage) =>
        (await listTokens.rows(on, page)).map((row) => ({
          row: accessRowOf.token(seal, { ...row, expiresAt: numberOf(row.expiresAt) ?? 0 }),
          key: [Buffer.from(row.hash).toString('hex'), ''],
        })),
    },
    {
      start: '0',
      list: async (on: Queryable, page: AccessPage) =>
        (await listKeys.rows(on, page)).map((row) => ({
          row: accessRowOf.key(seal, { ...row, retiredAt: numberOf(row.retiredAt) }),
          key: [row.appId, String(row.version)],
        })),
    },
    {
      start: '',
      list: async (on: Queryable, page: AccessPage) =>
        (await listEndpoints.rows(on, page)).map((row) => ({
          row: accessRowOf.endpoint(seal, {
            ...row,
            createdAt: numberOf(row.createdAt) ?? 0,
            removedAt: numberOf(row.removedAt),
          }),
          key: [row.appId, row.endpointId],
        })),
    },
    {
      start: '',
      list: async (on: Queryable, page: AccessPage) =>
        (await listPauses.rows(on, page)).map((row) => ({
          row: accessRowOf.pause(seal, row),
          key: [row.appId, row.endpointId],
        })),
    },
    {
      start: '',
      list: async (on: Queryable, page: AccessPage) =>
        (await listCorrections.rows(on, page)).map((row) => ({
          row: accessRowOf.correction(seal, { ...row, at: numberOf(row.at) ?? 0 }),
          key: [row.userId, row.correctionId],
        })),
    },
  ]
  return async ({ cursor, limit }) => {
    checkedLimit(limit, 1_000)
    const [at, first, second] =
      cursor === null ? ([0, '', ''] as const) : (JSON.parse(cursor) as [number, string, string])
    const one = lists[at]
    if (one === undefined) return { rows: [], nextCursor: null }
    const page = { first, second: second === '' ? one.start : second, limit }
    const found = await database.run((on) => one.list(on, page))
    const last = found.length < limit ? undefined : found.at(-1)?.key
    return {
      rows: found.map(({ row }) => row),
      nextCursor: JSON.stringify(last === undefined ? [at + 1, '', ''] : [at, ...last]),
    }
  }
}

type AccessPage = {
  readonly first: string
  readonly second: string
  readonly limit: number
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

function revealRows(database: PostgresDatabase, seal: AuditSeal): AccountedRows {
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
