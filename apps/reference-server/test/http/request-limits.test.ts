import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { propertyRuns } from '../../../../scripts/test-sizes.js'
import { createRequestLimits, takeToken } from '../../src/http/request-limits.js'

describe('a token bucket', () => {
  it('lets a burst pass, then one per interval', () => {
    const policy = { perMinute: 3 }
    let fullAtMs = 0
    const take = (nowMs: number) => {
      const taken = takeToken(fullAtMs, nowMs, policy)
      fullAtMs = taken.fullAtMs
      return taken.verdict
    }
    expect([take(0), take(0), take(0)].map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
      [true, 2],
      [true, 1],
      [true, 0],
    ])
    expect(take(0)).toEqual({ allowed: false, remaining: 0, retryAfterMs: 20_000, fullInMs: 60_000 })
    expect(take(19_999)).toMatchObject({ allowed: false, retryAfterMs: 1 })
    expect(take(20_000)).toMatchObject({ allowed: true, remaining: 0, fullInMs: 60_000 })
    expect(take(80_000)).toMatchObject({ allowed: true, remaining: 2 })
  })

  it('forgives a clock that was set back', () => {
    const { fullAtMs } = takeToken(0, 1e12, { perMinute: 60 })
    expect(takeToken(fullAtMs, 0, { perMinute: 60 }).verdict.retryAfterMs).toBeLessThanOrEqual(1000)
  })

  it('never lets more pass than the rate allows, and a caller who waits as told always passes', () => {
    fc.assert(
      fc.property(
        fc.record({ perMinute: fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 100_000 })) }),
        fc.array(fc.integer({ min: 0, max: 5000 }), { maxLength: 200 }),
        (policy, pauses) => {
          let nowMs = 0
          let fullAtMs = 0
          let passed = 0
          for (const pause of pauses) {
            nowMs += pause
            const taken = takeToken(fullAtMs, nowMs, policy)
            fullAtMs = taken.fullAtMs
            passed += taken.verdict.allowed ? 1 : 0
            if (!taken.verdict.allowed) {
              const waited = nowMs + taken.verdict.retryAfterMs
              expect(takeToken(fullAtMs, waited, policy).verdict.allowed).toBe(true)
            }
          }
          expect(passed).toBeLessThanOrEqual(policy.perMinute + (nowMs * policy.perMinute) / 60_000 + 1e-3)
        },
      ),
      propertyRuns(20_260_131, 300),
    )
  })
})

describe('request limits', () => {
  it('count each caller and each limit apart, and say how long to wait', () => {
    let nowMs = 0
    const limits = createRequestLimits({
      policies: { app: { perMinute: 1 }, token: { perMinute: 1 } },
      nowMs: () => nowMs,
    })
    expect(limits.take('app', 'one').headers).toEqual({
      'ratelimit-policy': '"app";q=1;w=60',
      ratelimit: '"app";r=0;t=60',
    })
    expect(limits.take('app', 'one').headers).toEqual({
      'ratelimit-policy': '"app";q=1;w=60',
      ratelimit: '"app";r=0;t=60',
      'retry-after': '60',
    })
    expect(limits.take('app', 'two').verdict.allowed).toBe(true)
    expect(limits.take('token', 'one').verdict.allowed).toBe(true)
    nowMs = 60_000
    expect(limits.take('app', 'one').verdict.allowed).toBe(true)
  })
})
