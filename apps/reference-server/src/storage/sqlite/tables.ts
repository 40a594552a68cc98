import { sql } from 'drizzle-orm'
import { blob, check, index, integer, sqliteTable, text, unique } from 'drizzle-orm/sqlite-core'
import { holderKinds } from '../portal-sessions.js'

const bytes = (name: string) => blob(name, { mode: 'buffer' })

export const portalSessions = sqliteTable(
  'portal_sessions',
  {
    hash: bytes('hash').primaryKey(),
    kind: text('kind', { enum: holderKinds }).notNull(),
    appId: text('app_id').notNull(),
    appName: text('app_name'),
    keyVersion: integer('key_version'),
    // Milliseconds since 1970 in UTC.
    begunAt: integer('begun_at').notNull(),
    endsAt: integer('ends_at').notNull(),
    latestEndAt: integer('latest_end_at').notNull(),
    notice: text('notice'),
  },
  (table) => [
    check('portal_sessions_kind_check', sql`kind IN ('app', 'operator')`),
    check('portal_sessions_app_name_check', sql`(kind = 'app') = (app_name IS NOT NULL)`),
    check('portal_sessions_key_version_check', sql`(kind = 'app') = (key_version IS NOT NULL)`),
    index('portal_sessions_by_end').on(table.endsAt),
    index('portal_sessions_of_holder').on(table.kind, table.appId, table.begunAt),
  ],
)

export const portalPreviews = sqliteTable(
  'portal_previews',
  {
    position: integer('position').primaryKey({ autoIncrement: true }),
    session: bytes('session')
      .notNull()
      .references(() => portalSessions.hash, { onDelete: 'cascade' }),
    previewId: text('preview_id').notNull(),
    content: bytes('content').notNull(),
  },
  (table) => [
    unique('portal_previews_by_id').on(table.session, table.previewId),
    index('portal_previews_of_session').on(table.session, table.position),
  ],
)
