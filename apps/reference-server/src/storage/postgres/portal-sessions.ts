import type { PostgresOwnDatabase } from '@kyc-relay/storage-drizzle/internal'
import { and, desc, eq, gte, inArray, lt, ne, notInArray, sql } from 'drizzle-orm'
import { holderColumns, readHolder, type PortalSessions } from '../portal-sessions.js'
import { databaseTime, msAfter } from './database-time.js'
import { portalPreviews, portalSessions } from './tables.js'

const isSession = (hash: Uint8Array) => eq(portalSessions.hash, hash)
const isOfSession = (hash: Uint8Array) => eq(portalPreviews.session, hash)

/**
 * Creates the portal sessions on PostgreSQL.
 *
 * @param clock Replaces the database's clock; null reads it.
 */
export function createPortalSessions(database: PostgresOwnDatabase, clock: () => Date | null): PortalSessions {
  return {
    beginSession: ({ hash, holder, idleMs, absoluteMs, most }) =>
      database.write(async (db) => {
        const now = databaseTime(clock())
        const columns = holderColumns(holder)
        const endsAt = msAfter(now, Math.min(idleMs, absoluteMs))
        await db
          .insert(portalSessions)
          .values({ ...columns, hash, begunAt: now, endsAt, latestEndAt: msAfter(now, absoluteMs) })
        const others = and(
          eq(portalSessions.kind, columns.kind),
          eq(portalSessions.appId, columns.appId),
          ne(portalSessions.hash, hash),
        )
        const newest = db
          .select({ hash: portalSessions.hash })
          .from(portalSessions)
          .where(others)
          .orderBy(desc(portalSessions.begunAt))
          .limit(most - 1)
        await db.delete(portalSessions).where(and(others, notInArray(portalSessions.hash, newest)))
      }),
    findSession: (hash, idleMs) =>
      database.write(async (db) => {
        const now = databaseTime(clock())
        const [found] = await db
          .update(portalSessions)
          .set({ endsAt: sql`least(${msAfter(now, idleMs)}, ${portalSessions.latestEndAt})` })
          .where(and(isSession(hash), gte(portalSessions.endsAt, now)))
          .returning()
        return found === undefined ? null : { holder: readHolder(found), notice: found.notice }
      }),
    setNotice: (hash, notice) =>
      database.write(async (db) => {
        await db.update(portalSessions).set({ notice }).where(isSession(hash))
      }),
    keepPreview: ({ hash, previewId, content, most }) =>
      database.write(async (db) => {
        const key = { hash: portalSessions.hash }
        // The lock keeps the session until its preview is stored.
        const [session] = await db.select(key).from(portalSessions).where(isSession(hash)).for('key share')
        if (session === undefined) return
        await db.insert(portalPreviews).values({ session: hash, previewId, content })
        const newest = db
          .select({ position: portalPreviews.position })
          .from(portalPreviews)
          .where(isOfSession(hash))
          .orderBy(desc(portalPreviews.position))
          .limit(most)
        await db.delete(portalPreviews).where(and(isOfSession(hash), notInArray(portalPreviews.position, newest)))
      }),
    takePreview: ({ hash, previewId }) =>
      database.write(async (db) => {
        const [taken] = await db
          .delete(portalPreviews)
          .where(and(isOfSession(hash), eq(portalPreviews.previewId, previewId)))
          .returning({ content: portalPreviews.content })
        return taken?.content ?? null
      }),
    endSession: (hash) =>
      database.write(async (db) => {
        await db.delete(portalSessions).where(isSession(hash))
      }),
    endOtherSessions: ({ appId, keep }) =>
      database.write(async (db) => {
        const { kind, hash } = portalSessions
        await db.delete(portalSessions).where(and(eq(kind, 'app'), eq(portalSessions.appId, appId), ne(hash, keep)))
      }),
    removeEnded: (limit) =>
      database.write(async (db) => {
        const ended = db
          .select({ hash: portalSessions.hash })
          .from(portalSessions)
          .where(lt(portalSessions.endsAt, databaseTime(clock())))
          .orderBy(portalSessions.endsAt)
          .limit(limit)
        const { rowCount } = await db.delete(portalSessions).where(inArray(portalSessions.hash, ended))
        return rowCount ?? 0
      }),
  }
}
