import type Database from 'better-sqlite3'
import { sql } from 'drizzle-orm'
import { check, integer, sqliteTable } from 'drizzle-orm/sqlite-core'
import { instant } from './columns.js'
import type { GroupCommit } from './group-commit.js'
import { prepare } from './statement.js'

const readinessTable = (name: string) =>
  sqliteTable(name, { id: integer('id').primaryKey(), at: instant('at').notNull() }, () => [
    check(`${name}_id_check`, sql`id = 1`),
  ])

export const readiness = readinessTable('kyc_relay_readiness')
export const vaultReadiness = readinessTable('kyc_relay_vault_readiness')

const tables = { stores: 'kyc_relay_readiness', vault: 'kyc_relay_vault_readiness' } as const

/** Creates the readiness check, which writes one dedicated row and resolves after the commit. */
export function createTryWrite(
  client: Database.Database,
  commits: GroupCommit,
  options: { readonly part: keyof typeof tables; readonly clock: () => Date },
): () => Promise<void> {
  const upsert = prepare<[at: number]>(
    client,
    `INSERT INTO ${tables[options.part]} (id, at) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET at = excluded.at`,
  )
  return () => commits.write(() => void upsert.run(options.clock().getTime()))
}
