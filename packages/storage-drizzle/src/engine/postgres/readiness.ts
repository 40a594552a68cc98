import { sql } from 'drizzle-orm'
import { check, integer, pgTable, type PgTable } from 'drizzle-orm/pg-core'
import { instant } from './columns.js'
import type { PostgresDatabase } from './database.js'
import { statement } from './statement.js'

const readinessTable = (name: string) =>
  pgTable(name, { id: integer('id').primaryKey(), at: instant('at').notNull() }, () => [
    check(`${name}_id_check`, sql`id = 1`),
  ])

export const readiness = readinessTable('kyc_relay_readiness')
export const vaultReadiness = readinessTable('kyc_relay_vault_readiness')

const writes = {
  stores: upsertOf('readiness', readiness),
  vault: upsertOf('vault_readiness', vaultReadiness),
}

function upsertOf(name: string, table: PgTable) {
  return statement(
    `try_write_${name}`,
    sql`
INSERT INTO ${table} (id, at) VALUES (1, clock_timestamp()) ON CONFLICT (id) DO UPDATE SET at = excluded.at`,
  )
}

/** Writes one dedicated row and resolves after the commit. */
export async function tryWrite(database: PostgresDatabase, part: keyof typeof writes): Promise<void> {
  await database.run((on) => writes[part].count(on, {}))
}
