import { describe, expect, test } from 'vitest'
import { seedsOf } from '../../../../../scripts/test-sizes.js'
import { simulate } from './simulated-world.js'
import type { Sabotage } from './world.js'

const seeds = seedsOf(8, 100)

describe('half an hour of crashes, losses and outages, and the time until everything has ended', () => {
  test.each(seeds)(
    'seed %i: nothing is lost, nothing is sent more than five times, nothing leaves a final state',
    async (seed) => {
      // In every other one, partners and operators change endpoints and deliveries meanwhile.
      const { violations, posts, crashes, stale, states } = await simulate(seed, { operated: seed % 2 === 0 })
      expect(violations).toEqual([])
      expect(posts).toBeGreaterThan(30)
      expect(crashes).toBeGreaterThan(0)
      expect(stale).toBeGreaterThan(0)
      expect(states['DELIVERED']).toBeGreaterThan(10)
    },
  )

  test('the same seed gives the same history', async () => {
    const [one, other] = [await simulate(7), await simulate(7)]
    expect(other).toEqual(one)
    expect((await simulate(8)).trace).not.toBe(one.trace)
  })
})

describe('the invariants notice', () => {
  const sabotages: readonly (readonly [Sabotage, string])[] = [
    ['interrupted-not-counted', 'I6'],
    ['believes-timeouts', 'I7'],
    ['retries-at-once', 'I10'],
    ['gives-up-early', 'I6'],
    ['never-takes-over', 'I5'],
    ['sixth-attempt', 'I6'],
    ['no-fence', 'I11'],
    ['ignores-pauses', 'I12'],
    ['ignores-cancellation', 'I14'],
  ]
  test.each(sabotages)('%s', async (sabotage, invariant) => {
    // Not every history meets every mistake: within a few of them, one does.
    const noticed: string[] = []
    for (const seed of seeds) {
      if (noticed.some((violation) => violation.startsWith(invariant))) break
      noticed.push(...(await simulate(seed, { sabotage, operated: sabotage.startsWith('ignores-') })).violations)
    }
    expect(noticed.some((violation) => violation.startsWith(invariant))).toBe(true)
  })
})
