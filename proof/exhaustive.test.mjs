import { expect, test } from 'vitest'
import { exhaustive } from './exhaustive/campaign.mjs'
import { violations } from './exhaustive/invariants.mjs'

test('a control of the enumeration breaks each promise', () => {
  const broken = new Set(exhaustive.controls.map(({ violation }) => violation))
  expect([...broken].sort()).toEqual(Object.keys(violations).sort())
})
