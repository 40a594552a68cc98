import { integer, pgTable } from 'drizzle-orm/pg-core'
import { instant } from './column-types.js'

// Columns as migrations/postgres/*.sql and migrations/postgres-vault/*.sql make them.

export const readiness = pgTable('kyc_relay_readiness', { id: integer('id').primaryKey(), at: instant('at').notNull() })

export const vaultReadiness = pgTable('kyc_relay_vault_readiness', {
  id: integer('id').primaryKey(),
  at: instant('at').notNull(),
})
