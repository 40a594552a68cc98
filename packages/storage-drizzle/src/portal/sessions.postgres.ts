import { sql } from 'drizzle-orm'
import { signedInEvent } from '../audit/access-events.js'
import { checkedLimit } from '../page-cursor.js'
import {
  checkedSessionMs,
  holderColumns,
  mostKept,
  readHolder,
  type HolderColumns,
  type PortalSessions,
} from './portal-sessions.js'
import { asBuffer, now } from '../engine/postgres/parameters.js'
import type { AuditChain } from '../audit/chain.postgres.js'
import type { PostgresDatabase } from '../engine/postgres/database.js'
import { statement } from '../engine/postgres/statement.js'

const value = sql.placeholder
const later = (name: string) => sql`${now} + ${value(name)}::float8 * interval '1 millisecond'`

const begin = statement(
  'begin_portal_session',
  sql`
INSERT INTO kyc_relay_portal_sessions (hash, kind, app_id, app_name, key_version, begun_at, ends_at, latest_end_at)
VALUES (${value('hash')}, ${value('kind')}, ${value('appId')}, ${value('appName')}, ${value('keyVersion')}, ${now},
  least(${later('idleMs')}, ${later('absoluteMs')}), ${later('absoluteMs')})`,
)

const endOldest = statement(
  'end_oldest_portal_sessions',
  sql`
DELETE FROM kyc_relay_portal_sessions WHERE hash IN (
  SELECT hash FROM kyc_relay_portal_sessions
  WHERE kind = ${value('kind')} AND app_id = ${value('appId')} AND hash <> ${value('hash')}
  ORDER BY begun_at DESC OFFSET ${value('others')}
)`,
)

const find = statement<HolderColumns & { readonly notice: string | null }>(
  'find_portal_session',
  sql`
UPDATE kyc_relay_portal_sessions SET ends_at = least(${later('idleMs')}, latest_end_at)
WHERE hash = ${value('hash')} AND ends_at >= ${now}
RETURNING kind, app_id AS "appId", app_name AS "appName", key_version AS "keyVersion", notice`,
)

const setNotice = statement(
  'set_portal_notice',
  sql`UPDATE kyc_relay_portal_sessions SET notice = ${value('notice')} WHERE hash = ${value('hash')}`,
)

const keepPreview = statement(
  'keep_portal_preview',
  sql`
INSERT INTO kyc_relay_portal_previews (session, preview_id, content)
SELECT hash, ${value('previewId')}::text, ${value('content')}::bytea
FROM kyc_relay_portal_sessions WHERE hash = ${value('hash')} FOR KEY SHARE`,
)

const forgetOldest = statement(
  'forget_oldest_portal_previews',
  sql`
DELETE FROM kyc_relay_portal_previews WHERE position IN (
  SELECT position FROM kyc_relay_portal_previews WHERE session = ${value('hash')}
  ORDER BY position DESC OFFSET ${value('most')}
)`,
)

const takePreview = statement<{ content: Buffer }>(
  'take_portal_preview',
  sql`
DELETE FROM kyc_relay_portal_previews WHERE session = ${value('hash')} AND preview_id = ${value('previewId')}
RETURNING content`,
)

const end = statement('end_portal_session', sql`DELETE FROM kyc_relay_portal_sessions WHERE hash = ${value('hash')}`)

const endOthers = statement(
  'end_other_portal_sessions',
  sql`
DELETE FROM kyc_relay_portal_sessions
WHERE kind = 'app' AND app_id = ${value('appId')} AND hash <> ${value('keep')}`,
)

/** Creates the portal sessions on PostgreSQL. */
export function createPortalSessions(dependencies: {
  readonly database: PostgresDatabase
  /** Time of the store's clock; null for the database's clock. */
  readonly instant: () => Date | null
  readonly audit: AuditChain | null
}): PortalSessions {
  const { database, instant, audit } = dependencies

  // `async`, so that a refused argument rejects.
  return {
    async beginSession({ holder, most, ...session }) {
      const values = {
        ...holderColumns(holder),
        hash: asBuffer(session.hash),
        idleMs: checkedSessionMs(session.idleMs),
        absoluteMs: checkedSessionMs(session.absoluteMs),
        others: checkedLimit(most, mostKept) - 1,
        now: instant(),
      }
      await database.transaction(async (on) => {
        await begin.count(on, values)
        await endOldest.count(on, values)
        const { hash } = session
        await audit?.append(on, holder.kind === 'app' ? holder.appId : holder.kind, (nowMs) =>
          signedInEvent(audit.seal, { hash, holder }, nowMs),
        )
      })
    },
    async findSession(hash, idleMs) {
      const values = { hash: asBuffer(hash), idleMs: checkedSessionMs(idleMs), now: instant() }
      const [row] = await database.run((on) => find.rows(on, values))
      return row === undefined ? null : { holder: readHolder(row), notice: row.notice }
    },
    async setNotice(hash, notice) {
      await database.run((on) => setNotice.count(on, { hash: asBuffer(hash), notice }))
    },
    async keepPreview({ previewId, ...preview }) {
      const most = checkedLimit(preview.most, mostKept)
      const values = { hash: asBuffer(preview.hash), previewId, content: asBuffer(preview.content), most }
      await database.transaction(async (on) => {
        await keepPreview.count(on, values)
        await forgetOldest.count(on, values)
      })
    },
    async takePreview({ hash, previewId }) {
      const [taken] = await database.run((on) => takePreview.rows(on, { hash: asBuffer(hash), previewId }))
      return taken === undefined ? null : new Uint8Array(taken.content)
    },
    async endSession(hash) {
      await database.run((on) => end.count(on, { hash: asBuffer(hash) }))
    },
    async endOtherSessions({ appId, keep }) {
      await database.run((on) => endOthers.count(on, { appId, keep: asBuffer(keep) }))
    },
  }
}
