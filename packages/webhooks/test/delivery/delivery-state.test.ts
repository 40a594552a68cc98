import { describe, expect, test } from 'vitest'
import { attemptStateOf, reportOfCause, attemptResultOf } from '../../src/delivery/delivery-state.js'
import type { AttemptCause, AttemptReport, AttemptState } from '../../src/delivery/webhook-store.js'

const stateByCause: Readonly<Record<AttemptCause, Exclude<AttemptState, 'STARTED'>>> = {
  HTTP_STATUS: 'FAILED',
  REDIRECT: 'FAILED',
  TIMEOUT: 'FAILED',
  CONNECT_FAILED: 'FAILED',
  TLS_FAILED: 'FAILED',
  DNS_FAILED: 'FAILED',
  ENDPOINT_NOT_ALLOWED: 'FAILED',
  CONNECTION_LOST: 'FAILED',
  INVALID_RESPONSE: 'FAILED',
  INTERNAL_ERROR: 'FAILED',
  INTERRUPTED: 'INTERRUPTED',
  SIGNING_KEY_MISSING: 'UNSENT',
  RESOLVER_DOWN: 'UNSENT',
  GRANTS_UNAVAILABLE: 'UNSENT',
  OUT_OF_SOCKETS: 'UNSENT',
  NO_TIME_LEFT: 'UNSENT',
  HEADERS_UNAVAILABLE: 'UNSENT',
  PROXY_FAILED: 'UNSENT',
  BODY_UNAVAILABLE: 'UNSENT',
  GRANT_REVOKED: 'UNSENT',
  USER_ERASED: 'UNSENT',
}
const causes = Object.keys(stateByCause) as AttemptCause[]
const dayMs = 86_400_000

const now = new Date('2026-03-01T12:00:00Z')
type Context = Omit<Parameters<typeof attemptResultOf>[2], 'now' | 'random'>
const resultAfter = (
  attempt: number,
  report: AttemptReport,
  { unsentForMs = 0, random = 0.5, ...policy }: Context & { unsentForMs?: number; random?: number } = {},
) =>
  attemptResultOf({ fence: { appId: 'a', deliveryId: 'd', attempt, token: 't' }, unsentForMs }, report, {
    now,
    random: () => random,
    ...policy,
  })
const succeeded: AttemptReport = { ...reportOfCause('HTTP_STATUS'), cause: null, status: 204 }
const answered = (headers: Record<string, string>): AttemptReport => ({
  ...reportOfCause('HTTP_STATUS'),
  status: 503,
  responseHeaders: headers,
})

describe.each(causes)('%s', (cause) => {
  test.each([1, 2, 3, 4, 5])('ends attempt %i as the schedule says', (attempt) => {
    const result = resultAfter(attempt, reportOfCause(cause))
    const state = stateByCause[cause]
    expect(attemptStateOf(cause)).toBe(state)
    expect(result.attempt).toEqual({ state, report: reportOfCause(cause) })
    expect(result.fence).toEqual({ appId: 'a', deliveryId: 'd', attempt, token: 't' })
    if (cause === 'GRANT_REVOKED' || cause === 'USER_ERASED')
      expect(result.next).toEqual({ state: 'CANCELLED', reason: cause })
    else if (state === 'UNSENT') expect(result.next).toEqual({ state: 'PENDING', delayMs: 30_000 })
    else if (attempt === 5) expect(result.next).toEqual({ state: 'FAILED' })
    else expect(result.next).toEqual({ state: 'PENDING', delayMs: 30_000 * 6 ** (attempt - 1) })
  })
})

test.each([1, 2, 3, 4, 5])('a 2xx on attempt %i delivers', (attempt) => {
  expect(resultAfter(attempt, succeeded)).toMatchObject({
    attempt: { state: 'SUCCEEDED' },
    next: { state: 'DELIVERED' },
  })
})

test.each([
  [0, 'PENDING'],
  [dayMs - 1, 'PENDING'],
  [dayMs, 'FAILED'],
  [dayMs * 2, 'FAILED'],
])('what could not be sent for %i ms is %s', (unsentForMs, state) => {
  expect(resultAfter(3, reportOfCause('RESOLVER_DOWN'), { unsentForMs }).next.state).toBe(state)
})

describe('Retry-After', () => {
  test.each([
    ['absent', {}, 30_000],
    ['shorter than the schedule', { 'retry-after': '5' }, 30_000],
    ['zero', { 'retry-after': '0' }, 30_000],
    ['longer', { 'retry-after': '600' }, 600_000],
    ['a date', { 'retry-after': 'Sun, 01 Mar 2026 12:10:00 GMT' }, 600_000],
    ['two hours', { 'retry-after': '7200' }, 7_200_000],
    ['more than two hours', { 'retry-after': '7201' }, 7_200_000],
    ['absurd', { 'retry-after': '1000000000000' }, 7_200_000],
    ['garbage', { 'retry-after': 'tomorrow' }, 30_000],
    ['negative', { 'retry-after': '-600' }, 30_000],
  ])('%s', (_name, headers: Record<string, string>, delayMs) => {
    expect(resultAfter(1, answered(headers)).next).toEqual({ state: 'PENDING', delayMs })
  })

  test('asks for no time that a store refuses, whatever the policy allows', () => {
    const policy = { retry: { maxRetryAfterMs: Number.MAX_VALUE }, unsent: { retryMs: Number.MAX_VALUE } }
    const hundredYears = { state: 'PENDING', delayMs: 36_525 * dayMs }
    expect(resultAfter(1, answered({ 'retry-after': '999999999999999' }), policy).next).toEqual(hundredYears)
    expect(resultAfter(1, answered({}), { retry: { baseMs: Number.MAX_VALUE } }).next).toEqual(hundredYears)
    expect(resultAfter(1, reportOfCause('RESOLVER_DOWN'), policy).next).toEqual(hundredYears)
  })

  test('does not add a sixth attempt', () => {
    expect(resultAfter(5, answered({ 'retry-after': '60' })).next).toEqual({ state: 'FAILED' })
  })
})
