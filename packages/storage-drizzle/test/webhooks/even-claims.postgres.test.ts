import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createPostgresStorage } from '../../src/postgres/index.js'
import { startPostgres, type PostgresServer } from '../engine/postgres/postgres-server.js'
import { endpoint, event, uuid } from '../samples.js'

const endpointsPerApp = 50
const eventsEach = 4

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

/** How many deliveries each endpoint gives to one claim of 256, when all endpoints of these apps have four that are due. */
async function claimed(apps: number): Promise<number[]> {
  const { webhooks, close } = await createPostgresStorage({ connectionString: await server.createDatabase() })
  onTestFinished(close)
  for (let app = 0; app < apps; app += 1) {
    const appId = uuid(`app ${app}`)
    const ofApp = Array.from({ length: endpointsPerApp }, (_, n) => endpoint(`${app}-${n}`, appId))
    for (const one of ofApp) await webhooks.registerEndpoint(one, endpointsPerApp)
    for (let n = 0; n < eventsEach; n += 1)
      await webhooks.insertEvent(event(`${app}-${n}`, ofApp, { appId, type: 'WIDGET_DEPOSIT_COMPLETE' }))
  }
  const request = { limit: 256, leaseMs: 45_000, maxInFlight: { healthy: 4, failing: 1 }, keepForHealthy: 8 }
  const claim = await webhooks.claimDue(request)
  expect(claim.claimed).toHaveLength(request.limit)
  const counts = new Map<string, number>()
  for (const { endpoint: one } of claim.claimed) counts.set(one.endpointId, (counts.get(one.endpointId) ?? 0) + 1)
  return [...counts.values()]
}

test.each([
  ['few', 4, 64, 4],
  ['many', 6, 128, 2],
])('%s due endpoints: each of those that a claim takes gives as many', async (_, apps, endpoints, each) => {
  expect(await claimed(apps)).toEqual(Array.from({ length: endpoints }, () => each))
})
