import type { EndpointHour } from '@kyc-relay/webhooks/delivery'
import type { AttemptCause } from '@kyc-relay/webhooks/internal'

/** Deliveries that ended in one hour, by outcome. */
export interface DeliveryHour {
  /** Start of the hour. */
  readonly from: Date
  /** Number delivered by the first attempt. */
  readonly delivered: number
  /** Number delivered by a later attempt. */
  readonly retried: number
  readonly failed: number
}

/** What became of the attempts of a time range. */
export interface AttemptTotals {
  readonly delivered: number
  readonly retried: number
  readonly failed: number
  /** Share of the deliveries that ended by an attempt and were acknowledged, 0 to 1; null without one. */
  readonly successRate: number | null
  /** Failed attempts by cause, the most frequent first. */
  readonly causes: readonly { readonly cause: AttemptCause; readonly attempts: number }[]
}

const hourMs = 60 * 60_000

/** The first of the last 24 hours, the current one included. */
export const dayStart = (now: Date): Date => new Date((Math.floor(now.getTime() / hourMs) - 23) * hourMs)

/** The start of the last 30 days. */
export const monthStart = (now: Date): Date => new Date((Math.floor(now.getTime() / hourMs) - 30 * 24 + 1) * hourMs)

const sum = (rows: readonly EndpointHour[], count: (row: EndpointHour) => number) =>
  rows.reduce((total, row) => total + count(row), 0)

function outcomesOf(rows: readonly EndpointHour[]) {
  const acknowledged = rows.filter(({ cause }) => cause === null)
  const delivered = sum(acknowledged, ({ firstAttempts }) => firstAttempts)
  return {
    delivered,
    retried: sum(acknowledged, ({ attempts }) => attempts) - delivered,
    failed: sum(rows, ({ failedDeliveries }) => failedDeliveries),
  }
}

/** Splits counts into the last 24 hours, earliest first. */
export function countDay(rows: readonly EndpointHour[], now: Date): readonly DeliveryHour[] {
  const start = dayStart(now).getTime()
  return Array.from({ length: 24 }, (_, index) => {
    const from = new Date(start + index * hourMs)
    return { from, ...outcomesOf(rows.filter(({ hour }) => hour.getTime() === from.getTime())) }
  })
}

/** Adds up counts. */
export function totalsOf(rows: readonly EndpointHour[]): AttemptTotals {
  const outcomes = outcomesOf(rows)
  const acknowledged = outcomes.delivered + outcomes.retried
  const ended = acknowledged + outcomes.failed
  const failures = rows.flatMap(({ cause }) => (cause === null ? [] : [cause]))
  const causes = [...new Set(failures)].map((cause) => ({
    cause,
    attempts: sum(
      rows.filter((row) => row.cause === cause),
      ({ attempts }) => attempts,
    ),
  }))
  return {
    ...outcomes,
    successRate: ended === 0 ? null : acknowledged / ended,
    causes: causes.sort((one, other) => other.attempts - one.attempts),
  }
}
