import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startOfTests, submission, uuid } from '../samples.js'
import { storeEngines, type Stores } from '../webhooks/store-engines.js'

const { engines, guard } = storeEngines(() => startOfTests, true)

describe.each(engines)('the outbox of status changes on $engine', ({ start, open, stop }) => {
  let stores: Stores
  beforeAll(start)
  afterAll(stop)
  beforeEach(async () => {
    stores = await open()
    return () => stores.close()
  })

  const list = (limit = 10) => stores.statusOutbox.listUnpublished({ limit })

  test('has a change from its submission until it is published, and nothing without a change', async () => {
    const first = submission('first')
    await stores.verifications.record(first)
    await stores.verifications.record(first)
    await stores.verifications.record(submission('kept'))
    const { userId, appId } = first.key
    const { verificationId } = first.verification
    const source = 'SUBMISSION'
    const change = {
      changeId: verificationId,
      source,
      userId,
      appId,
      verificationId,
      previous: 'UNVERIFIED',
      next: 'PASS',
      changedAt: first.recordedAt,
    }
    expect(await list()).toEqual([change])
    await stores.statusOutbox.markPublished({ userId: uuid('another'), changeId: verificationId })
    expect(await list()).toHaveLength(1)
    await stores.statusOutbox.markPublished(change)
    await stores.statusOutbox.markPublished(change)
    expect(await list()).toEqual([])
  })

  test('lists the oldest first, and no more than it is asked for', async () => {
    for (const name of ['a', 'b', 'c']) {
      await stores.verifications.record(submission(name, { key: { userId: uuid(`user ${name}`) } }))
    }
    expect(await list()).toHaveLength(3)
    expect(await list(2)).toHaveLength(2)
    await expect(list(0)).rejects.toMatchObject({ code: 'ARGUMENT_INVALID' })
  })
})

test('only the list of changes reads rows of more than one user', () => {
  expect([...guard.refused]).toEqual([])
  expect([...guard.readsOverAll].filter((tables) => tables.includes('status_outbox'))).toHaveLength(1)
})
