import { setImmediate as nextTurn } from 'node:timers/promises'
import type { PortalSessions } from '../../../src/storage/portal-sessions.js'
import { portalSessionCases } from '../portal-session-cases.js'
import { testServerStores, type BehindTheStores, type Spoil, type WrongStorage } from './wrong-server-stores.js'

const spoilt =
  (change: (sessions: PortalSessions, behind: BehindTheStores) => Partial<PortalSessions>): Spoil =>
  ({ portalSessions }, behind) => ({ portalSessions: { ...portalSessions, ...change(portalSessions, behind) } })

const sessionsTable = 'portal_sessions'
const dayMs = 24 * 60 * 60_000

const wrongSessions: readonly WrongStorage[] = [
  [
    'knows the sessions of its own process',
    'SE-01',
    (() => {
      return ({ portalSessions }) => {
        const own = new Set<string>()
        return {
          portalSessions: {
            ...portalSessions,
            beginSession(session) {
              own.add(String(session.hash))
              return portalSessions.beginSession(session)
            },
            findSession: async (hash, idleMs) =>
              own.has(String(hash)) ? portalSessions.findSession(hash, idleMs) : null,
          },
        }
      }
    })(),
  ],
  [
    'lets every session be the operator’s',
    'SE-01',
    spoilt((sessions) => ({
      async findSession(hash, idleMs) {
        const found = await sessions.findSession(hash, idleMs)
        return found && { ...found, holder: { kind: 'operator' } }
      },
    })),
  ],
  [
    'gives a session of the operator an app',
    'SE-01',
    spoilt((sessions) => ({
      async findSession(hash, idleMs) {
        const found = await sessions.findSession(hash, idleMs)
        if (found?.holder.kind !== 'operator') return found
        return { ...found, holder: { ...found.holder, appId: '' } as typeof found.holder }
      },
    })),
  ],
  [
    'ends a session by its beginning',
    'SE-02',
    spoilt((sessions, { database }) => ({
      async findSession(hash, idleMs) {
        const before = database.prepare(`SELECT ends_at FROM ${sessionsTable} WHERE hash = ?`).pluck().get(hash)
        const found = await sessions.findSession(hash, idleMs)
        database.prepare(`UPDATE ${sessionsTable} SET ends_at = ? WHERE hash = ?`).run(before, hash)
        return found
      },
    })),
  ],
  [
    'never ends an idle session',
    'SE-02',
    spoilt((sessions) => ({ beginSession: (session) => sessions.beginSession({ ...session, idleMs: dayMs }) })),
  ],
  [
    'ends a busy session never',
    'SE-03',
    spoilt((sessions) => ({ beginSession: (session) => sessions.beginSession({ ...session, absoluteMs: dayMs }) })),
  ],
  ['ends a session later', 'SE-04', spoilt(() => ({ endSession: async () => undefined }))],
  [
    'ends all sessions with one',
    'SE-04',
    spoilt((_sessions, { database }) => ({
      endSession: async () => void database.exec(`DELETE FROM ${sessionsTable}`),
    })),
  ],
  [
    'ends the sessions of all apps',
    'SE-05',
    spoilt((_sessions, { database }) => ({
      async endOtherSessions({ keep }) {
        database.prepare(`DELETE FROM ${sessionsTable} WHERE kind = 'app' AND hash <> ?`).run(keep)
      },
    })),
  ],
  [
    'ends one’s own session too',
    'SE-05',
    spoilt((sessions) => ({
      endOtherSessions: ({ appId }) => sessions.endOtherSessions({ appId, keep: new Uint8Array(32) }),
    })),
  ],
  [
    'takes over what a browser brought along',
    'SE-06',
    spoilt((sessions) => ({
      async beginSession(session) {
        await sessions.endSession(session.hash)
        return sessions.beginSession(session)
      },
    })),
  ],
  [
    'keeps every session',
    'SE-07',
    spoilt((sessions) => ({
      beginSession: (session) => sessions.beginSession({ ...session, most: Math.max(session.most, 100) }),
    })),
  ],
  [
    'counts the sessions of everybody',
    'SE-07',
    spoilt((sessions, { database }) => ({
      async beginSession(session) {
        await sessions.beginSession(session)
        database
          .prepare(
            `DELETE FROM ${sessionsTable} WHERE hash IN (
               SELECT hash FROM ${sessionsTable} WHERE hash <> ? ORDER BY begun_at DESC LIMIT -1 OFFSET ?
             )`,
          )
          .run(session.hash, session.most - 1)
      },
    })),
  ],
  [
    'keeps the first notice',
    'SE-08',
    spoilt((_sessions, { database }) => ({
      async setNotice(hash, notice) {
        database.prepare(`UPDATE ${sessionsTable} SET notice = ifnull(notice, ?) WHERE hash = ?`).run(notice, hash)
      },
    })),
  ],
  [
    'says a notice to everybody',
    'SE-08',
    spoilt((_sessions, { database }) => ({
      async setNotice(_hash, notice) {
        database.prepare(`UPDATE ${sessionsTable} SET notice = ?`).run(notice)
      },
    })),
  ],
  [
    'reads a preview first and removes it afterwards',
    'SE-09',
    spoilt((sessions, { database }) => ({
      async takePreview(preview) {
        const content = database
          .prepare('SELECT content FROM portal_previews WHERE session = ? AND preview_id = ?')
          .pluck()
          .get(preview.hash, preview.previewId)
        await nextTurn()
        await sessions.takePreview(preview)
        return content instanceof Uint8Array ? new Uint8Array(content) : null
      },
    })),
  ],
  [
    'gives a preview to whoever knows its name',
    'SE-09',
    spoilt((_sessions, { database }) => ({
      async takePreview({ previewId }) {
        const content = database
          .prepare('DELETE FROM portal_previews WHERE preview_id = ? RETURNING content')
          .pluck()
          .get(previewId)
        return content instanceof Uint8Array ? new Uint8Array(content) : null
      },
    })),
  ],
  [
    'keeps every preview',
    'SE-10',
    spoilt((sessions) => ({ keepPreview: (preview) => sessions.keepPreview({ ...preview, most: 10_000 }) })),
  ],
  [
    'keeps previews of sessions to come',
    'SE-11',
    (() => {
      const early = new Map<string, Uint8Array>()
      return spoilt((sessions) => ({
        async keepPreview(preview) {
          early.set(preview.previewId, preview.content)
          return sessions.keepPreview(preview)
        },
        takePreview: async ({ previewId }) => early.get(previewId) ?? null,
      }))
    })(),
  ],
  [
    'keeps the notice of a session that has ended',
    'SE-11',
    (() => {
      const notices = new Map<string, string | null>()
      return spoilt((sessions) => ({
        async setNotice(hash, notice) {
          notices.set(String(hash), notice)
          return sessions.setNotice(hash, notice)
        },
        async beginSession(session) {
          await sessions.beginSession(session)
          const notice = notices.get(String(session.hash))
          if (notice !== undefined) await sessions.setNotice(session.hash, notice)
          notices.delete(String(session.hash))
        },
      }))
    })(),
  ],
  ['keeps what has ended', 'SE-12', spoilt(() => ({ removeEnded: async () => 0 }))],
  [
    'removes what is idle for a while',
    'SE-12',
    spoilt((_sessions, { database, now }) => ({
      removeEnded: async () =>
        database.prepare(`DELETE FROM ${sessionsTable} WHERE ends_at <= ?`).run(now().getTime()).changes,
    })),
  ],
  ['signs everybody out when it is closed', 'SE-13', 'forgets on closing'],
]

testServerStores(portalSessionCases, wrongSessions)
