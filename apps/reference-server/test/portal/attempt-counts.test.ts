import type { EndpointHour } from '@kyc-relay/webhooks/delivery'
import type { AttemptCause } from '@kyc-relay/webhooks/internal'
import { describe, expect, it } from 'vitest'
import { countDay, dayStart, monthStart, totalsOf } from '../../src/portal/attempt-counts.js'

const now = new Date('2026-03-02T15:04:05.000Z')
const at = (hour: string) => new Date(`2026-03-${hour}:00:00.000Z`)

function row(hour: string, cause: AttemptCause | null, counts: readonly [number, number, number]): EndpointHour {
  const [attempts, firstAttempts, failedDeliveries] = counts
  return { endpointId: 'endpoint', hour: at(hour), cause, attempts, firstAttempts, failedDeliveries }
}

const rows = [
  row('01T15', null, [1, 1, 0]),
  row('01T16', null, [10, 7, 0]),
  row('02T15', 'TIMEOUT', [4, 3, 1]),
  row('02T15', 'HTTP_STATUS', [9, 3, 1]),
  row('02T15', null, [2, 2, 0]),
]

describe('counts of attempts', () => {
  it('begin with whole hours', () => {
    expect([dayStart(now), monthStart(now)]).toEqual([at('01T16'), new Date('2026-01-31T16:00:00.000Z')])
  })

  it('become 24 hours: at once, with retries, failed', () => {
    const hours = countDay(rows, now)
    expect(hours.length).toBe(24)
    expect(hours[0]).toEqual({ from: at('01T16'), delivered: 7, retried: 3, failed: 0 })
    expect(hours[1]).toEqual({ from: at('01T17'), delivered: 0, retried: 0, failed: 0 })
    expect(hours[23]).toEqual({ from: at('02T15'), delivered: 2, retried: 0, failed: 2 })
  })

  it('become totals, with the most frequent cause first', () => {
    expect(totalsOf(rows)).toEqual({
      delivered: 10,
      retried: 3,
      failed: 2,
      successRate: 13 / 15,
      causes: [
        { cause: 'HTTP_STATUS', attempts: 9 },
        { cause: 'TIMEOUT', attempts: 4 },
      ],
    })
    expect(totalsOf([])).toEqual({ delivered: 0, retried: 0, failed: 0, successRate: null, causes: [] })
    expect(totalsOf([row('02T15', 'TIMEOUT', [1, 1, 0])]).successRate).toBe(null)
  })
})
