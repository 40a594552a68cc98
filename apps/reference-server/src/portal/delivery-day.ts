import type { DeliveryRecord, WebhookStore } from '@kyc-relay/webhooks/delivery'

/** Deliveries of one hour by outcome. */
export interface DeliveryHour {
  /** Start of the hour. */
  readonly from: Date
  /** Number delivered by the first attempt. */
  readonly delivered: number
  /** Number with more than one attempt. */
  readonly retried: number
  readonly failed: number
}

/** The last 24 hours of an app. */
export interface DeliveryDay {
  readonly hours: readonly DeliveryHour[]
  /** True when not all deliveries were counted. The earliest hours are then incomplete. */
  readonly incomplete: boolean
}

const hourMs = 60 * 60_000
const pageSize = 200
/** Reads at most 5,000 deliveries for one page of the portal. */
const maxPages = 25

/** Counts the deliveries of the last 24 hours, including the current one. */
export async function countDeliveryDay(
  store: Pick<WebhookStore, 'listDeliveries'>,
  appId: string,
  now: Date,
): Promise<DeliveryDay> {
  const firstHour = Math.floor(now.getTime() / hourMs) - 23
  const deliveries: DeliveryRecord[] = []
  let cursor: string | undefined
  let incomplete = false
  for (let page = 0; ; page += 1) {
    if (page === maxPages) {
      incomplete = true
      break
    }
    const { items, nextCursor } = await store.listDeliveries({ appId, limit: pageSize, ...(cursor ? { cursor } : {}) })
    const within = items.filter((delivery) => hourOf(delivery) >= firstHour)
    deliveries.push(...within)
    if (nextCursor === null || within.length < items.length) break
    cursor = nextCursor
  }
  return { hours: countHours(deliveries, firstHour), incomplete }
}

/** Counts by hour of creation, for 24 hours from `firstHour` (hours since 1970). */
export function countHours(deliveries: readonly DeliveryRecord[], firstHour: number): DeliveryHour[] {
  return Array.from({ length: 24 }, (_, index) => {
    const hour = firstHour + index
    const outcomes = deliveries.filter((delivery) => hourOf(delivery) === hour).map(outcomeOf)
    const count = (outcome: ReturnType<typeof outcomeOf>) => outcomes.filter((one) => one === outcome).length
    return {
      from: new Date(hour * hourMs),
      delivered: count('delivered'),
      retried: count('retried'),
      failed: count('failed'),
    }
  })
}

function hourOf(delivery: DeliveryRecord): number {
  return Math.floor(delivery.createdAt.getTime() / hourMs)
}

/** Returns the outcome of a delivery; null for one without a failure so far, or cancelled. */
function outcomeOf({ state, attemptsMade, nextAttemptAt }: DeliveryRecord): 'delivered' | 'retried' | 'failed' | null {
  switch (state) {
    case 'FAILED':
      return 'failed'
    case 'DELIVERED':
      return attemptsMade > 1 ? 'retried' : 'delivered'
    case 'PENDING':
      return attemptsMade > 1 || (attemptsMade === 1 && nextAttemptAt !== null) ? 'retried' : null
    case 'CANCELLED':
      return null
  }
}
