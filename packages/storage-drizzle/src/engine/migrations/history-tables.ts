import type { MigrationSet } from './migration-files.js'

/** Beginnings of table names; what begins with none of them but with `kyc_relay_` belongs to the stores. */
const prefixes = { vault: 'kyc_relay_vault_', receiver: 'kyc_relay_receiver_' } as const

function prefixOf(set: MigrationSet): string | null {
  if (set.endsWith('-vault')) return prefixes.vault
  return set.endsWith('-receiver') ? prefixes.receiver : null
}

/**
 * True when the table is one of this history: each proves its own tables, so that they may share a database. What counts
 * the commits of a SQLite file belongs to the file and not to a schema.
 */
export function ownsTable(set: MigrationSet, table: string): boolean {
  if (table.endsWith('commit_count')) return false
  const prefix = prefixOf(set)
  if (prefix !== null) return table.startsWith(prefix)
  return !Object.values(prefixes).some((other) => table.startsWith(other))
}

/** Name of the table that records which migrations of this history were applied. */
export function ledgerOf(set: MigrationSet): string {
  return `${prefixOf(set) ?? 'kyc_relay_'}migrations`
}
