import { integer, sqliteTable } from 'drizzle-orm/sqlite-core'

// Columns as migrations/sqlite/*.sql and migrations/sqlite-vault/*.sql make them; `at` is milliseconds since 1970 in UTC.

export const readiness = sqliteTable('kyc_relay_readiness', {
  id: integer('id').primaryKey(),
  at: integer('at').notNull(),
})

export const vaultReadiness = sqliteTable('kyc_relay_vault_readiness', {
  id: integer('id').primaryKey(),
  at: integer('at').notNull(),
})
