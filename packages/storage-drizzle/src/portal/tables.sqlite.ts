import { blob, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

// Columns as migrations/sqlite/*.sql makes them; instants are milliseconds since 1970 in UTC.

export const portalSessions = sqliteTable('kyc_relay_portal_sessions', {
  hash: blob('hash', { mode: 'buffer' }).primaryKey(),
  kind: text('kind', { enum: ['app', 'operator'] }).notNull(),
  appId: text('app_id').notNull(),
  appName: text('app_name'),
  keyVersion: integer('key_version'),
  begunAt: integer('begun_at').notNull(),
  endsAt: integer('ends_at').notNull(),
  latestEndAt: integer('latest_end_at').notNull(),
  notice: text('notice'),
})

export const portalPreviews = sqliteTable('kyc_relay_portal_previews', {
  position: integer('position').primaryKey({ autoIncrement: true }),
  session: blob('session', { mode: 'buffer' }).notNull(),
  previewId: text('preview_id').notNull(),
  content: blob('content', { mode: 'buffer' }).notNull(),
})
