import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startOfTests, submission } from '../samples.js'
import { storeEngines, type Stores } from '../webhooks/store-engines.js'

const { engines } = storeEngines(() => startOfTests, true)

// Reasons are free text: they belong in the sealed part, and the columns of the lists are in clear.
describe.each(engines)('lists of a verification on $engine', ({ start, open, stop }) => {
  let stores: Stores
  beforeAll(start)
  afterAll(stop)

  test('keep no further members of their items', async () => {
    stores = await open()
    const sent = submission('one')
    const { sections, checks } = sent.verification
    const withReasons = <Item extends object>(items: readonly Item[]) =>
      items.map((item) => ({ ...item, reasons: ['078-05-1120'] }))
    const verification = { ...sent.verification, sections: withReasons(sections), checks: withReasons(checks) }
    await stores.verifications.record({ ...sent, verification })
    const found = await stores.verifications.findVerification(sent.key, sent.verification.verificationId)
    expect(checks.length * sections.length).toBeGreaterThan(0)
    expect(found).toMatchObject({ sections, checks })
    expect(JSON.stringify(found)).not.toContain('reasons')
    await stores.close()
  })
})
