import { describe, expect, test } from 'vitest'
import { PHOTO_OWN_FAULT_WINDOW_MS, PHOTO_WINDOW_MS, photoOutcome, type PhotoAttempt } from '@kyc-relay/kyc-core'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

describe('what becomes of a photo after an attempt', () => {
  test.each<[PhotoAttempt['kind'], number, number, object]>([
    ['stored', 1, 5, { state: 'STORED' }],
    ['stored', 40, 5 * PHOTO_WINDOW_MS, { state: 'STORED' }],
    ['hopeless', 1, 5, { state: 'UNAVAILABLE' }],
    ['interrupted', 1, 5, { state: 'PENDING', retryInMs: 0 }],
    ['interrupted', 40, 5 * PHOTO_WINDOW_MS, { state: 'PENDING', retryInMs: 0 }],
    ['refused', 1, 0, { state: 'PENDING', retryInMs: minuteMs }],
    ['refused', 2, minuteMs, { state: 'PENDING', retryInMs: 2 * minuteMs }],
    ['refused', 6, hourMs, { state: 'PENDING', retryInMs: 32 * minuteMs }],
    ['refused', 7, hourMs, { state: 'PENDING', retryInMs: hourMs }],
    ['refused', 2_000, hourMs, { state: 'PENDING', retryInMs: hourMs }],
    ['refused', 29, PHOTO_WINDOW_MS - 7, { state: 'PENDING', retryInMs: 7 }],
    ['refused', 1, PHOTO_WINDOW_MS - 1, { state: 'PENDING', retryInMs: 1 }],
    ['refused', 30, PHOTO_WINDOW_MS, { state: 'UNAVAILABLE' }],
    ['refused', 1, PHOTO_WINDOW_MS + 1, { state: 'UNAVAILABLE' }],
    ['own_fault', 1, PHOTO_WINDOW_MS, { state: 'PENDING', retryInMs: minuteMs }],
    ['own_fault', 90, PHOTO_OWN_FAULT_WINDOW_MS - 1, { state: 'PENDING', retryInMs: 1 }],
    ['own_fault', 90, PHOTO_OWN_FAULT_WINDOW_MS, { state: 'UNAVAILABLE' }],
  ])('%s at attempt %i after %i ms', (kind, attempt, queuedForMs, outcome) => {
    expect(photoOutcome({ kind }, { attempt, queuedForMs })).toEqual(outcome)
  })

  test('a photo that is never there is tried often at first, then hourly, and a last time after exactly 24 hours', () => {
    const triedAtMs: number[] = []
    let queuedForMs = 0
    for (let attempt = 1; ; attempt++) {
      triedAtMs.push(queuedForMs)
      const outcome = photoOutcome({ kind: 'refused' }, { attempt, queuedForMs })
      if (outcome.state !== 'PENDING') break
      queuedForMs += outcome.retryInMs
    }
    expect(triedAtMs.slice(0, 8).map((ms) => ms / minuteMs)).toEqual([0, 1, 3, 7, 15, 31, 63, 123])
    expect(triedAtMs.at(-1)).toBe(PHOTO_WINDOW_MS)
    expect(triedAtMs).toHaveLength(30)
  })
})
