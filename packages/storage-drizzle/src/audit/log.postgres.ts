import { and, eq, gt } from 'drizzle-orm'
import type { AuditLog, AuditSeal } from '@kyc-relay/kyc-core/audit'
import type { AuditLogName } from '@kyc-relay/kyc-core/internal'
import { checkedLimit } from '../pages.js'
import { accessRows } from './access-lists.postgres.js'
import { revealRows, verificationRows } from './accounted-rows.postgres.js'
import { checkedLogOptions } from './check-log-options.js'
import { auditChains } from './chain.postgres.js'
import { connectPool } from '../engine/postgres/pool.js'
import { createDatabase, type PostgresDatabase } from '../engine/postgres/database.js'
import { storageErrorOf } from '../engine/postgres/errors.js'
import { requireMigrated } from '../engine/postgres/migrate.js'
import { queryBuilder } from '../engine/postgres/statement.js'
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
 * @throws StorageError `DATABASE_UNUSABLE`, `STORE_UNAVAILABLE`, `SCHEMA_OUTDATED`, `SCHEMA_NEWER`, `SCHEMA_EDITED`,
 *   `ARGUMENT_INVALID` for a missing, wrong or unknown argument
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
  options: { readonly log: AuditLogName; readonly seal: AuditSeal },
): Promise<OpenedAuditLog> {
  const { log, seal } = checkedLogOptions(options)
  const settings = {
    statement_timeout: pageTimeoutMs,
    application_name: 'kyc-relay-audit',
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
