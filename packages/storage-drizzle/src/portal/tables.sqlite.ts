import { sql } from 'drizzle-orm'
import { check, index, integer, sqliteTable, text, unique } from 'drizzle-orm/sqlite-core'
import { bytes, instant, oneOf, position } from '../engine/sqlite/columns.js'
import { sessionKinds } from './values.js'

export const portalSessions = sqliteTable(
  'kyc_relay_portal_sessions',
  {
    hash: bytes('hash').primaryKey(),
    kind: text('kind', { enum: sessionKinds }).notNull(),
    appId: text('app_id').notNull(),
    appName: text('app_name'),
    keyVersion: integer('key_version'),
    begunAt: instant('begun_at').notNull(),
    endsAt: instant('ends_at').notNull(),
    latestEndAt: instant('latest_end_at').notNull(),
    notice: text('notice'),
  },
  (table) => [
    oneOf(table.kind, sessionKinds),
    check('kyc_relay_portal_sessions_app_name_check', sql`(kind = 'app') = (app_name IS NOT NULL)`),
    check('kyc_relay_portal_sessions_key_version_check', sql`(kind = 'app') = (key_version IS NOT NULL)`),
    index('kyc_relay_portal_sessions_by_end').on(table.endsAt),
    index('kyc_relay_portal_sessions_of_holder').on(table.kind, table.appId, table.begunAt),
  ],
)

export const portalPreviews = sqliteTable(
  'kyc_relay_portal_previews',
  {
    position: position(),
    session: bytes('session')
      .notNull()
      .references(() => portalSessions.hash, { onDelete: 'cascade' }),
    previewId: text('preview_id').notNull(),
    content: bytes('content').notNull(),
  },
  (table) => [
    unique('kyc_relay_portal_previews_by_id').on(table.session, table.previewId),
    index('kyc_relay_portal_previews_of_session').on(table.session, table.position),
  ],
)
