import { and, asc, eq, isNotNull, sql } from 'drizzle-orm'
import type { PostgresDatabase } from '../engine/postgres/database.js'
import { queryBuilder } from '../engine/postgres/statement.js'
import { checkedLimit } from '../pages.js'
import { formatHeaders, parseHeaders, type EndpointHeadersStore } from './sealed-headers.js'
import { endpoints } from './tables.postgres.js'

/** Creates the store of static headers on PostgreSQL. */
export function createEndpointHeadersStore({
  database,
}: {
  readonly database: PostgresDatabase
}): EndpointHeadersStore {
  return {
    pageHeaders: ({ after, limit }) =>
      database.run(async (on) => {
        const rows = await queryBuilder(on)
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
        return rows.flatMap((row) => {
          const headers = parseHeaders(row.headers)
          return headers === null ? [] : [{ ...row, headers }]
        })
      }),

    replaceSealedHeaders: ({ appId, endpointId, former, fresh }) =>
      database.run(async (on) => {
        const isFormer = eq(endpoints.headers, formatHeaders(former) ?? '')
        const changed = await queryBuilder(on)
          .update(endpoints)
          .set({ headers: formatHeaders(fresh) })
          .where(and(eq(endpoints.appId, appId), eq(endpoints.endpointId, endpointId), isFormer))
          .returning({ endpointId: endpoints.endpointId })
        return changed.length === 1
      }),
  }
}
