import type { DeliveryRecord, WebhookStore } from '@kyc-relay/webhooks/delivery'

/** One hour of deliveries by how they fared. */
export interface DeliveryHour {
  /** Beginning of the hour. */
  readonly from: Date
  /** Delivered by the first attempt. */
  readonly delivered: number
  /** Needed, or needs, more than one attempt. */
  readonly retried: number
  readonly failed: number
}

/** The last 24 hours of an app. */
export interface DeliveryDay {
  readonly hours: readonly DeliveryHour[]
  /** True when there were more deliveries than were counted: then the earliest hours are incomplete. */
  readonly incomplete: boolean
}

const hourMs = 60 * 60_000
const pageSize = 200
/** 5,000 deliveries are read for one page of the portal, and no more. */
const maxPages = 25

/** Counts the deliveries that were created in the 24 hours up to and with the present one. */
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

/** Counts by hour of creation, from `firstHour` (hours since 1970) on, 24 of them. */
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

/** Null for one that has not failed yet or was cancelled. */
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
