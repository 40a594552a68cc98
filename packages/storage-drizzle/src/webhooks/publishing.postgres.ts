import { and, eq, sql } from 'drizzle-orm'
import type { PreparedEvent } from '@kyc-relay/webhooks/delivery'
import type { InsertedEvent, OriginalEvent, WithheldReason } from '@kyc-relay/webhooks/internal'
import { overtaken } from '../engine/postgres/database.js'
import { StorageError } from '../storage-error.js'
import { asBuffer, now } from '../engine/postgres/parameters.js'
import { queryBuilder, statement, type Queryable } from '../engine/postgres/statement.js'
import { listLineage } from './endpoints.postgres.js'
import { heirOf } from './lineage.js'
import { mayReplace, ownBytes } from './original-event.js'
import { endpoints } from './tables.postgres.js'
import { classOf } from './values.js'

const value = sql.placeholder

/** How often endpoints may be replaced while an event is written. */
const mostLooks = 5

/**
 * Writes an event with its deliveries in one statement; nothing when its `sourceEventId` is known, or when an endpoint is
 * removed (`written` 0).
 *
 * The share lock blocks the removal and the pause of an endpoint until its new deliveries are visible. Of the endpoints of
 * one lineage, which have one `X-Event-ID`, the first gets a delivery. No endpoint row is written, so publishers of one
 * endpoint do not wait for each other. A delivery that waits for the end of a pause has no due notice.
 */
const insertEventStatement = statement<{
  written: number
  allLive: boolean
  deliveries: [string, string][] | null
}>(
  'insert_event',
  sql`
WITH live AS (
  SELECT endpoint_id, paused_by IS NOT NULL AS paused FROM kyc_relay_endpoints
  WHERE app_id = ${value('appId')} AND endpoint_id = ANY(${value('endpointIds')}::text[]) AND removed_at IS NULL
  FOR SHARE
), complete AS (
  SELECT (SELECT count(*) FROM live) = (SELECT count(DISTINCT id) FROM unnest(${value('endpointIds')}::text[]) AS id)
    AS complete
), source AS (
  INSERT INTO kyc_relay_event_sources (app_id, source_event_id, event_id)
  SELECT ${value('appId')}, ${value('sourceEventId')}::text, ${value('eventId')}
  FROM complete WHERE complete AND ${value('sourceEventId')}::text IS NOT NULL
  ON CONFLICT (app_id, source_event_id) DO NOTHING
  RETURNING event_id
), event AS (
  INSERT INTO kyc_relay_events (app_id, event_id, user_id, type, occurred_at, body, test, withheld, created_at,
    trace_context)
  SELECT ${value('appId')}, ${value('eventId')}, ${value('userId')}, ${value('type')},
    ${value('occurredAt')}::timestamptz, ${value('body')}::bytea, ${value('test')}::boolean,
    ${value('withheld')}, ${now}, ${value('traceContext')}
  FROM complete WHERE complete AND (${value('sourceEventId')}::text IS NULL OR EXISTS (SELECT FROM source))
  RETURNING event_id, created_at
), wanted AS (
  SELECT DISTINCT ON (d.x_event_id) d.delivery_id, d.endpoint_id, d.x_event_id, d.ordinal, live.paused
  FROM unnest(${value('deliveryIds')}::text[], ${value('endpointIds')}::text[], ${value('xEventIds')}::text[])
    WITH ORDINALITY AS d (delivery_id, endpoint_id, x_event_id, ordinal)
  JOIN live USING (endpoint_id)
  ORDER BY d.x_event_id, d.ordinal
), written AS (
  INSERT INTO kyc_relay_deliveries (
    app_id, delivery_id, event_id, endpoint_id, x_event_id, user_id, event_type, state, created_at
  )
  SELECT ${value('appId')}, w.delivery_id, event.event_id, w.endpoint_id, w.x_event_id, ${value('userId')},
    ${value('type')}, 'PENDING', event.created_at
  FROM event, wanted w ORDER BY w.ordinal
  RETURNING app_id, position, delivery_id, endpoint_id, created_at
), queued AS (
  INSERT INTO kyc_relay_delivery_queue (app_id, position, delivery_id, endpoint_id, class, due_at)
  SELECT app_id, position, delivery_id, endpoint_id, ${value('class')}::smallint, created_at FROM written
), notices AS (
  INSERT INTO kyc_relay_due_notices (app_id, endpoint_id, due_at)
  SELECT app_id, endpoint_id, created_at FROM written JOIN wanted USING (delivery_id, endpoint_id)
  WHERE ${value('test')}::boolean OR NOT wanted.paused
)
SELECT (SELECT count(*) FROM event)::int AS written, (SELECT complete FROM complete) AS "allLive",
  (SELECT json_agg(json_build_array(delivery_id, endpoint_id) ORDER BY wanted.ordinal)
    FROM written JOIN wanted USING (delivery_id, endpoint_id)) AS deliveries`,
)

export const findBySource = statement<{ eventId: string; withheld: WithheldReason | null } & OriginalEvent>(
  'find_event_by_source',
  sql`
SELECT e.event_id AS "eventId", e.withheld, e.user_id AS "userId", e.type, e.body
FROM kyc_relay_event_sources s JOIN kyc_relay_events e USING (app_id, event_id)
WHERE s.app_id = ${value('appId')} AND s.source_event_id = ${value('sourceEventId')}`,
)

/** Lists what was written with an event. Resends and recovered deliveries were written later. */
export const listDeliveriesOfEvent = statement<{ deliveryId: string; endpointId: string }>(
  'list_deliveries_of_event',
  sql`
SELECT delivery_id AS "deliveryId", endpoint_id AS "endpointId"
FROM kyc_relay_events AS event JOIN kyc_relay_deliveries AS delivery USING (app_id, event_id, created_at)
WHERE app_id = ${value('appId')} AND event_id = ${value('eventId')} AND resend_of IS NULL ORDER BY delivery.position`,
)

/** Gives the id of a withheld event to another one, unless somebody else did. */
const takeSource = statement(
  'take_event_source',
  sql`
UPDATE kyc_relay_event_sources SET event_id = ${value('eventId')}
WHERE app_id = ${value('appId')} AND source_event_id = ${value('sourceEventId')} AND event_id = ${value('formerEventId')}`,
)

/** Writes the event and its deliveries, due now, inside a transaction. */
export async function writeEvent(on: Queryable, event: PreparedEvent, at: Date | null): Promise<InsertedEvent> {
  const written = await writeToLive(on, event, at)
  if (typeof written !== 'string') return written
  const { appId, eventId, sourceEventId } = event
  const taken = await takeSource.count(on, { appId, eventId, sourceEventId, formerEventId: written })
  const again = await writeToLive(on, taken === 0 ? event : { ...event, sourceEventId: null }, at)
  if (typeof again === 'string') throw overtaken
  return again
}

/** As {@link tryWriteEvent}, but what was for a removed endpoint goes to its lineage. */
export async function writeToLive(
  on: Queryable,
  event: PreparedEvent,
  at: Date | null,
): Promise<InsertedEvent | string> {
  let ready = event
  for (let look = 0; look < mostLooks; look += 1) {
    const written = await tryWriteEvent(on, ready, at)
    if (written !== null) return written
    ready = await withLiveEndpoints(on, ready)
  }
  throw overtaken
}

/** The event with deliveries to live endpoints only. A statement of its own sees a replacement that the last one waited for. */
async function withLiveEndpoints(on: Queryable, event: PreparedEvent): Promise<PreparedEvent> {
  const { appId, type } = event
  const deliveries: PreparedEvent['deliveries'][number][] = []
  for (const delivery of event.deliveries) {
    const { endpointId } = delivery
    const [found] = await queryBuilder(on)
      .select({ lineageId: endpoints.lineageId })
      .from(endpoints)
      .where(and(eq(endpoints.appId, appId), eq(endpoints.endpointId, endpointId)))
    if (found === undefined) continue
    const lineage = await listLineage(on, { appId, lineageId: found.lineageId }, false)
    const live = lineage.find((one) => one.endpointId === endpointId) ?? heirOf(lineage, type)
    if (live !== undefined) deliveries.push({ ...delivery, endpointId: live.endpointId })
  }
  return { ...event, deliveries }
}

/**
 * Writes the event and its deliveries, due now, in one statement. Has written nothing when it returns the id of a withheld
 * event under its `sourceEventId`, which `writeEvent` replaces, or null, because an endpoint is removed.
 */
async function tryWriteEvent(
  on: Queryable,
  event: PreparedEvent,
  at: Date | null,
): Promise<InsertedEvent | string | null> {
  const { eventId, appId, sourceEventId, withheld } = event
  const [answer] = await insertEventStatement.rows(on, {
    eventId,
    appId,
    userId: event.userId,
    type: event.type,
    occurredAt: event.occurredAt,
    body: asBuffer(event.body),
    test: event.test,
    sourceEventId,
    withheld,
    traceContext: event.traceContext ?? null,
    class: classOf(event.test),
    deliveryIds: event.deliveries.map(({ deliveryId }) => deliveryId),
    endpointIds: event.deliveries.map(({ endpointId }) => endpointId),
    xEventIds: event.deliveries.map(({ xEventId }) => xEventId),
    now: at,
  })
  if (answer?.written === 1) {
    const deliveries = (answer.deliveries ?? []).map(([deliveryId, endpointId]) => ({ deliveryId, endpointId }))
    return { eventId, deliveries, withheld, duplicate: false, original: null }
  }
  if (answer?.allLive === false) return null
  const [original] = await findBySource.rows(on, { appId, sourceEventId })
  if (original === undefined) throw new StorageError('STORE_UNAVAILABLE')
  if (mayReplace(event, original.withheld)) return original.eventId
  const deliveries = await listDeliveriesOfEvent.rows(on, { appId, eventId: original.eventId })
  const { userId, type, body } = original
  const { eventId: firstId, withheld: firstWithheld } = original
  return {
    eventId: firstId,
    withheld: firstWithheld,
    deliveries,
    duplicate: true,
    original: { userId, type, body: ownBytes(body) },
  }
}
