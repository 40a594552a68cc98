import type { ClaimedDelivery, WebhookStore } from '@kyc-relay/webhooks/delivery'
import {
  awaitSchedules,
  claimFairly,
  mergeDueNotices,
  mostDueNotices,
  takeOverExpired,
  type ClaimedRow,
} from './claim-statements.postgres.js'
import type { PostgresDatabase } from '../engine/postgres/database.js'
import type { Queryable } from '../engine/postgres/statement.js'
import { textArray } from '../engine/postgres/parameters.js'

type ClaimRequest = Parameters<WebhookStore['claimDue']>[0]

export interface ClaimDependencies {
  readonly database: PostgresDatabase
  /** Time of the store's clock; null for the database's clock. */
  readonly instant: () => Date | null
  readonly newToken: () => string
}

/**
 * Most runs of the claim statement: it runs again after new due notices, or when other processes held endpoints with
 * due deliveries.
 */
const mostLooks = 3

/** Claims due deliveries for this process. Caps hold over all processes on the database. */
export async function claimDue(
  { database, instant, newToken }: ClaimDependencies,
  request: ClaimRequest,
): Promise<Awaited<ReturnType<WebhookStore['claimDue']>>> {
  // Runs in parallel with the first claim: with a backlog, the schedules already have enough due deliveries.
  const folded = database.run((on) => mergeDueNotices.count(on, { limit: mostDueNotices }))
  folded.catch(() => undefined)
  const claimed: ClaimedDelivery[] = []
  try {
    for (let look = 1; ; look++) {
      const values = { ...placesOf(request, claimed.length, newToken), now: instant() }
      const claim = (on: Queryable) => claimFairly.rows(on, values)
      const rows = await (look === 1
        ? database.run(claim)
        : database.transaction(async (on) => {
            await awaitSchedules.count(on, values)
            return claim(on)
          }))
      const found = rows.flatMap((row) => (row.deliveryId === null ? [] : [readClaimed(row, row.nowMs)]))
      claimed.push(...found)
      await folded
      const nextDueInMs = rows[0]?.nextDueInMs ?? null
      const isMore = nextDueInMs !== null && nextDueInMs <= 0 && claimed.length < request.limit
      if (!isMore || look === mostLooks || (look > 1 && found.length === 0)) {
        return { claimed, nextDueInMs: nextDueInMs === null ? null : Math.max(0, nextDueInMs) }
      }
    }
  } catch (error) {
    // An error now would leave the claimed deliveries unsent until their leases end.
    if (claimed.length === 0) throw error
    return { claimed, nextDueInMs: 0 }
  }
}

/** Computes how many deliveries the next run may claim. */
function placesOf(request: ClaimRequest, claimed: number, newToken: () => string) {
  const limit = request.limit - claimed
  return {
    limit,
    failingLimit: Math.max(0, limit - request.keepForHealthy),
    healthyCap: request.maxInFlight.healthy,
    failingCap: request.maxInFlight.failing,
    leaseMs: request.leaseMs,
    tokens: textArray(Array.from({ length: limit }, newToken)),
  }
}

/** Takes over attempts whose lease has ended, under fresh fences. */
export function claimExpired(
  { database, instant, newToken }: ClaimDependencies,
  { limit, leaseMs }: Parameters<WebhookStore['claimExpired']>[0],
): Promise<readonly ClaimedDelivery[]> {
  return database.run(async (on) => {
    const tokens = textArray(Array.from({ length: limit }, newToken))
    const rows = await takeOverExpired.rows(on, { limit, leaseMs, tokens, now: instant() })
    return rows.map((row) => readClaimed(row, row.nowMs))
  })
}

/** Returns the bytes as Uint8Array without a copy, as other stores do: a Buffer has another JSON form. */
function bytesOf(body: Buffer | null): Uint8Array {
  return body === null ? new Uint8Array() : new Uint8Array(body.buffer, body.byteOffset, body.length)
}

function readClaimed(row: ClaimedRow, nowMs: number): ClaimedDelivery {
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
    body: bytesOf(row.body),
    unsentForMs: row.unsentSince === null ? 0 : Math.max(0, nowMs - row.unsentSince.getTime()),
    traceContext: row.traceContext,
  }
}
