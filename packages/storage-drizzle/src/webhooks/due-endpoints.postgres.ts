import type { PostgresDatabase } from '../engine/postgres/database.js'
import { findDueEndpoints, type DueEndpointRow } from './claim-statements.postgres.js'
import { endpointKey } from './row-keys.js'

/** What a read of the due endpoints tells of those that it does not list. */
export interface DueRead {
  readonly nowMs: number
  /** Due time of the next of them; null if nothing waits. */
  readonly nextDueMs: number | null
}

/** First and last position of the due notices that were read with the endpoints. Both are 0 for none: positions begin at 1. */
export interface NoticesRead {
  readonly firstNotice: number
  readonly lastNotice: number
}

/**
 * The endpoints that were due at the last read, those that waited longest first. It is kept from call to call: a read
 * finds all due endpoints, and a claim takes only the first ones. Claims use them up before the next read.
 */
export interface DueEndpoints {
  /** Time before which no lease ends. */
  noLeaseBefore(): Date
  /**
   * Notes that no lease ended before this time: a search for ended leases found none. A lease that is made later ends
   * later. Null changes nothing.
   */
  noteNoExpiredLease(before: Date | null): void
  /** Reads the due endpoints from the database, in place of those that are left. */
  read(now: Date | null, caps: { readonly healthy: number; readonly failing: number }): Promise<DueRead>
  /** Number of endpoints that can be taken; at most `failing` of them are failing. */
  count(failing: number): number
  /** Positions of the due notices that the last read found. */
  notices(): NoticesRead
  /** Takes up to `limit` endpoints off the list; at most `failing` of them are failing. */
  take(limit: number, failing: number): readonly DueEndpointRow[]
}

export function createDueEndpoints(database: PostgresDatabase): DueEndpoints {
  let listed: readonly DueEndpointRow[] = []
  let notices: NoticesRead = { firstNotice: 0, lastNotice: 0 }
  let noLeaseBefore = new Date(0)

  function takeable(failing: number): ReadonlySet<DueEndpointRow> {
    let left = failing
    return new Set(listed.filter((endpoint) => !endpoint.failing || left-- > 0))
  }

  return {
    noLeaseBefore: () => noLeaseBefore,
    noteNoExpiredLease(before) {
      noLeaseBefore = before ?? noLeaseBefore
    },
    async read(now, caps) {
      const rows = await database.run((on) =>
        findDueEndpoints.rows(on, {
          now,
          healthyCap: caps.healthy,
          failingCap: caps.failing,
          noLeaseBefore,
        }),
      )
      // An endpoint with a due schedule and a due notice comes twice.
      const endpoints = new Map<string, DueEndpointRow>()
      for (const row of rows) {
        if (row.appId === null) continue
        const key = endpointKey(row)
        if (!endpoints.has(key)) endpoints.set(key, row)
      }
      listed = [...endpoints.values()]
      const { nowMs = 0, nextDueMs = null, moreAreDue = false, firstNotice = null, lastNotice = null } = rows[0] ?? {}
      notices = { firstNotice: firstNotice ?? 0, lastNotice: lastNotice ?? 0 }
      return { nowMs, nextDueMs: moreAreDue ? nowMs : nextDueMs }
    },
    notices: () => notices,
    count: (failing) => takeable(failing).size,
    take(limit, failing) {
      const taken = new Set([...takeable(failing)].slice(0, limit))
      listed = listed.filter((endpoint) => !taken.has(endpoint))
      return [...taken]
    },
  }
}
