import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import { now, numberArray, textArray } from '../engine/postgres/parameters.js'
import { queryBuilder, statement, type Queryable } from '../engine/postgres/statement.js'
import { groupBy } from '../group-by.js'
import { refreshNextDue } from './endpoint-statements.postgres.js'
import { goneReason, heirOf } from './lineage.js'
import { endpointSchedules } from './tables.postgres.js'

const value = sql.placeholder

/** Most deliveries that one statement changes. With all that wait, it could exceed the time limit of statements. */
const pageSize = 1_000

/** Place of a waiting delivery, in the order of claims. */
interface Place {
  readonly class: number
  readonly dueAt: Date
  readonly position: number
}

interface WaitingRow extends Place {
  readonly deliveryId: string
  readonly eventType: string
}

/** Lists what waits for an endpoint, after a delivery: the index still has entries of those that have gone. */
const listWaitingPage = statement<WaitingRow>(
  'list_waiting_page',
  sql`
SELECT waiting.class, waiting.due_at AS "dueAt", waiting.position, waiting.delivery_id AS "deliveryId",
  delivery.event_type AS "eventType"
FROM (
  SELECT * FROM kyc_relay_delivery_queue
  WHERE app_id = ${value('appId')} AND endpoint_id = ${value('endpointId')} AND due_at IS NOT NULL
    AND (class, due_at, position) > (${value('class')}::smallint, ${value('dueAt')}::timestamptz, ${value('position')}::bigint)
  ORDER BY class, due_at, position LIMIT ${value('limit')}::int
) AS waiting CROSS JOIN LATERAL (
  SELECT event_type FROM kyc_relay_deliveries AS delivery
  WHERE delivery.app_id = ${value('appId')} AND delivery.delivery_id = waiting.delivery_id LIMIT 1
) AS delivery
ORDER BY waiting.class, waiting.due_at, waiting.position`,
)

// By lists of keys: PostgreSQL may plan a join for an empty queue, and compare each row with each.

const moveWaiting = statement(
  'move_waiting',
  sql`
WITH logged AS (
  UPDATE kyc_relay_deliveries SET endpoint_id = ${value('heir')}
  WHERE app_id = ${value('appId')} AND delivery_id = ANY(${value('deliveryIds')}::text[])
)
UPDATE kyc_relay_delivery_queue SET endpoint_id = ${value('heir')}
WHERE app_id = ${value('appId')} AND position = ANY(${value('positions')}::bigint[]) AND due_at IS NOT NULL`,
)

const cancelWaiting = statement(
  'cancel_waiting',
  sql`
WITH cancelled AS (
  DELETE FROM kyc_relay_delivery_queue
  WHERE app_id = ${value('appId')} AND position = ANY(${value('positions')}::bigint[]) AND due_at IS NOT NULL
  RETURNING delivery_id, attempts_made
)
UPDATE kyc_relay_deliveries AS delivery
SET state = 'CANCELLED', attempts_made = cancelled.attempts_made, ended_at = ${now}, cancel_reason = ${value('reason')}
FROM cancelled WHERE delivery.app_id = ${value('appId')} AND delivery.delivery_id = cancelled.delivery_id`,
)

/**
 * Hands what waits for a removed endpoint over to its lineage, and cancels the rest, inside a transaction.
 *
 * @param lineage Its live endpoints, oldest first.
 */
export async function handOver(
  on: Queryable,
  { appId, endpointId }: { readonly appId: string; readonly endpointId: string },
  lineage: readonly { readonly endpointId: string; readonly eventTypes: string | null }[],
  at: Date | null,
): Promise<void> {
  const changed = [endpointId, ...lineage.map((member) => member.endpointId)]
  // Blocks claims and results of these endpoints until the end of the transaction.
  await queryBuilder(on)
    .select({ endpointId: endpointSchedules.endpointId })
    .from(endpointSchedules)
    .where(and(eq(endpointSchedules.appId, appId), inArray(endpointSchedules.endpointId, changed)))
    .orderBy(asc(endpointSchedules.endpointId))
    .for('no key update')
  let last: Place | undefined = { class: -1, dueAt: new Date(0), position: 0 }
  while (last !== undefined) {
    const after: Place = last
    const page = await listWaitingPage.rows(on, { appId, endpointId, ...after, limit: pageSize })
    const byHeir = groupBy(page, ({ eventType }) => heirOf(lineage, eventType)?.endpointId)
    for (const [heir, rows] of byHeir) {
      const positions = numberArray(rows.map((row) => row.position))
      const deliveryIds = textArray(rows.map(({ deliveryId }) => deliveryId))
      if (heir === undefined) await cancelWaiting.count(on, { appId, positions, reason: goneReason(lineage), now: at })
      else await moveWaiting.count(on, { appId, positions, deliveryIds, heir })
    }
    last = page.length < pageSize ? undefined : page.at(-1)
  }
  await refreshNextDue.count(on, { appId, endpointIds: changed })
}
