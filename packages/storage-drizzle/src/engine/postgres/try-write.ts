import { sql } from 'drizzle-orm'
import type { PostgresDatabase } from './database.js'
import { statement } from './statement.js'

const writes = {
  stores: upsertOf('readiness', 'kyc_relay_readiness'),
  vault: upsertOf('vault_readiness', 'kyc_relay_vault_readiness'),
}

function upsertOf(name: string, table: string) {
  return statement(
    `try_write_${name}`,
    sql`
INSERT INTO ${sql.raw(table)} (id, at) VALUES (1, clock_timestamp()) ON CONFLICT (id) DO UPDATE SET at = excluded.at`,
  )
}

/** Writes the one row that is there for it, and resolves once that is committed. */
export async function tryWrite(database: PostgresDatabase, part: keyof typeof writes): Promise<void> {
  await database.run((on) => writes[part].count(on, {}))
}
