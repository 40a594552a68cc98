import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { propertyRuns } from '../../../../scripts/test-sizes.js'
import { defaultRetryPolicy, parseRetryAfter, retryDelayMs } from '../../src/delivery/retry-schedule.js'

const seconds = 1_000
const minutes = 60 * seconds

describe('retryDelayMs', () => {
  test.each([
    [1, 30 * seconds],
    [2, 3 * minutes],
    [3, 18 * minutes],
    [4, 108 * minutes],
  ])('after attempt %i nominally %i ms', (attempt, nominalMs) => {
    expect(retryDelayMs(attempt)).toBe(nominalMs)
    expect(retryDelayMs(attempt, undefined, () => 0)).toBe(nominalMs * 0.8)
    expect(retryDelayMs(attempt, {}, () => 0.5)).toBe(nominalMs)
    expect(retryDelayMs(attempt, {}, () => 1)).toBe(nominalMs * 1.2)
    expect(retryDelayMs(attempt, {}, () => 1 - 2 ** -53)).toBe(nominalMs * 1.2)
  })

  test.each([0, 5, 6, -1, 1.5, NaN, Infinity])('no attempt follows attempt %d', (attempt) => {
    expect(() => retryDelayMs(attempt)).toThrow(
      new RangeError('retryDelayMs: attempt must be a whole number from 1 to maxAttempts - 1.'),
    )
  })

  test.each([NaN, -1, 2, undefined])('no delay is of a chance of %s', (chance) => {
    expect(() => retryDelayMs(1, {}, () => chance as never)).toThrow(
      new RangeError('retryDelayMs: random must return a number from 0 up to 1.'),
    )
  })

  test.each([{ basMs: 1 }, { baseMs: null }, { baseMs: '30' }, { factor: NaN }, { jitter: -1 }, { jitter: 1.5 }])(
    'no delay is of the policy %j',
    (policy) => {
      expect(() => retryDelayMs(1, policy as never)).toThrow(
        /^retryDelayMs: (?:the policy has an unknown setting, or one|jitter must be)/,
      )
    },
  )

  test('every part of the policy counts, and the rest keeps its default', () => {
    expect([1, 2].map((attempt) => retryDelayMs(attempt, { baseMs: 10, factor: 2, maxAttempts: 3 }))).toEqual([10, 20])
    expect(() => retryDelayMs(3, { maxAttempts: 3 })).toThrow(RangeError)
    expect(retryDelayMs(1, { jitter: 0 }, () => 0)).toBe(30 * seconds)
    const absent = { maxAttempts: undefined, baseMs: undefined, factor: undefined, jitter: undefined }
    expect(retryDelayMs(2, absent as never)).toBe(3 * minutes)
  })

  test('all attempts together take about two hours and ten minutes', () => {
    const total = [1, 2, 3, 4].reduce((sum, attempt) => sum + retryDelayMs(attempt), 0)
    expect(total / minutes).toBe(129.5)
  })

  test('jitter spreads a crowd: no second holds more than three times the mean', () => {
    let state = 42
    const random = () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647
    const buckets = new Map<number, number>()
    for (let n = 0; n < 12_000; n += 1) {
      const second = Math.floor(retryDelayMs(1, {}, random) / seconds)
      buckets.set(second, (buckets.get(second) ?? 0) + 1)
    }
    expect(buckets.size).toBeGreaterThanOrEqual(12)
    expect(Math.max(...buckets.values())).toBeLessThan(3 * (12_000 / 12))
  })
})

describe('parseRetryAfter', () => {
  const now = new Date('2026-03-01T12:00:00.500Z')

  test.each([
    ['0', 0],
    ['1', 1_000],
    ['120', 120_000],
    ['007', 7_000],
    [' 5 ', 5_000],
    ['1000000000000', 1e15],
    ['Sun, 01 Mar 2026 12:00:30 GMT', 29_500],
    ['Sun, 01 Mar 2026 11:00:00 GMT', 0],
    ['Mon, 29 Feb 2028 00:00:00 GMT', Date.UTC(2028, 1, 29) - now.getTime()],
  ])('%j is %d ms', (header, ms) => {
    expect(parseRetryAfter(header, now)).toBe(ms)
  })

  test.each([
    '',
    ' ',
    '-1',
    '+5',
    '1.5',
    '1e3',
    '0x10',
    '5s',
    '5, 10',
    '9'.repeat(16),
    '٣',
    'soon',
    'NaN',
    'Infinity',
    '2026-03-01T12:00:30Z',
    'Sun, 01 Mar 2026 12:00:30',
    'Sun, 01 Mar 2026 12:00:30 UTC',
    'Sun, 01 Mar 2026 24:00:00 GMT',
    'Sun, 01 Mar 2026 12:60:00 GMT',
    'Sun, 01 Mar 2026 12:00:60 GMT',
    'Sun, 30 Feb 2026 12:00:00 GMT',
    'Sun, 29 Feb 2026 12:00:00 GMT',
    'Sun, 00 Mar 2026 12:00:00 GMT',
    'sun, 01 mar 2026 12:00:30 gmt',
    'Sun, 1 Mar 2026 12:00:30 GMT',
    'Sunday, 01-Mar-26 12:00:30 GMT',
    'Sun Mar  1 12:00:30 2026',
    'Sun, 01 Mar 0050 12:00:30 GMT',
  ])('%j is nothing', (header) => {
    expect(parseRetryAfter(header, now)).toBeNull()
  })

  test('absent is nothing', () => {
    expect(parseRetryAfter(undefined, now)).toBeNull()
    expect(parseRetryAfter(null, now)).toBeNull()
  })

  test('any text gives null or a whole number that is not negative', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.nat().map(String)), (header) => {
        const ms = parseRetryAfter(header, now)
        expect(ms === null || (Number.isInteger(ms) && ms >= 0)).toBe(true)
      }),
      propertyRuns(1, 2_000),
    )
  })
})

test('the longest Retry-After is two hours', () => {
  expect(defaultRetryPolicy.maxRetryAfterMs).toBe(120 * minutes)
})
