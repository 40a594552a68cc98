import type { ClaimedDelivery, WebhookStore } from '@kyc-relay/webhooks/delivery'
import { groupByApp, type AppGroup } from './by-app.postgres.js'
import { claimGroup, type Claim, type Slots } from './claim-group.postgres.js'
import type { ClaimRequest } from './claim-request.js'
import type { DueEndpointRow } from './claim-statements.postgres.js'
import type { DueEndpoints, DueRead } from './due-endpoints.postgres.js'
import type { PostgresDatabase } from '../engine/postgres/database.js'

export interface ClaimDependencies {
  readonly database: PostgresDatabase
  /** Endpoints that were due at the last read and are not claimed yet. */
  readonly due: DueEndpoints
  /** True if the tables are distributed by app: each transaction is then of one app. */
  readonly distributed: boolean
  /** Time of the store's clock; null for the database's clock. */
  readonly instant: () => Date | null
  readonly newToken: () => string
}

/**
 * Most endpoints of one transaction. Each can then give several deliveries to a large claim, and its schedule is locked,
 * read and written once for them.
 */
const maxEndpointsPerTransaction = 64
/** The same while more than `many` endpoints are due. Each of them gets fewer deliveries at a time: all advance evenly. */
const maxEndpointsPerTransactionOfMany = 128
const many = 256

/** Most reads of the due endpoints in one call. It reads again, and then waits, when other processes held all endpoints. */
const maxReadsPerCall = 3

/** What one call has claimed and seen. */
interface Progress {
  readonly claimed: ClaimedDelivery[]
  /** Slots that failing endpoints may still fill. */
  slotsForFailing: number
  /** How often the call read the due endpoints before a transaction. */
  reads: number
  lastRead: DueRead | null
  /** Due times of what was left waiting since the last read. */
  leftMs: number[]
  /** True if an endpoint was left, since the last read, with a due delivery and room for it. */
  hasMore: boolean
}

/**
 * Claims due deliveries for this process. Caps hold over all processes on the database.
 *
 * The endpoints come from the list in `due`, which outlives a call. A call reads it again only when it is too short.
 */
export async function claimDue(
  dependencies: ClaimDependencies,
  request: ClaimRequest,
): Promise<Awaited<ReturnType<WebhookStore['claimDue']>>> {
  const slotsForFailing = Math.max(0, request.limit - request.keepForHealthy)
  const progress: Progress = { claimed: [], slotsForFailing, reads: 0, lastRead: null, leftMs: [], hasMore: false }
  const { claimed } = progress
  try {
    while (progress.reads < maxReadsPerCall) {
      const free = request.limit - claimed.length
      const endpoints = await nextEndpoints(dependencies, request, progress)
      if (endpoints.length === 0) break
      const claim = await claimEndpoints(dependencies, request, endpoints, {
        free,
        slotsForFailing: Math.min(free, progress.slotsForFailing),
        // With as many endpoints as slots nobody gets a second one.
        mostEach: endpoints.length === free ? 1 : Infinity,
        wait: progress.reads > 1 && claimed.length === 0,
      })
      claimed.push(...claim.claimed)
      progress.leftMs.push(...claim.leftMs)
      progress.slotsForFailing -= claim.failingClaimed
      // Another endpoint may have a second due delivery for a slot that stayed free.
      progress.hasMore ||= claim.hasMore
      if (claimed.length === request.limit || isNothingLeft(dependencies.due, progress, claim)) break
    }
    return { claimed, nextDueInMs: await nextDueInMs(dependencies, request, progress) }
  } catch (error) {
    // An error now would leave the claimed deliveries unsent until their leases end.
    if (claimed.length === 0) throw error
    return { claimed, nextDueInMs: 0 }
  }
}

async function readDue(
  { due, instant }: ClaimDependencies,
  { maxInFlight }: ClaimRequest,
  progress: Progress,
): Promise<DueRead> {
  progress.leftMs = []
  progress.hasMore = false
  return (progress.lastRead = await due.read(instant(), maxInFlight))
}

/** Takes the endpoints of the next transaction from the list. Reads the list again if it cannot fill one. */
async function nextEndpoints(
  dependencies: ClaimDependencies,
  request: ClaimRequest,
  progress: Progress,
): Promise<readonly DueEndpointRow[]> {
  const { due } = dependencies
  const free = request.limit - progress.claimed.length
  const failing = Math.min(free, progress.slotsForFailing)
  const limitNow = () =>
    Math.min(free, due.count(failing) > many ? maxEndpointsPerTransactionOfMany : maxEndpointsPerTransaction)
  if (due.count(failing) < Math.max(1, limitNow())) {
    await readDue(dependencies, request, progress)
    progress.reads += 1
  }
  return due.take(limitNow(), failing)
}

/** Checks whether another transaction would find nothing. */
function isNothingLeft(due: DueEndpoints, { claimed, slotsForFailing, reads, hasMore }: Progress, claim: Claim) {
  if (due.count(slotsForFailing) > 0 || hasMore) return false
  // A list of an earlier call may be outdated: what waited for an endpoint may have moved to another one. And an endpoint
  // that was passed over may still have deliveries.
  return claimed.length > 0 || (reads > 0 && !claim.passedOver)
}

/** Time until the next delivery is due: 0 if endpoints are left on the list, null if nothing waits. */
async function nextDueInMs(
  dependencies: ClaimDependencies,
  request: ClaimRequest,
  progress: Progress,
): Promise<number | null> {
  const { due } = dependencies
  if (due.count(Infinity) > 0) return 0
  const { nowMs, nextDueMs } = progress.lastRead ?? (await readDue(dependencies, request, progress))
  // `nextDueMs` leaves out the endpoints that this read listed.
  if (due.count(Infinity) > 0) return 0
  const nextMs = Math.min(nextDueMs ?? Infinity, ...progress.leftMs)
  return nextMs === Infinity ? null : Math.max(0, nextMs - nowMs)
}

/** The slots of one of several transactions: they share none, so each endpoint has its part of them. */
function shareOf(slots: Slots, endpoints: number, { rows }: AppGroup<DueEndpointRow>): Slots {
  const mostEach = Math.min(slots.mostEach, Math.max(1, Math.floor(slots.free / endpoints)))
  const slotsForFailing = rows.filter(({ failing }) => failing).length
  return { ...slots, mostEach, free: rows.length * mostEach, slotsForFailing }
}

/** Claims from these endpoints: in one transaction, or in one for each app if the tables are distributed. */
async function claimEndpoints(
  { database, due, distributed, instant, newToken }: ClaimDependencies,
  { leaseMs, maxInFlight }: ClaimRequest,
  endpoints: readonly DueEndpointRow[],
  slots: Slots,
): Promise<Claim> {
  const groups = groupByApp(endpoints, ({ appId }) => appId, distributed)
  const settled = await Promise.allSettled(
    groups.map((group) => {
      const request = {
        ...(groups.length === 1 ? slots : shareOf(slots, endpoints.length, group)),
        maxInFlight,
        leaseMs,
        notices: due.notices(),
        noLeaseBefore: due.noLeaseBefore(),
        now: instant(),
        newToken,
      }
      return database.transaction((on) => claimGroup(on, group, request))
    }),
  )
  const claims = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const failed = settled.find((one) => one.status === 'rejected')
  // What was claimed for other apps would be left unsent until the leases end.
  if (failed !== undefined && claims.every(({ claimed }) => claimed.length === 0)) throw failed.reason
  return {
    claimed: claims.flatMap(({ claimed }) => claimed),
    failingClaimed: claims.reduce((sum, { failingClaimed }) => sum + failingClaimed, 0),
    leftMs: claims.flatMap(({ leftMs }) => leftMs).concat(failed === undefined ? [] : [0]),
    passedOver: failed !== undefined || claims.some(({ passedOver }) => passedOver),
    hasMore: claims.some(({ hasMore }) => hasMore),
  }
}
