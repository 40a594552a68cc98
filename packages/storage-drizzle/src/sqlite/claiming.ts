import type { ClaimedDelivery, WebhookStore } from '@kyc-relay/webhooks/delivery'
import { StorageError } from '../storage-error.js'
import { chooseInTurn, type Turn } from '../webhooks/claim-order.js'
import type { ClaimedRow, ClaimingStatements } from './claim-statements.js'

type ClaimRequest = Parameters<WebhookStore['claimDue']>[0]

interface EndpointTurn extends Turn<number> {
  readonly endpoint: number
  /** Due times of its first waiting deliveries, due or not, one more than could be claimed. */
  readonly dueAts: readonly number[]
}

function listTurns(statements: ClaimingStatements, request: ClaimRequest, failing: boolean, now: number) {
  const cap = failing ? request.maxInFlight.failing : request.maxInFlight.healthy
  const limit = failing ? request.limit - request.keepForHealthy : request.limit
  if (limit <= 0) return []
  const turns = statements.listTurns.all(failing ? 1 : 0, now, cap, limit)
  // With as many endpoints as places, each gets one: no need to read their second deliveries.
  const mostEach = turns.length >= limit ? 1 : limit
  return turns.map(({ endpoint, inFlight, turnAt }): EndpointTurn => {
    const room = Math.min(cap - inFlight, mostEach)
    const rows = statements.listWaiting.all(endpoint, room + 1)
    const due = rows.filter(({ dueAt }) => dueAt <= now).slice(0, room)
    return {
      endpoint,
      failing,
      turnAtMs: turnAt,
      dueAts: rows.map(({ dueAt }) => dueAt),
      waiting: due.map(({ position, dueAt }) => ({ id: position, position, dueAtMs: dueAt })),
    }
  })
}

/** Reads what is sent with a delivery; endpoints once per claim. */
function createReader(statements: ClaimingStatements, now: number) {
  const endpoints = new Map<number, ReturnType<ClaimingStatements['findEndpoint']['get']>>()
  return (row: ClaimedRow, token: string): ClaimedDelivery => {
    if (!endpoints.has(row.endpoint)) endpoints.set(row.endpoint, statements.findEndpoint.get(row.endpoint))
    const endpoint = endpoints.get(row.endpoint)
    const event = statements.findEvent.get(row.event)
    if (endpoint === undefined || event === undefined) throw new StorageError('STORE_FAILED')
    const { deliveryId, xEventId, appId, userId, eventType, unsentSince } = row
    const { endpointId, url, standardWebhooks } = endpoint
    return {
      fence: { deliveryId, attempt: row.attemptsMade, token },
      deliveryId,
      eventId: event.eventId,
      xEventId,
      appId,
      userId,
      eventType,
      test: event.test === 1,
      endpoint: { endpointId, url, standardWebhooks: standardWebhooks === 1 },
      body: new Uint8Array(event.body ?? []),
      unsentForMs: unsentSince === null ? 0 : Math.max(0, now - unsentSince),
      traceContext: event.traceContext,
    }
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
  const read = createReader(statements, now)
  const claimedOf = new Map<EndpointTurn, number>()
  const claimed = chosen.map(({ turn, waiting: { position } }) => {
    const token = newToken()
    const row = statements.openAttempt.get(token, now + request.leaseMs, position)
    if (row === undefined) throw new StorageError('STORE_FAILED')
    // A number is opened twice only after it was given back; anything else would be a sixth POST.
    if (statements.openNumber.run(position, row.attemptsMade, now).changes !== 1) throw new StorageError('CONSTRAINT')
    claimedOf.set(turn, (claimedOf.get(turn) ?? 0) + 1)
    return read(row, token)
  })
  for (const [turn, count] of claimedOf) {
    statements.takeTurn.run(count, now, turn.dueAts[count] ?? null, turn.endpoint)
  }
  const earliest = statements.findEarliestDue.get()?.nextDueAt
  return { claimed, nextDueInMs: earliest === undefined ? null : Math.max(0, earliest - now) }
}

/** Takes over ended leases under fresh fences, inside a transaction that the caller holds. */
export function claimExpired(
  statements: ClaimingStatements,
  request: Parameters<WebhookStore['claimExpired']>[0],
  now: number,
  newToken: () => string,
): readonly ClaimedDelivery[] {
  const read = createReader(statements, now)
  return statements.listExpired.all(now, request.limit).map(({ position }) => {
    const token = newToken()
    const row = statements.takeOver.get(token, now + request.leaseMs, position)
    if (row === undefined) throw new StorageError('STORE_FAILED')
    return read(row, token)
  })
}
