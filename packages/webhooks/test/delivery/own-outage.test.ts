import { expect, test } from 'vitest'
import { createOwnOutage } from '../../src/delivery/own-outage.js'

test.each([
  ['a 2xx', null, Infinity],
  ['an endpoint that answers 500', 'HTTP_STATUS', Infinity],
  ['a failed look-up of our own', 'GRANTS_UNAVAILABLE', 5],
] as const)('after %s in an outage of ours as many may be claimed: %s, %d', (_name, cause, slots) => {
  let nowMs = 0
  const outage = createOwnOutage({ monotonicMs: () => nowMs }, 5)
  outage.lookUpFailed()
  expect(outage.slotsLeft()).toBe(5)
  outage.recordCause(cause)
  nowMs = 2_000
  expect(outage.slotsLeft()).toBe(slots)
})
