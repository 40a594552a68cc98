import { sql } from 'drizzle-orm'
import { check, index, integer, pgTable, unique } from 'drizzle-orm/pg-core'
import { bytea, instant, oneOf, position, references, text } from '../engine/postgres/columns.js'
import { sessionKinds } from './values.js'

export const portalSessions = pgTable(
  'kyc_relay_portal_sessions',
  {
    hash: bytea('hash').primaryKey(),
    kind: text<(typeof sessionKinds)[number]>('kind').notNull(),
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

export const portalPreviews = pgTable(
  'kyc_relay_portal_previews',
  {
    position: position().primaryKey(),
    session: bytea('session').notNull(),
    previewId: text('preview_id').notNull(),
    content: bytea('content').notNull(),
  },
  (table) => [
    references(table.session, portalSessions.hash).onDelete('cascade'),
    unique('kyc_relay_portal_previews_by_id').on(table.session, table.previewId),
    index('kyc_relay_portal_previews_of_session').on(table.session, table.position),
  ],
)
