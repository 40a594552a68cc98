import { sql } from 'drizzle-orm'
import type { ClaimedDelivery, WebhookStore } from '@kyc-relay/webhooks/delivery'
import { now, textArray } from '../engine/postgres/parameters.js'
import { statement } from '../engine/postgres/statement.js'
import { groupByApp, type AppGroup } from './by-app.postgres.js'
import { readLeased, type Leased } from './claimed-deliveries.postgres.js'
import type { ClaimDependencies } from './claims.postgres.js'

const value = sql.placeholder

/** An attempt whose lease has ended. */
interface ExpiredRow {
  readonly appId: string
  readonly position: number
  readonly leaseUntil: Date
}

/** Lists attempts whose lease has ended, in pages: after the last one of the page before. It locks nothing. */
const listExpired = statement<(ExpiredRow | { readonly appId: null }) & { readonly now: Date }>(
  'list_expired',
  sql`
WITH clock AS MATERIALIZED (SELECT ${now} AS now)
SELECT clock.now, expired.app_id AS "appId", expired.position, expired.lease_until AS "leaseUntil"
FROM clock LEFT JOIN (
  SELECT app_id, position, lease_until FROM kyc_relay_delivery_queue
  WHERE lease_until IS NOT NULL AND lease_until <= (SELECT now FROM clock)
    AND (lease_until, position) > (${value('afterLeaseUntil')}::timestamptz, ${value('afterPosition')}::bigint)
  ORDER BY lease_until, position LIMIT ${value('limit')}::int
) AS expired ON true
ORDER BY expired.lease_until, expired.position`,
)

/** A lease that was taken over. */
interface TakenOverRow extends Leased {
  readonly position: number
}

/** Locks ended leases of an app. Skips those that another process has locked or taken over. */
const lockExpired = statement<{ position: number; now: Date }>(
  'lock_expired',
  sql`
SELECT position, ${now} AS now FROM kyc_relay_delivery_queue
WHERE app_id = ${value('appId')} AND position = ANY(${value('positions')}::bigint[]) AND lease_until <= ${now}
ORDER BY lease_until, position FOR NO KEY UPDATE SKIP LOCKED`,
)

/** Takes over locked leases of an app under fresh tokens. */
const takeOverExpired = statement<TakenOverRow>(
  'take_over_expired',
  sql`
UPDATE kyc_relay_delivery_queue AS queued
SET lease_token = taken.token, lease_until = ${now} + ${value('leaseMs')}::float8 * interval '1 millisecond'
FROM unnest(${value('positions')}::bigint[], ${value('tokens')}::text[]) AS taken (position, token)
WHERE queued.app_id = ${value('appId')} AND queued.position = taken.position AND queued.lease_until IS NOT NULL
RETURNING queued.app_id AS "appId", queued.delivery_id AS "deliveryId", queued.attempts_made AS attempt,
  queued.lease_token AS token, queued.unsent_since AS "unsentSince", queued.position`,
)

/** Ended leases that are listed at once: others may hold many of them. */
const expiredPerPage = 1_000

/** Takes over attempts whose lease has ended, under fresh fences, in a transaction for each app. */
export async function claimExpired(
  dependencies: ClaimDependencies,
  { limit, leaseMs }: Parameters<WebhookStore['claimExpired']>[0],
): Promise<readonly ClaimedDelivery[]> {
  const { database, due, instant } = dependencies
  const claimed: ClaimedDelivery[] = []
  let after: Pick<ExpiredRow, 'leaseUntil' | 'position'> = { leaseUntil: new Date(0), position: 0 }
  try {
    for (;;) {
      const page = { limit: expiredPerPage, afterLeaseUntil: after.leaseUntil, afterPosition: after.position }
      const rows = await database.transaction((on) => listExpired.rows(on, { ...page, now: instant() }))
      const expired = rows.flatMap((row) => (row.appId === null ? [] : [row]))
      // Not after a page: what was passed by there is still leased.
      if (expired.length === 0 && after.position === 0) due.noteNoExpiredLease(rows[0]?.now ?? null)
      for (const group of groupByApp(expired, ({ appId }) => appId, true)) {
        if (claimed.length >= limit) return claimed
        claimed.push(...(await takeOver(dependencies, group, limit - claimed.length, leaseMs)))
      }
      const last = expired.at(-1)
      if (last === undefined || expired.length < expiredPerPage) return claimed
      after = last
    }
  } catch (error) {
    // An error now would leave what was taken over until the new leases end.
    if (claimed.length === 0) throw error
    return claimed
  }
}

/** Takes over at most `limit` ended leases of an app, in one transaction. */
function takeOver(
  { database, instant, newToken }: ClaimDependencies,
  { appId, rows }: AppGroup<ExpiredRow>,
  limit: number,
  leaseMs: number,
): Promise<readonly ClaimedDelivery[]> {
  return database.transaction(async (on) => {
    const expired = rows.map(({ position }) => position)
    const locked = (await lockExpired.rows(on, { appId, positions: expired, now: instant() })).slice(0, limit)
    const now = locked[0]?.now
    if (now === undefined) return []
    const positions = locked.map(({ position }) => position)
    const tokens = textArray(positions.map(() => newToken()))
    const taken = await takeOverExpired.rows(on, { appId, positions, tokens, leaseMs, now })
    const leases = new Map(taken.map((row) => [row.position, row]))
    const inOrder = positions.flatMap((position) => leases.get(position) ?? [])
    return readLeased(on, appId, inOrder, now.getTime())
  })
}
