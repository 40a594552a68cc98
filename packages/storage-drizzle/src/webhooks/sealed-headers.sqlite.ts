import { and, asc, eq, isNotNull, sql } from 'drizzle-orm'
import type { GroupCommit } from '../engine/sqlite/group-commit.js'
import { read, type DrizzleDatabase } from '../engine/sqlite/statement.js'
import { checkedLimit } from '../pages.js'
import { formatHeaders, parseHeaders, type EndpointHeadersStore } from './sealed-headers.js'
import { endpoints } from './tables.sqlite.js'

/** Creates the store of static headers on one SQLite connection. */
export function createEndpointHeadersStore(dependencies: {
  readonly db: DrizzleDatabase
  readonly commits: GroupCommit
}): EndpointHeadersStore {
  const { db, commits } = dependencies
  return {
    pageHeaders: ({ after, limit }) =>
      read(() =>
        db
          .select({ appId: endpoints.appId, endpointId: endpoints.endpointId, headers: endpoints.headers })
          .from(endpoints)
          .where(
            and(
              isNotNull(endpoints.headers),
              after && sql`(${endpoints.appId}, ${endpoints.endpointId}) > (${after.appId}, ${after.endpointId})`,
            ),
          )
          .orderBy(asc(endpoints.appId), asc(endpoints.endpointId))
          .limit(checkedLimit(limit))
          .all()
          .flatMap((row) => {
            const headers = parseHeaders(row.headers)
            return headers === null ? [] : [{ ...row, headers }]
          }),
      ),

    replaceSealedHeaders: ({ appId, endpointId, former, fresh }) =>
      commits.write(() => {
        const isFormer = eq(endpoints.headers, formatHeaders(former) ?? '')
        const changed = db
          .update(endpoints)
          .set({ headers: formatHeaders(fresh) })
          .where(and(eq(endpoints.appId, appId), eq(endpoints.endpointId, endpointId), isFormer))
          .run()
        return changed.changes === 1
      }),
  }
}
