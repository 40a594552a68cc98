import type { ClaimedDelivery, WebhookStore } from '@kyc-relay/webhooks/delivery'
import { StorageError } from '../storage-error.js'
import { chooseFairly, type EndpointSchedule } from './claim-order.js'
import type { ClaimRequest } from './claim-request.js'
import type { ClaimingStatements } from './claim-statements.sqlite.js'
import { sentClasses } from './values.js'
import { parseHeaders } from './sealed-headers.js'

interface ClaimableEndpoint extends EndpointSchedule<number> {
  readonly endpoint: number
  /** Its first waiting deliveries that may be sent, due or not: one more of each class than it may claim. */
  readonly rows: readonly (readonly [position: number, dueAt: number])[]
}

function listSchedules(statements: ClaimingStatements, request: ClaimRequest, failing: boolean, now: number) {
  const cap = failing ? request.maxInFlight.failing : request.maxInFlight.healthy
  const limit = failing ? request.limit - request.keepForHealthy : request.limit
  if (limit <= 0) return []
  const schedules = statements.listSchedules.all(failing ? 1 : 0, now, cap, limit)
  // With at least as many endpoints as slots, each gets one, so second deliveries are not read.
  const mostEach = schedules.length >= limit ? 1 : limit
  return schedules.map(([endpoint, inFlight, waitingSince, paused]): ClaimableEndpoint => {
    const room = Math.min(cap - inFlight, mostEach)
    const rows = []
    for (const each of sentClasses(paused === 1)) rows.push(...statements.listWaiting.all(endpoint, each, room + 1))
    const due = rows.filter(([, dueAt]) => dueAt <= now).slice(0, room)
    return {
      endpoint,
      failing,
      waitingSinceMs: waitingSince,
      rows,
      waiting: due.map(([position, dueAt]) => ({ id: position, position, dueAtMs: dueAt })),
    }
  })
}

/** Reads what to send with an opened delivery. */
function readClaimed(statements: ClaimingStatements, position: number, token: string, now: number): ClaimedDelivery {
  const row = statements.findClaimed.get(position)
  if (row === undefined) throw new StorageError('STORE_FAILED')
  const [
    deliveryId,
    attemptsMade,
    xEventId,
    appId,
    userId,
    eventType,
    unsentSince,
    eventId,
    test,
    body,
    traceContext,
    endpointId,
    url,
    standardWebhooks,
    headers,
  ] = row
  return {
    fence: { appId, deliveryId, attempt: attemptsMade, token },
    deliveryId,
    eventId,
    xEventId,
    appId,
    userId,
    eventType,
    test: test === 1,
    endpoint: { endpointId, url, standardWebhooks: standardWebhooks === 1, headers: parseHeaders(headers) },
    body: bytesOf(body),
    unsentForMs: unsentSince === null ? 0 : Math.max(0, now - unsentSince),
    traceContext,
  }
}

/** Returns the bytes without a copy. */
function bytesOf(body: Buffer | null): Uint8Array {
  return body === null ? new Uint8Array() : new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
}

/** Runs one claim inside a transaction of the caller. */
export function claimDue(
  statements: ClaimingStatements,
  request: ClaimRequest,
  now: number,
  newToken: () => string,
): Awaited<ReturnType<WebhookStore['claimDue']>> {
  const schedules = [false, true].flatMap((failing) => listSchedules(statements, request, failing, now))
  const chosen = chooseFairly<number, ClaimableEndpoint>(schedules, request)
  const claimedOf = new Map<ClaimableEndpoint, Set<number>>()
  const claimed = chosen.map(({ schedule, waiting: { position } }) => {
    const token = newToken()
    statements.openAttempt.run(token, now + request.leaseMs, position)
    const delivery = readClaimed(statements, position, token, now)
    // An attempt number is reused only after an unsent attempt; otherwise a sixth POST would follow.
    const opened = statements.openNumber.run(position, delivery.fence.attempt, now)
    if (opened.changes !== 1) throw new StorageError('CONSTRAINT')
    claimedOf.set(schedule, (claimedOf.get(schedule) ?? new Set()).add(position))
    return delivery
  })
  for (const [{ endpoint, rows }, positions] of claimedOf) {
    const left = rows.flatMap(([position, dueAt]) => (positions.has(position) ? [] : [dueAt]))
    statements.moveSchedule.run(positions.size, now, left.length === 0 ? null : Math.min(...left), endpoint)
  }
  const earliest = statements.findEarliestDue.get()?.[0]
  return { claimed, nextDueInMs: earliest === undefined ? null : Math.max(0, earliest - now) }
}

/** Takes over ended leases under fresh fences, inside a transaction of the caller. */
export function claimExpired(
  statements: ClaimingStatements,
  request: Parameters<WebhookStore['claimExpired']>[0],
  now: number,
  newToken: () => string,
): readonly ClaimedDelivery[] {
  return statements.listExpired.all(now, request.limit).map(([position]) => {
    const token = newToken()
    statements.takeOver.run(token, now + request.leaseMs, position)
    return readClaimed(statements, position, token, now)
  })
}
