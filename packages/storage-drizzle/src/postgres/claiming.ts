import type { ClaimedDelivery, WebhookStore } from '@kyc-relay/webhooks/delivery'
import { chooseInTurn, type Turn } from '../webhooks/claim-order.js'
import {
  awaitTurns,
  findNextDue,
  foldAnnouncements,
  listWaiting,
  lockTurns,
  mostAnnouncements,
  openAttempts,
  takeOverExpired,
  type ClaimedRow,
  type LockedTurn,
} from './claim-statements.js'
import type { PostgresDatabase } from './database.js'
import type { Queryable, Statement } from './statement.js'

type ClaimRequest = Parameters<WebhookStore['claimDue']>[0]

export interface ClaimDependencies {
  readonly database: PostgresDatabase
  /** The instant of the store's clock, or null for the database's own. */
  readonly instant: () => Date | null
  readonly newToken: () => string
}

/** What finds a delivery in the queue. */
interface QueueKey {
  readonly appId: string
  readonly position: number
}

interface EndpointTurn extends Turn<QueueKey> {
  readonly endpointId: string
  readonly firstNotDueMs: number | null
}

/** How often a claim looks for work: again when others held endpoints that have some. */
const mostLooks = 3

/** Claims due deliveries for this process; caps hold over all processes on the database. */
export async function claimDue(
  { database, instant, newToken }: ClaimDependencies,
  request: ClaimRequest,
): Promise<Awaited<ReturnType<WebhookStore['claimDue']>>> {
  // Beside the beginning of the transaction, which sees nothing before its first statement.
  const folded = database.run((on) => foldAnnouncements.count(on, { limit: mostAnnouncements }))
  folded.catch(() => undefined)
  const claimed: ClaimedDelivery[] = []
  for (let look = 1; ; look++) {
    const left = { ...request, limit: request.limit - claimed.length }
    const lock = look === 1 ? lockTurns : awaitTurns
    const more =
      left.limit > 0
        ? await database.transaction(async (on) => {
            await folded
            return claimOnce(on, lock, left, instant(), newToken)
          })
        : []
    claimed.push(...(more ?? []))
    const [next] = await database.run((on) => findNextDue.rows(on, { now: instant() }))
    const nextDueInMs = next?.nextDueInMs ?? null
    const heldByOthers = nextDueInMs !== null && nextDueInMs <= 0 && claimed.length < request.limit
    if (!heldByOthers || look === mostLooks || (look > 1 && more === null)) {
      return { claimed, nextDueInMs: nextDueInMs === null ? null : Math.max(0, nextDueInMs) }
    }
  }
}

/** Null when nothing that is due has a free place. */
async function claimOnce(
  on: Queryable,
  lock: Statement<LockedTurn>,
  request: ClaimRequest,
  at: Date | null,
  newToken: () => string,
): Promise<readonly ClaimedDelivery[] | null> {
  const caps = { healthyCap: request.maxInFlight.healthy, failingCap: request.maxInFlight.failing }
  const failingLimit = Math.max(0, request.limit - request.keepForHealthy)
  const locked = await lock.rows(on, { ...caps, healthyLimit: request.limit, failingLimit, now: at })
  const now = locked[0]?.now
  if (now === undefined) return null
  const room = ({ failing, inFlight }: (typeof locked)[number]) =>
    (failing ? caps.failingCap : caps.healthyCap) - inFlight
  const rooms = locked.map((turn) => Math.min(room(turn), request.limit))
  const waiting = await listWaiting.rows(on, { endpointIds: locked.map(({ endpointId }) => endpointId), rooms })
  const waitingOf = groupByEndpoint(waiting)
  const turns = locked.map(({ endpointId, failing, turnAt }, index): EndpointTurn => {
    const rows = waitingOf.get(endpointId) ?? []
    const due = rows.filter(({ dueAt }) => dueAt <= now).slice(0, rooms[index])
    return {
      endpointId,
      failing,
      turnAtMs: turnAt.getTime(),
      waiting: due.map(({ appId, position, dueAt }) => ({
        id: { appId, position },
        position,
        dueAtMs: dueAt.getTime(),
      })),
      firstNotDueMs: rows[due.length]?.dueAt.getTime() ?? null,
    }
  })
  const chosen = chooseInTurn<QueueKey, EndpointTurn>(turns, request)
  const claimedOf = new Map<string, number>()
  for (const { turn } of chosen) claimedOf.set(turn.endpointId, (claimedOf.get(turn.endpointId) ?? 0) + 1)
  const tokens = chosen.map(() => newToken())
  const rows = await openAttempts.rows(on, {
    appIds: chosen.map(({ waiting: { id } }) => id.appId),
    positions: chosen.map(({ waiting: { id } }) => id.position),
    tokens,
    leaseUntil: new Date(now.getTime() + request.leaseMs),
    now,
    endpointIds: turns.map(({ endpointId }) => endpointId),
    nextDueAts: turns.map((turn) => nextDueAfter(turn, claimedOf.get(turn.endpointId) ?? 0)),
  })
  const byToken = new Map(rows.map((row) => [row.token, row]))
  return tokens.flatMap((token) => {
    const row = byToken.get(token)
    return row === undefined ? [] : [readClaimed(row, now)]
  })
}

function groupByEndpoint<Row extends { readonly endpointId: string }>(rows: readonly Row[]): Map<string, Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const group = groups.get(row.endpointId)
    if (group === undefined) groups.set(row.endpointId, [row])
    else group.push(row)
  }
  return groups
}

/** When the first delivery is due that this claim leaves waiting. */
function nextDueAfter(turn: EndpointTurn, claimed: number): Date | null {
  const ms = turn.waiting[claimed]?.dueAtMs ?? turn.firstNotDueMs
  return ms === null ? null : new Date(ms)
}

/** Takes over attempts whose lease ended, under fresh fences. */
export function claimExpired(
  { database, instant, newToken }: ClaimDependencies,
  { limit, leaseMs }: Parameters<WebhookStore['claimExpired']>[0],
): Promise<readonly ClaimedDelivery[]> {
  return database.run(async (on) => {
    const tokens = Array.from({ length: limit }, () => newToken())
    const rows = await takeOverExpired.rows(on, { limit, leaseMs, tokens, now: instant() })
    return rows.map((row) => readClaimed(row, row.now))
  })
}

function readClaimed(row: ClaimedRow, now: Date): ClaimedDelivery {
  const { deliveryId, endpointId, url, standardWebhooks } = row
  return {
    fence: { deliveryId, attempt: row.attempt, token: row.token },
    deliveryId,
    eventId: row.eventId,
    xEventId: row.xEventId,
    appId: row.appId,
    userId: row.userId,
    eventType: row.eventType,
    test: row.test,
    endpoint: { endpointId, url, standardWebhooks },
    body: new Uint8Array(row.body ?? []),
    unsentForMs: row.unsentSince === null ? 0 : Math.max(0, now.getTime() - row.unsentSince.getTime()),
    traceContext: row.traceContext,
  }
}
