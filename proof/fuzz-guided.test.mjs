import { expect, test } from 'vitest'
import { tryInputs } from './fuzz/guided-campaign.mjs'
import { repeatChoices } from './fuzz/recorded-choices.mjs'
import { createRandom } from './random.mjs'

const timeout = 600_000

test('chance alone does not find what is behind five branches', { timeout }, async () => {
  const size = { count: 20_000 }
  const control = 'behind-branches'
  const [guided, byChance] = [
    await tryInputs({ size, seed: 1, control }),
    await tryInputs({ size, seed: 1, control, isGuided: false }),
  ]
  expect(guided.violations[0]).toContain('an unfit URL was accepted')
  expect(byChance.violations).toEqual([])
})

test('the same seed tries the same inputs', { timeout }, async () => {
  const [one, other] = [
    await tryInputs({ size: { count: 500 }, seed: 7 }),
    await tryInputs({ size: { count: 500 }, seed: 7 }),
  ]
  expect(one).toEqual(other)
})

test('recorded choices are made again, then others', () => {
  const choose = ({ whole }) => Array.from({ length: 4 }, () => whole(10))
  const first = repeatChoices([], createRandom(1, 'a'))
  const chosen = choose(first.random)
  expect(choose(repeatChoices(first.made, createRandom(2, 'b')).random)).toEqual(chosen)
  const shorter = choose(repeatChoices(first.made.slice(0, 2), createRandom(2, 'b')).random)
  expect(shorter.slice(0, 2)).toEqual(chosen.slice(0, 2))
  expect(shorter).not.toEqual(chosen)
})
