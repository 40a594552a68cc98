import { and, asc, getTableColumns, isNotNull, or, sql, type SQL } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { AuditLog, AuditSeal } from '@kyc-relay/kyc-core/audit'
import type { AccessRow } from '@kyc-relay/kyc-core/internal'
import { accessTokens, apiKeys, apps, grants, revokedGrants } from '../apps/tables.postgres.js'
import type { PostgresDatabase } from '../engine/postgres/database.js'
import { queryBuilder } from '../engine/postgres/statement.js'
import { userRetention } from '../user-retention/tables.postgres.js'
import { kycStatusCorrections } from '../verifications/tables.postgres.js'
import { endpoints } from '../webhooks/tables.postgres.js'
import { accessPages, type AccessList, type RowKey } from './access-pages.js'
import { accessRowsOf } from './access-rows.js'

const isHeldOrClosed = or(isNotNull(userRetention.heldAt), isNotNull(userRetention.closedAt))

/** Lists the rows that entries speak of. */
export function accessRows(database: PostgresDatabase, seal: AuditSeal): NonNullable<AuditLog['listAccess']> {
  const listFrom =
    <Table extends PgTable>(
      table: Table,
      keyColumns: readonly (keyof Table['$inferSelect'] & string)[],
      toRows: (seal: AuditSeal, row: Table['$inferSelect']) => readonly AccessRow[],
      condition?: SQL,
    ): AccessList =>
    (after, limit) =>
      database.run(async (on) => {
        const columns = keyColumns.map((name) => getTableColumns(table)[name] as PgColumn)
        const anyTable: PgTable = table
        const found = await queryBuilder(on)
          .select()
          .from(anyTable)
          .where(and(isAfter(columns, after), condition))
          .orderBy(...columns.map((column) => asc(column)))
          .limit(limit)
        return found.map((row) => ({
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
    listFrom(endpoints, ['appId', 'endpointId'], accessRowsOf.endpoint),
    listFrom(kycStatusCorrections, ['userId', 'correctionId'], accessRowsOf.correction),
    listFrom(userRetention, ['userId'], accessRowsOf.retention, isHeldOrClosed),
  ])
}

function isAfter(columns: readonly PgColumn[], key: RowKey): SQL | undefined {
  if (key.length === 0) return undefined
  const values = key.map((value) => sql`${value}`)
  return sql`(${sql.join([...columns], sql`, `)}) > (${sql.join(values, sql`, `)})`
}
