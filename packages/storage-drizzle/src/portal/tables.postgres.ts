import { integer, pgTable, text } from 'drizzle-orm/pg-core'
import { bytea, instant, position } from '../engine/postgres/column-types.js'

// Columns as migrations/postgres/*.sql makes them.

export const portalSessions = pgTable('kyc_relay_portal_sessions', {
  hash: bytea('hash').primaryKey(),
  kind: text('kind', { enum: ['app', 'operator'] }).notNull(),
  appId: text('app_id').notNull(),
  appName: text('app_name'),
  keyVersion: integer('key_version'),
  begunAt: instant('begun_at').notNull(),
  endsAt: instant('ends_at').notNull(),
  latestEndAt: instant('latest_end_at').notNull(),
  notice: text('notice'),
})

export const portalPreviews = pgTable('kyc_relay_portal_previews', {
  position: position().primaryKey(),
  session: bytea('session').notNull(),
  previewId: text('preview_id').notNull(),
  content: bytea('content').notNull(),
})
