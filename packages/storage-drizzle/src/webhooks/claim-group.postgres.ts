import type { ClaimedDelivery } from '@kyc-relay/webhooks/delivery'
import type { AppGroup } from './by-app.postgres.js'
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
import { claimedOf, deliveryKeysOf } from './claimed-deliveries.postgres.js'
import type { NoticesRead } from './due-endpoints.postgres.js'
import { numberArray, textArray } from '../engine/postgres/parameters.js'
import type { Queryable } from '../engine/postgres/statement.js'
import { groupBy } from '../group-by.js'

export interface Slots {
  readonly free: number
  readonly slotsForFailing: number
  /** Most deliveries of one endpoint. */
  readonly mostEach: number
  /** True to wait for schedules that others hold, else they are passed over. */
  readonly wait: boolean
}

export interface Claim {
  readonly claimed: readonly ClaimedDelivery[]
  readonly failingClaimed: number
  /** Due times of the first deliveries left waiting, one for each endpoint; now for an endpoint that was passed over. */
  readonly leftMs: readonly number[]
  /** True if a schedule was held by another transaction. */
  readonly passedOver: boolean
  /** True if `mostEach` left a due delivery of an endpoint with room. */
  readonly hasMore: boolean
}

interface GroupRequest extends Slots, Pick<ClaimRequest, 'leaseMs' | 'maxInFlight'> {
  readonly notices: NoticesRead
  readonly noLeaseBefore: Date
  readonly now: Date | null
  readonly newToken: () => string
}

/** Locks schedules, counts their attempts in flight, and claims at most the room of each, in one transaction. */
export async function claimGroup(
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
  const chosen = chooseFairly<WaitingRow, Schedule>(schedules, {
    limit: request.free,
    keepForHealthy: request.free - request.slotsForFailing,
  })
  const after = schedules.map((schedule) => scheduleAfter(schedule, chosen))
  return {
    claimed: await startAttempts(on, { appId, now, chosen, after }, request),
    failingClaimed: chosen.filter(({ schedule }) => schedule.failing).length,
    leftMs: after.flatMap(({ nextDueMs }) => (nextDueMs === null ? [] : [nextDueMs])).concat(passedOver ? [0] : []),
    passedOver,
    hasMore: schedules.some(({ hasMore }) => hasMore),
  }
}

type Schedule = Awaited<ReturnType<typeof readSchedules>>[number]
type Chosen = ReturnType<typeof chooseFairly<WaitingRow, Schedule>>

/** Counts what a schedule gives to the claim, and finds what it has next. */
function scheduleAfter(schedule: Schedule, chosen: Chosen) {
  const count = chosen.filter((each) => each.schedule === schedule).length
  const left = schedule.all.filter((one) => !schedule.waiting.slice(0, count).includes(one))
  const nextDueMs = left.length === 0 ? null : Math.min(...left.map(({ dueAtMs }) => dueAtMs))
  return { row: schedule.row, count, nextDueMs }
}

/** Leases the chosen deliveries, starts their attempts, and writes the schedules that change. */
async function startAttempts(
  on: Queryable,
  claim: {
    readonly appId: string | null
    readonly now: Date
    readonly chosen: Chosen
    readonly after: readonly ReturnType<typeof scheduleAfter>[]
  },
  { leaseMs, newToken }: GroupRequest,
): Promise<readonly ClaimedDelivery[]> {
  const { appId, now, chosen, after } = claim
  // An endpoint with nothing waiting needs no write: its next delivery sets `next_due_at`.
  const changed = after.filter(
    ({ row, count, nextDueMs }) =>
      nextDueMs !== (row.nextDueAt?.getTime() ?? null) || (nextDueMs !== null && count > 0),
  )
  const leased = chosen.map(({ schedule, waiting: { id } }) => ({
    appId: schedule.row.appId,
    deliveryId: id.deliveryId,
    attempt: id.attemptsMade + 1,
    token: newToken(),
    unsentSince: id.unsentSince,
  }))
  if (leased.length === 0 && changed.length === 0) return []
  const rows = await openAttempts.rows(on, {
    appId,
    now,
    leaseMs,
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
  const unsent = leased.filter(({ unsentSince }) => unsentSince !== null)
  if (unsent.length > 0) {
    const attempts = unsent.map(({ attempt }) => attempt)
    await removeUnsent.count(on, { appId, ...deliveryKeysOf(unsent), attempts })
  }
  return claimedOf(leased, rows, now.getTime())
}

/** Reads the first waiting deliveries of locked schedules, and which of them have a free slot. */
async function readSchedules(
  on: Queryable,
  appId: string | null,
  locked: readonly ScheduleRow[],
  { maxInFlight, mostEach, noLeaseBefore, now }: GroupRequest,
) {
  const each = Math.min(mostEach, Math.max(maxInFlight.healthy, maxInFlight.failing)) + 1
  const rows = await listWaiting.rows(on, {
    appId,
    ...keysOf(locked),
    firstDueAts: locked.map(({ firstDueAt }) => firstDueAt),
    pauses: locked.map(({ paused }) => paused),
    noLeaseBefore,
    now,
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
