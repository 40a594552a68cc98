import type Database from 'better-sqlite3'
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
import type { AuditChain } from '../audit/chain.sqlite.js'
import { prepare } from '../engine/sqlite/statement.js'
import type { GroupCommit } from '../engine/sqlite/group-commit.js'

type Hash = Uint8Array

function prepareStatements(client: Database.Database) {
  return {
    begin: prepare<[Hash, string, string, string | null, number | null, number, number, number]>(
      client,
      `INSERT INTO kyc_relay_portal_sessions (hash, kind, app_id, app_name, key_version, begun_at, ends_at, latest_end_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    endOldest: prepare<[kind: string, appId: string, but: Hash, keep: number]>(
      client,
      `DELETE FROM kyc_relay_portal_sessions WHERE hash IN (
         SELECT hash FROM kyc_relay_portal_sessions WHERE kind = ? AND app_id = ? AND hash <> ?
         ORDER BY begun_at DESC LIMIT -1 OFFSET ?
       )`,
    ),
    find: prepare<[endsAt: number, hash: Hash, now: number], HolderColumns & { readonly notice: string | null }>(
      client,
      `UPDATE kyc_relay_portal_sessions SET ends_at = min(?, latest_end_at) WHERE hash = ? AND ends_at >= ?
       RETURNING kind, app_id AS appId, app_name AS appName, key_version AS keyVersion, notice`,
    ),
    setNotice: prepare<[string | null, Hash]>(client, 'UPDATE kyc_relay_portal_sessions SET notice = ? WHERE hash = ?'),
    keepPreview: prepare<[string, Uint8Array, Hash]>(
      client,
      `INSERT INTO kyc_relay_portal_previews (session, preview_id, content)
       SELECT hash, ?, ? FROM kyc_relay_portal_sessions WHERE hash = ?`,
    ),
    forgetOldest: prepare<[Hash, number]>(
      client,
      `DELETE FROM kyc_relay_portal_previews WHERE position IN (
         SELECT position FROM kyc_relay_portal_previews WHERE session = ? ORDER BY position DESC LIMIT -1 OFFSET ?
       )`,
    ),
    takePreview: prepare<[Hash, string], { readonly content: Buffer }>(
      client,
      'DELETE FROM kyc_relay_portal_previews WHERE session = ? AND preview_id = ? RETURNING content',
    ),
    end: prepare<[Hash]>(client, 'DELETE FROM kyc_relay_portal_sessions WHERE hash = ?'),
    endOthers: prepare<[string, Hash]>(
      client,
      `DELETE FROM kyc_relay_portal_sessions WHERE kind = 'app' AND app_id = ? AND hash <> ?`,
    ),
  }
}

/** Creates the portal sessions on one SQLite connection. */
export function createPortalSessions(dependencies: {
  readonly client: Database.Database
  readonly commits: GroupCommit
  readonly clock: () => Date
  readonly audit: AuditChain | null
}): PortalSessions {
  const { client, commits, clock, audit } = dependencies
  const statements = prepareStatements(client)
  return {
    beginSession: ({ hash, holder, ...ends }) =>
      commits.write(() => {
        const { kind, appId, appName, keyVersion } = holderColumns(holder)
        const now = clock().getTime()
        const latestEndAt = now + checkedSessionMs(ends.absoluteMs)
        const endsAt = Math.min(now + checkedSessionMs(ends.idleMs), latestEndAt)
        const others = checkedLimit(ends.most, mostKept) - 1
        statements.begin.run(hash, kind, appId, appName, keyVersion, now, endsAt, latestEndAt)
        statements.endOldest.run(kind, appId, hash, others)
        audit?.append(signedInEvent(audit.seal, { hash, holder }, now))
      }),
    findSession: (hash, idleMs) =>
      commits.write(() => {
        const now = clock().getTime()
        const row = statements.find.get(now + checkedSessionMs(idleMs), hash, now)
        return row === undefined ? null : { holder: readHolder(row), notice: row.notice }
      }),
    setNotice: (hash, notice) => commits.write(() => void statements.setNotice.run(notice, hash)),
    keepPreview: ({ hash, previewId, content, most }) =>
      commits.write(() => {
        const kept = checkedLimit(most, mostKept)
        statements.keepPreview.run(previewId, content, hash)
        statements.forgetOldest.run(hash, kept)
      }),
    takePreview: ({ hash, previewId }) =>
      commits.write(() => {
        const taken = statements.takePreview.get(hash, previewId)
        return taken === undefined ? null : new Uint8Array(taken.content)
      }),
    endSession: (hash) => commits.write(() => void statements.end.run(hash)),
    endOtherSessions: ({ appId, keep }) => commits.write(() => void statements.endOthers.run(appId, keep)),
  }
}
