import { describe, expect, test } from 'vitest'
import { PHOTO_FAILURES } from '../../src/photos/photo-failure.js'
import { PHOTO_OWN_FAULT_WINDOW_MS, PHOTO_WINDOW_MS } from '../../src/photos/photo-outcome.js'
import { photoOutcome, type PhotoAttempt, type PhotoFailure } from '@kyc-relay/kyc-core/internal'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

const failed = (failure: PhotoFailure, gone?: boolean): PhotoAttempt => ({
  kind: 'failed',
  failure,
  ...(gone === undefined ? {} : { gone }),
})
const retry = (retryInMs: number, failure: PhotoFailure | null) => ({ state: 'RETRYING', retryInMs, failure })

describe('what becomes of a photo after an attempt', () => {
  test.each<[PhotoAttempt, number, number, object]>([
    [{ kind: 'stored' }, 1, 5, { state: 'STORED' }],
    [{ kind: 'stored' }, 40, 5 * PHOTO_WINDOW_MS, { state: 'STORED' }],
    [failed('URL_NOT_ALLOWED'), 1, 5, { state: 'REFUSED', failure: 'URL_NOT_ALLOWED' }],
    [failed('URL_UNREADABLE'), 1, 5, { state: 'UNAVAILABLE', failure: 'URL_UNREADABLE' }],
    [failed('HTTP_STATUS', true), 1, 5, { state: 'UNAVAILABLE', failure: 'HTTP_STATUS' }],
    [failed('HTTP_STATUS', false), 1, 5, retry(minuteMs, 'HTTP_STATUS')],
    [{ kind: 'interrupted' }, 1, 5, retry(0, null)],
    [{ kind: 'interrupted' }, 40, 5 * PHOTO_WINDOW_MS, retry(0, null)],
    [failed('TIMEOUT'), 1, 0, retry(minuteMs, 'TIMEOUT')],
    [failed('TIMEOUT'), 2, minuteMs, retry(2 * minuteMs, 'TIMEOUT')],
    [failed('TIMEOUT'), 6, hourMs, retry(32 * minuteMs, 'TIMEOUT')],
    [failed('TIMEOUT'), 7, hourMs, retry(hourMs, 'TIMEOUT')],
    [failed('TIMEOUT'), 2_000, hourMs, retry(hourMs, 'TIMEOUT')],
    [failed('TIMEOUT'), 29, PHOTO_WINDOW_MS - 7, retry(7, 'TIMEOUT')],
    [failed('NOT_A_PHOTO'), 1, PHOTO_WINDOW_MS - 1, retry(1, 'NOT_A_PHOTO')],
    [failed('NOT_A_PHOTO'), 30, PHOTO_WINDOW_MS, { state: 'REFUSED', failure: 'NOT_A_PHOTO' }],
    [failed('TIMEOUT'), 30, PHOTO_WINDOW_MS, { state: 'UNAVAILABLE', failure: 'TIMEOUT' }],
    [failed('TIMEOUT'), 1, PHOTO_WINDOW_MS + 1, { state: 'UNAVAILABLE', failure: 'TIMEOUT' }],
    [failed('RESOLVER_DOWN'), 1, PHOTO_WINDOW_MS, retry(minuteMs, 'RESOLVER_DOWN')],
    [failed('RESOLVER_DOWN'), 90, PHOTO_OWN_FAULT_WINDOW_MS - 1, retry(1, 'RESOLVER_DOWN')],
    [failed('RESOLVER_DOWN'), 90, PHOTO_OWN_FAULT_WINDOW_MS, { state: 'UNAVAILABLE', failure: 'RESOLVER_DOWN' }],
  ])('%o at attempt %i after %i ms', (attempt, number, queuedForMs, outcome) => {
    expect(photoOutcome(attempt, { attempt: number, queuedForMs })).toEqual(outcome)
  })

  test('every failure ends as REFUSED where something was not taken, as UNAVAILABLE otherwise', () => {
    const refused = PHOTO_FAILURES.filter((failure) => {
      const outcome = photoOutcome(failed(failure), { attempt: 90, queuedForMs: PHOTO_OWN_FAULT_WINDOW_MS })
      expect(outcome).toMatchObject({ failure })
      return outcome.state === 'REFUSED'
    })
    expect(refused).toEqual([
      'URL_NOT_ALLOWED',
      'REDIRECT_NOT_ALLOWED',
      'ADDRESS_NOT_ALLOWED',
      'TOO_MANY_REDIRECTS',
      'TOO_LARGE',
      'NOT_A_PHOTO',
    ])
  })

  test('a failure of our own is tried for three days, any other for one', () => {
    const own = PHOTO_FAILURES.filter(
      (failure) => photoOutcome(failed(failure), { attempt: 40, queuedForMs: PHOTO_WINDOW_MS }).state === 'RETRYING',
    )
    expect(own).toEqual([
      'RESOLVER_DOWN',
      'OUT_OF_SOCKETS',
      'PROXY_FAILED',
      'VAULT_UNAVAILABLE',
      'PHOTO_STORE_UNAVAILABLE',
      'INTERNAL_ERROR',
    ])
  })

  test('a photo that is never there is tried often at first, then hourly, and a last time after exactly 24 hours', () => {
    const triedAtMs: number[] = []
    let queuedForMs = 0
    for (let attempt = 1; ; attempt++) {
      triedAtMs.push(queuedForMs)
      const outcome = photoOutcome(failed('HTTP_STATUS'), { attempt, queuedForMs })
      if (outcome.state !== 'RETRYING') break
      queuedForMs += outcome.retryInMs
    }
    expect(triedAtMs.slice(0, 8).map((ms) => ms / minuteMs)).toEqual([0, 1, 3, 7, 15, 31, 63, 123])
    expect(triedAtMs.at(-1)).toBe(PHOTO_WINDOW_MS)
    expect(triedAtMs).toHaveLength(30)
  })
})
