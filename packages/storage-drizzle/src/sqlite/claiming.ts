import { and, asc, eq, isNotNull, lte, sql } from 'drizzle-orm'
import type { ClaimedDelivery, WebhookStore } from '@kyc-relay/webhooks/delivery'
import { StorageError } from '../storage-error.js'
import { chooseInTurn, type Turn } from '../webhooks/claim-order.js'
import type { DrizzleDatabase } from './drizzle-database.js'
import { attempts, deliveries, endpoints, endpointTurns, events } from './tables/webhooks.js'

const value = sql.placeholder

/** The earliest waiting delivery of an endpoint: one probe of the index `kyc_relay_deliveries_waiting`. */
const earliestWaiting = sql`(SELECT due_at FROM kyc_relay_deliveries AS waiting
  WHERE waiting.endpoint = kyc_relay_endpoint_turns.endpoint AND waiting.due_at IS NOT NULL
  ORDER BY waiting.due_at LIMIT 1)`

export function prepareClaiming(db: DrizzleDatabase) {
  return {
    // Not `turn_at <= now`: after the clock was set back, a turn taken "in the future" must not hold an endpoint back.
    listTurns: db
      .select({
        endpoint: endpointTurns.endpoint,
        inFlight: endpointTurns.inFlight,
        turnAt: endpointTurns.turnAt,
        nextDueAt: endpointTurns.nextDueAt,
      })
      .from(endpointTurns)
      .where(
        and(
          eq(endpointTurns.failing, value('failing')),
          isNotNull(endpointTurns.nextDueAt),
          lte(endpointTurns.nextDueAt, value('now')),
          sql`${endpointTurns.inFlight} < ${value('cap')}`,
        ),
      )
      .orderBy(asc(endpointTurns.turnAt), asc(endpointTurns.nextDueAt), asc(endpointTurns.endpoint))
      .limit(value('limit'))
      .prepare(),
    listWaiting: db
      .select({ position: deliveries.position, dueAt: deliveries.dueAt })
      .from(deliveries)
      .where(
        and(
          eq(deliveries.endpoint, value('endpoint')),
          isNotNull(deliveries.dueAt),
          lte(deliveries.dueAt, value('now')),
        ),
      )
      .orderBy(asc(deliveries.dueAt), asc(deliveries.position))
      .limit(value('limit'))
      .prepare(),
    openAttempt: db
      .update(deliveries)
      .set({
        dueAt: null,
        leaseToken: sql`${value('token')}`,
        leaseUntil: sql`${value('leaseUntil')}`,
        attemptsMade: sql`attempts_made + 1`,
      })
      .where(eq(deliveries.position, value('position')))
      .returning({ attemptsMade: deliveries.attemptsMade })
      .prepare(),
    openNumber: db
      .insert(attempts)
      .values({
        delivery: value('delivery'),
        number: value('number'),
        state: 'STARTED',
        startedAt: value('startedAt'),
      })
      .onConflictDoUpdate({
        target: [attempts.delivery, attempts.number],
        set: { state: 'STARTED', startedAt: sql`excluded.started_at`, endedAt: null, report: null, responseBody: null },
        where: sql`${attempts.state} = 'UNSENT'`,
      })
      .prepare(),
    takeTurn: db
      .update(endpointTurns)
      .set({
        inFlight: sql`in_flight + ${value('claimed')}`,
        lastClaimedAt: sql`${value('now')}`,
        nextDueAt: earliestWaiting,
      })
      .where(eq(endpointTurns.endpoint, value('endpoint')))
      .prepare(),
    refreshNextDue: db
      .update(endpointTurns)
      .set({ nextDueAt: earliestWaiting })
      .where(eq(endpointTurns.endpoint, value('endpoint')))
      .prepare(),
    findEarliestDue: db
      .select({ nextDueAt: endpointTurns.nextDueAt })
      .from(endpointTurns)
      .where(isNotNull(endpointTurns.nextDueAt))
      .orderBy(asc(endpointTurns.nextDueAt))
      .limit(1)
      .prepare(),
    listExpired: db
      .select({ position: deliveries.position })
      .from(deliveries)
      .where(and(isNotNull(deliveries.leaseUntil), lte(deliveries.leaseUntil, value('now'))))
      .orderBy(asc(deliveries.leaseUntil), asc(deliveries.position))
      .limit(value('limit'))
      .prepare(),
    takeOver: db
      .update(deliveries)
      .set({ leaseToken: sql`${value('token')}`, leaseUntil: sql`${value('leaseUntil')}` })
      .where(eq(deliveries.position, value('position')))
      .prepare(),
    endLeases: db
      .update(deliveries)
      .set({ leaseUntil: sql`${value('now')}` })
      .where(and(isNotNull(deliveries.leaseUntil), sql`${deliveries.leaseUntil} > ${value('now')}`))
      .prepare(),
    readClaimed: db
      .select({ delivery: deliveries, event: events, endpoint: endpoints })
      .from(deliveries)
      .innerJoin(events, eq(events.position, deliveries.event))
      .innerJoin(endpoints, eq(endpoints.position, deliveries.endpoint))
      .where(eq(deliveries.position, value('position')))
      .prepare(),
  }
}

export type ClaimingStatements = ReturnType<typeof prepareClaiming>

type ClaimRequest = Parameters<WebhookStore['claimDue']>[0]

interface EndpointTurn extends Turn<number> {
  readonly endpoint: number
}

function listTurns(statements: ClaimingStatements, request: ClaimRequest, failing: boolean, now: number) {
  const cap = failing ? request.maxInFlight.failing : request.maxInFlight.healthy
  const limit = failing ? request.limit - request.keepForHealthy : request.limit
  if (limit <= 0) return []
  const turns = statements.listTurns.all({ failing: failing ? 1 : 0, now, cap, limit })
  // With as many endpoints as places, each gets one: no need to read their second deliveries.
  const mostEach = turns.length >= limit ? 1 : limit
  return turns.map(({ endpoint, inFlight, turnAt }): EndpointTurn => {
    const waiting = statements.listWaiting.all({ endpoint, now, limit: Math.min(cap - inFlight, mostEach) })
    return {
      endpoint,
      failing,
      turnAtMs: turnAt ?? now,
      waiting: waiting.map(({ position, dueAt }) => ({ id: position, position, dueAtMs: dueAt ?? now })),
    }
  })
}

function readClaimed(statements: ClaimingStatements, position: number, token: string, now: number): ClaimedDelivery {
  const row = statements.readClaimed.get({ position })
  if (row === undefined) throw new StorageError('STORE_FAILED')
  const { delivery, event, endpoint } = row
  return {
    fence: { deliveryId: delivery.deliveryId, attempt: delivery.attemptsMade, token },
    deliveryId: delivery.deliveryId,
    eventId: event.eventId,
    xEventId: delivery.xEventId,
    appId: delivery.appId,
    userId: delivery.userId,
    eventType: delivery.eventType,
    test: event.test === 1,
    endpoint: {
      endpointId: endpoint.endpointId,
      url: endpoint.url,
      standardWebhooks: endpoint.standardWebhooks === 1,
    },
    body: new Uint8Array(event.body ?? []),
    unsentForMs: delivery.unsentSince === null ? 0 : Math.max(0, now - delivery.unsentSince),
  }
}

/** One whole claim, inside a transaction that the caller holds. */
export function claimDue(
  statements: ClaimingStatements,
  request: ClaimRequest,
  now: number,
  newToken: () => string,
): Awaited<ReturnType<WebhookStore['claimDue']>> {
  const turns = [false, true].flatMap((failing) => listTurns(statements, request, failing, now))
  const chosen = chooseInTurn<number, EndpointTurn>(turns, request)
  const claimed = chosen.map(({ waiting: { position } }) => {
    const token = newToken()
    const { attemptsMade } = statements.openAttempt.get({ position, token, leaseUntil: now + request.leaseMs })
    const row = { delivery: position, number: attemptsMade, startedAt: now }
    // A number is opened twice only after it was given back; anything else would be a sixth POST.
    if (statements.openNumber.run(row).changes !== 1) throw new StorageError('CONSTRAINT')
    return readClaimed(statements, position, token, now)
  })
  const claimedOf = new Map<number, number>()
  for (const {
    turn: { endpoint },
  } of chosen)
    claimedOf.set(endpoint, (claimedOf.get(endpoint) ?? 0) + 1)
  for (const [endpoint, count] of claimedOf) statements.takeTurn.run({ endpoint, claimed: count, now })
  const earliest = statements.findEarliestDue.get()?.nextDueAt ?? null
  return { claimed, nextDueInMs: earliest === null ? null : Math.max(0, earliest - now) }
}

/** Takes over ended leases under fresh fences, inside a transaction that the caller holds. */
export function claimExpired(
  statements: ClaimingStatements,
  request: Parameters<WebhookStore['claimExpired']>[0],
  now: number,
  newToken: () => string,
): readonly ClaimedDelivery[] {
  return statements.listExpired.all({ now, limit: request.limit }).map(({ position }) => {
    const token = newToken()
    statements.takeOver.run({ position, token, leaseUntil: now + request.leaseMs })
    return readClaimed(statements, position, token, now)
  })
}
