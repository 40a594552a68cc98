import type Database from 'better-sqlite3'
import { getTableColumns, getTableName } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { AuditLog, AuditSeal } from '@kyc-relay/kyc-core/audit'
import type { AccessRow } from '@kyc-relay/kyc-core/internal'
import { accessTokens, apiKeys, apps, grants, revokedGrants } from '../apps/tables.sqlite.js'
import { prepare, read } from '../engine/sqlite/statement.js'
import { userRetention } from '../user-retention/tables.sqlite.js'
import { kycStatusCorrections } from '../verifications/tables.sqlite.js'
import { endpoints } from '../webhooks/tables.sqlite.js'
import { accessPages, type AccessList, type RowKey } from './access-pages.js'
import { accessRowsOf } from './access-rows.js'

/** Lists the rows that entries speak of. */
export function accessRows(client: Database.Database, seal: AuditSeal): NonNullable<AuditLog['listAccess']> {
  // Without Drizzle's reads, which convert a value of another type: the digest covers the stored value.
  const listFrom =
    <Table extends SQLiteTable>(
      table: Table,
      keyColumns: readonly (keyof Table['$inferSelect'] & string)[],
      toRows: (seal: AuditSeal, row: Table['$inferSelect']) => readonly AccessRow[],
      condition = 'true',
    ): AccessList =>
    (after, limit) =>
      read(() => {
        const columns = Object.entries(getTableColumns(table)).map(([name, column]) => `"${column.name}" AS "${name}"`)
        const key = keyColumns.map((name) => `"${getTableColumns(table)[name]?.name}"`).join(', ')
        const isAfter = after.length === 0 ? 'true' : `(${key}) > (${after.map(() => '?').join(', ')})`
        const page = prepare<(string | number | Uint8Array)[], Table['$inferSelect']>(
          client,
          `SELECT ${columns.join(', ')} FROM ${getTableName(table)}
          WHERE ${isAfter} AND (${condition}) ORDER BY ${key} LIMIT ?`,
        )
        return page.all(...after, limit).map((row) => ({
          rows: toRows(seal, row),
          key: keyColumns.map((name) => row[name] as RowKey[number]),
        }))
      })
  return accessPages([
    listFrom(apps, ['appId'], accessRowsOf.app),
    listFrom(apiKeys, ['appId', 'version'], accessRowsOf.key),
    listFrom(grants, ['appId', 'userId'], accessRowsOf.grant),
    listFrom(revokedGrants, ['appId', 'userId'], accessRowsOf.revocation),
    listFrom(accessTokens, ['hash'], accessRowsOf.token),
    listFrom(endpoints, ['endpointId'], accessRowsOf.endpoint),
    listFrom(kycStatusCorrections, ['correctionId'], accessRowsOf.correction),
    listFrom(userRetention, ['userId'], accessRowsOf.retention, 'held_at IS NOT NULL OR closed_at IS NOT NULL'),
  ])
}
