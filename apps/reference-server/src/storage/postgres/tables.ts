import { sql } from 'drizzle-orm'
import {
  bigint,
  check,
  customType,
  foreignKey,
  index,
  integer,
  pgTable,
  text,
  timestamp,
  unique,
} from 'drizzle-orm/pg-core'
import { holderKinds } from '../portal-sessions.js'

const bytes = customType<{ data: Uint8Array; driverData: Buffer }>({
  dataType: () => 'bytea',
  toDriver: (value) => Buffer.from(value),
  fromDriver: (value) => new Uint8Array(value),
})
const instant = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' })

export const portalSessions = pgTable(
  'portal_sessions',
  {
    hash: bytes('hash').primaryKey(),
    kind: text('kind', { enum: holderKinds }).notNull(),
    appId: text('app_id').notNull(),
    appName: text('app_name'),
    keyVersion: integer('key_version'),
    begunAt: instant('begun_at').notNull(),
    endsAt: instant('ends_at').notNull(),
    latestEndAt: instant('latest_end_at').notNull(),
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

export const portalPreviews = pgTable(
  'portal_previews',
  {
    position: bigint('position', { mode: 'number' }).primaryKey().generatedByDefaultAsIdentity(),
    session: bytes('session').notNull(),
    previewId: text('preview_id').notNull(),
    content: bytes('content').notNull(),
  },
  (table) => [
    foreignKey({
      name: 'portal_previews_session_fkey',
      columns: [table.session],
      foreignColumns: [portalSessions.hash],
    }).onDelete('cascade'),
    unique('portal_previews_by_id').on(table.session, table.previewId),
    index('portal_previews_of_session').on(table.session, table.position),
  ],
)
