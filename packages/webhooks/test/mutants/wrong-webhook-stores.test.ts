import { describe, expect, test } from 'vitest'
import { webhookStoreCases } from '../../src/testing/index.js'
import { wrongResults } from './webhook-stores/attempt-results.js'
import { wrongClaims } from './webhook-stores/claims.js'
import { wrongEndpoints } from './webhook-stores/endpoints.js'
import { wrongEvents } from './webhook-stores/events.js'
import { wrongLeases } from './webhook-stores/leases.js'
import { wrongPauses } from './webhook-stores/pauses.js'
import { wrongReads } from './webhook-stores/reads.js'
import { failingCases } from './webhook-stores/wrong-store.js'

/** One mistake each, as somebody's first version of a backend would make it. */
const wrongStores = [
  ...wrongEndpoints,
  ...wrongPauses,
  ...wrongEvents,
  ...wrongClaims,
  ...wrongLeases,
  ...wrongResults,
  ...wrongReads,
]

describe('the webhook store cases', () => {
  test('pass a store that is right', async () => {
    expect(await failingCases(() => ({}))).toEqual({})
  })

  test.each(wrongStores)('catch a store that %s, by %s alone', async (_what, caughtBy, spoil) => {
    expect(Object.keys(await failingCases(spoil))).toEqual([caughtBy])
  })

  test('catch one wrong store each, that no other case catches', () => {
    const caught = new Set(wrongStores.map(([, caughtBy]) => caughtBy))
    expect([...caught].sort()).toEqual(webhookStoreCases.map(({ id }) => id).sort())
  })

  test('say which call gave what', async () => {
    const failing = await failingCases(() => ({ findDelivery: () => Promise.resolve(null) }))
    expect(failing['WS-CANCEL-3']).toContain('The last calls, oldest first:')
    expect(failing['WS-CANCEL-3']).toMatch(/cancelPending\(\{ appId: '.*reason: 'ERASED' \}\) gave 1/)
    expect(failing['WS-CANCEL-3']).toMatch(/findDelivery\(\{ appId: '.*\}\) gave null/)
  })
})
