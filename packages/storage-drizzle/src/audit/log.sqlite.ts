import { existsSync } from 'node:fs'
import type Database from 'better-sqlite3'
import type { AuditLog, AuditSeal } from '@kyc-relay/kyc-core/audit'
import type { AuditLogName, RecordedRow, UnaccountedRow } from '@kyc-relay/kyc-core/internal'
import { accessRows } from './access-lists.sqlite.js'
import { checkedLogOptions } from './check-log-options.js'
import { auditTables } from './audit-tables.js'
import { revealContent, verificationContent, type RecordedReveal } from './recorded-content.js'
import { checkedLimit } from '../pages.js'
import { StorageError } from '../storage-error.js'
import { storageErrorOf } from '../engine/sqlite/errors.js'
import { requireMigrated } from '../engine/sqlite/migrate.js'
import { checkedPath } from '../engine/sqlite/open.js'
import { openReadOnly } from '../engine/sqlite/open-read-only.js'
import { prepare, type Prepared, read } from '../engine/sqlite/statement.js'
import { prepareRecordedVerifications } from '../verifications/recorded-verifications.sqlite.js'
import type { auditEntries } from './tables.sqlite.js'

type StoredEntry = typeof auditEntries.$inferSelect

/** An audit log with a separate connection. */
export interface OpenedAuditLog extends AuditLog {
  /** Closes the connection. */
  close(): Promise<void>
}

/**
 * Opens the audit log of a SQLite file for verification. Writes nothing and creates no file.
 *
 * @throws StorageError `STORE_UNAVAILABLE`, `DATABASE_UNUSABLE`, `DATABASE_DAMAGED`, `SCHEMA_OUTDATED`, `SCHEMA_NEWER`,
 *   `SCHEMA_EDITED`, `ARGUMENT_INVALID` for a missing, wrong or unknown argument
 *
 * @example
 * ```ts
 * import { createLocalAuditSeal, parseKeyFile } from '@kyc-relay/kyc-core/node'
 * import { openSqliteAuditLog } from '@kyc-relay/storage-drizzle/sqlite'
 *
 * export function openLog(keyFile: string) {
 *   const seal = createLocalAuditSeal({ keys: parseKeyFile(keyFile) })
 *   return openSqliteAuditLog({ path: 'data/kyc.db' }, { log: 'stores', seal })
 * }
 * ```
 */
export function openSqliteAuditLog(
  location: { readonly path: string },
  options: { readonly log: AuditLogName; readonly seal: AuditSeal },
): Promise<OpenedAuditLog> {
  return read(() => {
    const path = checkedPath(location)
    const { log, seal } = checkedLogOptions(options)
    if (!existsSync(path)) throw new StorageError('STORE_UNAVAILABLE')
    const client = openReadOnly(path)
    try {
      requireMigrated(client, log === 'vault' ? 'sqlite-vault' : 'sqlite')
      return { ...createAuditLog(client, log, seal), close: () => read(() => void client.close()) }
    } catch (error) {
      client.close()
      throw storageErrorOf(error)
    }
  })
}

/** Creates the reader of one audit log on a connection. */
export function createAuditLog(client: Database.Database, log: AuditLogName, seal: AuditSeal): AuditLog {
  const { entries } = auditTables[log]
  const listHeads = prepare<[], { sequence: number; mac: Buffer }>(
    client,
    `SELECT sequence, mac FROM ${entries} WHERE sequence > 0 ORDER BY sequence DESC LIMIT 1`,
  )
  const listEntries = prepare<[number, number], StoredEntry>(
    client,
    `SELECT sequence, kind, at, app_id AS appId, user_id AS userId, subject, actor, reason, content_digest AS contentDigest,
      key_id AS keyId, previous_mac AS previousMac, mac
    FROM ${entries} WHERE sequence > ? ORDER BY sequence LIMIT ?`,
  )
  const rows = log === 'stores' ? verificationRows(client, seal) : revealRows(client, seal)
  return {
    name: log,
    chains: 1,
    listHeads: () =>
      read(() => listHeads.all().map(({ sequence, mac }) => ({ chain: 0, sequence, mac: mac.toString('hex') }))),
    listEntries: ({ chain, after, limit }) =>
      read(() =>
        listEntries.all(after, checkedLimit(limit, 1_000)).map(({ at, ...entry }) => ({
          ...entry,
          chain,
          atMs: at,
          contentDigest: entry.contentDigest.toString('hex'),
          previousMac: entry.previousMac.toString('hex'),
          mac: entry.mac.toString('hex'),
        })),
      ),
    findRecorded: (subjects) => read(() => rows.findRecorded(subjects)),
    ...(log === 'stores' ? { listAccess: accessRows(client, seal) } : {}),
    listUnaccounted: ({ startedAfter, cursor, limit }) =>
      read(() => rows.listUnaccounted(startedAfter, cursor, checkedLimit(limit, 1_000))),
  }
}

/** Rows that a log records. */
interface AccountedRows {
  findRecorded(subjects: readonly string[]): ReadonlyMap<string, RecordedRow>
  listUnaccounted(
    startedAfter: number,
    cursor: string | null,
    limit: number,
  ): { rows: readonly UnaccountedRow[]; examined: number; nextCursor: string | null }
}

interface ExaminedRow {
  readonly position: number
  readonly subject: string
  readonly code: UnaccountedRow['code'] | null
}

function verificationRows(client: Database.Database, seal: AuditSeal): AccountedRows {
  const recorded = prepareRecordedVerifications(client)
  const listByPosition = prepare<[number, number], ExaminedRow>(
    client,
    `SELECT v.position, v.verification_id AS subject, CASE WHEN NOT EXISTS (
      SELECT 1 FROM kyc_relay_audit_entries e
      WHERE e.kind = 'VERIFICATION_RECORDED' AND e.subject = v.verification_id AND e.user_id = v.user_id
    ) THEN 'ROW_WITHOUT_ENTRY' END AS code
    FROM kyc_relay_verifications v WHERE v.position > ? ORDER BY v.position LIMIT ?`,
  )
  return {
    findRecorded: (subjects) =>
      new Map(
        recorded(subjects).map((one) => [
          one.verification.verificationId,
          { digest: seal.digest(verificationContent(one)), erased: one.erased },
        ]),
      ),
    listUnaccounted: pagesOf(listByPosition),
  }
}

function revealRows(client: Database.Database, seal: AuditSeal): AccountedRows {
  const listReveals = prepare<[string], RecordedReveal & { position: number }>(
    client,
    `SELECT position, at AS atMs, app_id AS appId, user_id AS userId, actor, purpose, token, record_id AS recordId, part
    FROM kyc_relay_vault_audit WHERE position IN (SELECT value FROM json_each(?))`,
  )
  const listByPosition = prepare<[number, number], ExaminedRow>(
    client,
    `SELECT a.position, CAST(a.position AS TEXT) AS subject, CASE WHEN NOT EXISTS (
      SELECT 1 FROM kyc_relay_vault_audit_entries e
      WHERE e.kind = 'VALUE_REVEALED' AND e.subject = CAST(a.position AS TEXT)
    ) THEN 'ROW_WITHOUT_ENTRY' END AS code
    FROM kyc_relay_vault_audit a WHERE a.position > ? ORDER BY a.position LIMIT ?`,
  )
  return {
    findRecorded: (subjects) =>
      new Map(
        listReveals
          .all(JSON.stringify(subjects.map(Number)))
          .map((reveal) => [String(reveal.position), { digest: seal.digest(revealContent(reveal)), erased: false }]),
      ),
    listUnaccounted: pagesOf(listByPosition),
  }
}

/** Reads rows after a position. */
function pagesOf(listByPosition: Prepared<[number, number], ExaminedRow>): AccountedRows['listUnaccounted'] {
  return (startedAfter, cursor, limit) => {
    const page = listByPosition.all(cursor === null ? startedAfter : Number(cursor), limit)
    const last = page.at(-1)
    const nextCursor = page.length < limit || last === undefined ? null : String(last.position)
    const rows = page.flatMap(({ subject, code }) => (code === null ? [] : [{ subject, code }]))
    return { rows, examined: page.length, nextCursor }
  }
}
