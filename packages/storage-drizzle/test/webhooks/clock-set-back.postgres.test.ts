import { expect, onTestFinished, test } from 'vitest'
import { createPostgresStorage } from '../../src/postgres/index.js'
import { claimRequest, endpoint, event, startOfTests } from '../samples.js'
import { startPostgres } from '../engine/postgres/postgres-server.js'

test('the cap of an endpoint holds after the clock was set back by more than a lease', async () => {
  const server = await startPostgres()
  onTestFinished(() => server.stop())
  const connectionString = await server.createDatabase()
  let nowMs = startOfTests.getTime()
  const clock = () => new Date(nowMs)
  const { webhooks, close } = await createPostgresStorage({ connectionString }, { clock, notify: false })
  onTestFinished(close)
  const hook = endpoint('a')
  await webhooks.registerEndpoint(hook, 1)
  // The search finds no lease that has ended, which the next claims rely on.
  expect(await webhooks.claimExpired({ limit: 1, leaseMs: 10_000 })).toEqual([])
  nowMs -= 3_600_000
  for (const name of ['one', 'two']) await webhooks.insertEvent(event(name, [hook]))
  const request = { ...claimRequest, maxInFlight: { healthy: 1, failing: 1 } }
  expect((await webhooks.claimDue(request)).claimed).toHaveLength(1)
  expect((await webhooks.claimDue(request)).claimed).toEqual([])
})
