import type { ClaimedDelivery, WebhookStore } from '@kyc-relay/webhooks/delivery'
import { chooseFairly, type Waiting } from './claim-order.js'
import type { ClaimRequest } from './claim-request.js'
import {
  awaitSchedules,
  listWaiting,
  lockSchedules,
  openAttempts,
  removeUnsent,
  type DueEndpointRow,
  type ScheduleRow,
  type WaitingRow,
} from './claim-statements.postgres.js'
import type { DueEndpoints, Look, NoticesRead } from './due-endpoints.postgres.js'
import type { PostgresDatabase } from '../engine/postgres/database.js'
import type { Queryable } from '../engine/postgres/statement.js'
import { numberArray, textArray } from '../engine/postgres/parameters.js'
import { groupByApp, type AppGroup } from './by-app.postgres.js'
import { claimedOf, deliveryKeysOf } from './claimed-deliveries.postgres.js'
import { groupBy } from '../group-by.js'

export interface ClaimDependencies {
  readonly database: PostgresDatabase
  /** Endpoints that were due at the last look and are not claimed yet. */
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
const mostEndpoints = 64
/** The same while more than `many` endpoints are due. Each of them gets fewer deliveries at a time: all advance evenly. */
const mostOfMany = 128
const many = 256

/** Most looks of one call. It looks again, and then waits, when other processes held all endpoints. */
const mostLooks = 3

/** Claims due deliveries for this process. Caps hold over all processes on the database. */
export async function claimDue(
  dependencies: ClaimDependencies,
  request: ClaimRequest,
): Promise<Awaited<ReturnType<WebhookStore['claimDue']>>> {
  const { due, instant } = dependencies
  const claimed: ClaimedDelivery[] = []
  let forFailing = Math.max(0, request.limit - request.keepForHealthy)
  let lastLook: Look | null = null
  /** Due times of what was left waiting since the last look. */
  let leftMs: number[] = []
  let hasMore = false
  async function look(): Promise<Look> {
    leftMs = []
    hasMore = false
    return (lastLook = await due.look(instant(), request.maxInFlight))
  }
  try {
    for (let looks = 0; looks < mostLooks;) {
      const free = request.limit - claimed.length
      const slotsForFailing = Math.min(free, forFailing)
      const most = () => Math.min(free, due.count(slotsForFailing) > many ? mostOfMany : mostEndpoints)
      if (due.count(slotsForFailing) < Math.max(1, most())) {
        await look()
        looks += 1
      }
      const endpoints = due.take(most(), slotsForFailing)
      if (endpoints.length === 0) break
      // With as many endpoints as slots nobody gets a second one.
      const mostEach = endpoints.length === free ? 1 : Infinity
      const wait = looks > 1 && claimed.length === 0
      const slots = { free, slotsForFailing, mostEach, wait }
      const claim = await claimEndpoints(dependencies, request, endpoints, slots)
      claimed.push(...claim.claimed)
      leftMs.push(...claim.leftMs)
      forFailing -= claim.failingClaimed
      // Another endpoint may have a second due delivery for a slot that stayed free.
      hasMore ||= claim.hasMore
      if (claimed.length === request.limit) break
      // What waited for an endpoint at an earlier look may have moved to another one.
      const isUpToDate = looks > 0 && !claim.passedOver
      const nobodyIsLeft = due.count(forFailing) === 0 && !hasMore && (claimed.length > 0 || isUpToDate)
      if (nobodyIsLeft) break
    }
    if (due.count(Infinity) > 0) return { claimed, nextDueInMs: 0 }
    const { nowMs, nextDueMs } = lastLook ?? (await look())
    // `nextDueMs` leaves out the endpoints that this look listed.
    if (due.count(Infinity) > 0) return { claimed, nextDueInMs: 0 }
    const nextMs = Math.min(nextDueMs ?? Infinity, ...leftMs)
    return { claimed, nextDueInMs: nextMs === Infinity ? null : Math.max(0, nextMs - nowMs) }
  } catch (error) {
    // An error now would leave the claimed deliveries unsent until their leases end.
    if (claimed.length === 0) throw error
    return { claimed, nextDueInMs: 0 }
  }
}

interface Slots {
  readonly free: number
  readonly slotsForFailing: number
  /** Most deliveries of one endpoint. */
  readonly mostEach: number
  /** True to wait for schedules that others hold, else they are passed over. */
  readonly wait: boolean
}

interface Claim {
  readonly claimed: readonly ClaimedDelivery[]
  readonly failingClaimed: number
  /** Due times of the first deliveries left waiting, one for each endpoint; now for an endpoint that was passed over. */
  readonly leftMs: readonly number[]
  /** True if a schedule was held by another transaction. */
  readonly passedOver: boolean
  /** True if `mostEach` left a due delivery of an endpoint with room. */
  readonly hasMore: boolean
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
        ...{ maxInFlight, leaseMs, notices: due.notices() },
        ...{ noLeaseBefore: due.noLeaseBefore(), now: instant(), newToken },
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

interface GroupRequest extends Slots, Pick<ClaimRequest, 'leaseMs' | 'maxInFlight'> {
  readonly notices: NoticesRead
  readonly noLeaseBefore: Date
  readonly now: Date | null
  readonly newToken: () => string
}

/** Locks schedules, counts their attempts in flight, and claims at most the room of each, in one transaction. */
async function claimGroup(
  on: Queryable,
  { appId, rows }: AppGroup<DueEndpointRow>,
  request: GroupRequest,
): Promise<Claim> {
  const lock = request.wait ? awaitSchedules : lockSchedules
  const locked = await lock.rows(on, { appId, ...keysOf(rows), ...request.notices, now: request.now })
  const passedOver = locked.length < rows.length
  const now = locked[0]?.now
  if (now === undefined) return { claimed: [], failingClaimed: 0, leftMs: [0], passedOver, hasMore: false }

  const schedules = await readSchedules(on, appId, locked, request)
  const chosen = chooseFairly<WaitingRow, (typeof schedules)[number]>(schedules, {
    limit: request.free,
    keepForHealthy: request.free - request.slotsForFailing,
  })
  const after = schedules.map((schedule) => {
    const count = chosen.filter((each) => each.schedule === schedule).length
    const left = schedule.all.filter((one) => !schedule.waiting.slice(0, count).includes(one))
    const nextDueMs = left.length === 0 ? null : Math.min(...left.map(({ dueAtMs }) => dueAtMs))
    return { row: schedule.row, count, nextDueMs }
  })
  // An endpoint with nothing waiting needs no write: its next delivery sets `next_due_at`.
  const changed = after.filter(
    ({ row, count, nextDueMs }) =>
      nextDueMs !== (row.nextDueAt?.getTime() ?? null) || (nextDueMs !== null && count > 0),
  )
  const leased = chosen.map(({ schedule, waiting: { id } }) => ({
    appId: schedule.row.appId,
    deliveryId: id.deliveryId,
    attempt: id.attemptsMade + 1,
    token: request.newToken(),
    unsentSince: id.unsentSince,
  }))
  let claimed: readonly ClaimedDelivery[] = []
  if (leased.length > 0 || changed.length > 0) {
    const rows = await openAttempts.rows(on, {
      appId,
      now,
      leaseMs: request.leaseMs,
      ...keysOf(chosen.map(({ schedule }) => schedule.row)),
      positions: numberArray(chosen.map(({ waiting }) => waiting.position)),
      deliveryIds: textArray(leased.map(({ deliveryId }) => deliveryId)),
      attempts: numberArray(leased.map(({ attempt }) => attempt)),
      tokens: textArray(leased.map(({ token }) => token)),
      scheduleAppIds: textArray(changed.map(({ row }) => row.appId)),
      scheduleEndpointIds: textArray(changed.map(({ row }) => row.endpointId)),
      nextDueAts: changed.map(({ nextDueMs }) => (nextDueMs === null ? null : new Date(nextDueMs))),
      lastClaimedAts: changed.map(({ row, count }) => (count > 0 ? now : row.lastClaimedAt)),
    })
    claimed = claimedOf(leased, rows, now.getTime())
  }
  const unsent = leased.filter(({ unsentSince }) => unsentSince !== null)
  if (unsent.length > 0) {
    const attempts = unsent.map(({ attempt }) => attempt)
    await removeUnsent.count(on, { appId, ...deliveryKeysOf(unsent), attempts })
  }
  return {
    claimed,
    failingClaimed: chosen.filter(({ schedule }) => schedule.failing).length,
    leftMs: after.flatMap(({ nextDueMs }) => (nextDueMs === null ? [] : [nextDueMs])).concat(passedOver ? [0] : []),
    passedOver,
    hasMore: schedules.some(({ hasMore }) => hasMore),
  }
}

/** Reads the first waiting deliveries of locked schedules, and which of them have a free slot. */
async function readSchedules(
  on: Queryable,
  appId: string | null,
  locked: readonly ScheduleRow[],
  { maxInFlight, mostEach, noLeaseBefore }: GroupRequest,
) {
  const each = Math.min(mostEach, Math.max(maxInFlight.healthy, maxInFlight.failing)) + 1
  const rows = await listWaiting.rows(on, {
    appId,
    ...keysOf(locked),
    firstDueAts: locked.map(({ firstDueAt }) => firstDueAt),
    pauses: locked.map(({ paused }) => paused),
    noLeaseBefore,
    each,
  })
  const byPlace = groupBy(rows, ({ place }) => place)
  return locked.map((row, index) => {
    const found = byPlace.get(index + 1) ?? []
    const inFlight = found[0]?.inFlight ?? 0
    const all = found.flatMap<Waiting<WaitingRow>>((one) =>
      one.position === null ? [] : [{ id: one, dueAtMs: one.dueAtMs, position: one.position }],
    )
    const cap = row.failing ? maxInFlight.failing : maxInFlight.healthy
    const room = Math.max(0, cap - inFlight)
    const due = all.filter(({ dueAtMs }) => dueAtMs <= row.now.getTime()).slice(0, room)
    const waiting = due.slice(0, mostEach)
    const firstDueMs = all.length === 0 ? 0 : Math.min(...all.map(({ dueAtMs }) => dueAtMs))
    const waitingSinceMs = Math.max(firstDueMs, row.lastClaimedAt?.getTime() ?? 0)
    return { row, failing: row.failing, waitingSinceMs, all, waiting, hasMore: due.length > waiting.length }
  })
}

function keysOf(rows: readonly { readonly appId: string; readonly endpointId: string }[]) {
  return {
    appIds: textArray(rows.map(({ appId }) => appId)),
    endpointIds: textArray(rows.map(({ endpointId }) => endpointId)),
  }
}
