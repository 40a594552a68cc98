import type { SqliteOwnDatabase } from '@kyc-relay/storage-drizzle/internal'
import { and, desc, eq, gte, inArray, lt, ne, notInArray, sql } from 'drizzle-orm'
import { holderColumns, readHolder, type PortalSessions } from '../portal-sessions.js'
import { portalPreviews, portalSessions } from './tables.js'

const isSession = (hash: Uint8Array) => eq(portalSessions.hash, Buffer.from(hash))
const isOfSession = (hash: Uint8Array) => eq(portalPreviews.session, Buffer.from(hash))

/** Creates the portal sessions on SQLite. */
export function createPortalSessions(database: SqliteOwnDatabase, clock: () => Date): PortalSessions {
  return {
    beginSession: ({ hash, holder, idleMs, absoluteMs, most }) =>
      database.write((db) => {
        const begunAt = clock().getTime()
        const latestEndAt = begunAt + absoluteMs
        const columns = holderColumns(holder)
        const endsAt = Math.min(begunAt + idleMs, latestEndAt)
        db.insert(portalSessions)
          .values({ ...columns, hash: Buffer.from(hash), begunAt, endsAt, latestEndAt })
          .run()
        const others = and(
          eq(portalSessions.kind, columns.kind),
          eq(portalSessions.appId, columns.appId),
          ne(portalSessions.hash, Buffer.from(hash)),
        )
        const newest = db
          .select({ hash: portalSessions.hash })
          .from(portalSessions)
          .where(others)
          .orderBy(desc(portalSessions.begunAt))
          .limit(most - 1)
        db.delete(portalSessions)
          .where(and(others, notInArray(portalSessions.hash, newest)))
          .run()
      }),
    findSession: (hash, idleMs) =>
      database.write((db) => {
        const nowMs = clock().getTime()
        const [found] = db
          .update(portalSessions)
          .set({ endsAt: sql`min(${nowMs + idleMs}, ${portalSessions.latestEndAt})` })
          .where(and(isSession(hash), gte(portalSessions.endsAt, nowMs)))
          .returning()
          .all()
        return found === undefined ? null : { holder: readHolder(found), notice: found.notice }
      }),
    setNotice: (hash, notice) =>
      database.write((db) => void db.update(portalSessions).set({ notice }).where(isSession(hash)).run()),
    keepPreview: ({ hash, previewId, content, most }) =>
      database.write((db) => {
        const session = db.select({ hash: portalSessions.hash }).from(portalSessions).where(isSession(hash)).get()
        if (session === undefined) return
        db.insert(portalPreviews)
          .values({ session: session.hash, previewId, content: Buffer.from(content) })
          .run()
        const newest = db
          .select({ position: portalPreviews.position })
          .from(portalPreviews)
          .where(isOfSession(hash))
          .orderBy(desc(portalPreviews.position))
          .limit(most)
        db.delete(portalPreviews)
          .where(and(isOfSession(hash), notInArray(portalPreviews.position, newest)))
          .run()
      }),
    takePreview: ({ hash, previewId }) =>
      database.write((db) => {
        const [taken] = db
          .delete(portalPreviews)
          .where(and(isOfSession(hash), eq(portalPreviews.previewId, previewId)))
          .returning({ content: portalPreviews.content })
          .all()
        return taken === undefined ? null : new Uint8Array(taken.content)
      }),
    endSession: (hash) => database.write((db) => void db.delete(portalSessions).where(isSession(hash)).run()),
    endOtherSessions: ({ appId, keep }) =>
      database.write((db) => {
        const { kind, hash } = portalSessions
        db.delete(portalSessions)
          .where(and(eq(kind, 'app'), eq(portalSessions.appId, appId), ne(hash, Buffer.from(keep))))
          .run()
      }),
    removeEnded: (limit) =>
      database.write((db) => {
        const ended = db
          .select({ hash: portalSessions.hash })
          .from(portalSessions)
          .where(lt(portalSessions.endsAt, clock().getTime()))
          .orderBy(portalSessions.endsAt)
          .limit(limit)
        return db.delete(portalSessions).where(inArray(portalSessions.hash, ended)).run().changes
      }),
  }
}
