import { expect, onTestFinished, test } from 'vitest'
import { createPostgresStorage } from '../../src/postgres/index.js'
import { claimRequest, endpoint, event, report, startOfTests } from '../samples.js'
import { startPostgres } from '../engine/postgres/postgres-server.js'

test('an endpoint that succeeds all the time has its last success written once a minute', async () => {
  const server = await startPostgres()
  onTestFinished(() => server.stop())
  let nowMs = startOfTests.getTime()
  const location = { connectionString: await server.createDatabase() }
  const { webhooks, close } = await createPostgresStorage(location, { clock: () => new Date(nowMs), notify: false })
  onTestFinished(close)
  const hook = endpoint('a')
  await webhooks.registerEndpoint(hook, 1)
  let published = 0
  async function lastSuccessAfter(ms: number) {
    nowMs += ms
    await webhooks.insertEvent(event(`e${(published += 1)}`, [hook]))
    const { claimed } = await webhooks.claimDue(claimRequest)
    expect(claimed).toHaveLength(1)
    const results = claimed.map(({ fence }) => ({
      fence,
      attempt: { state: 'SUCCEEDED', report } as const,
      next: { state: 'DELIVERED' } as const,
    }))
    expect(await webhooks.recordAttemptResults(results)).toEqual({ stale: [], healthChanges: [] })
    const [health] = await webhooks.listEndpointHealth(hook.appId)
    return (health?.lastSuccessAt?.getTime() ?? NaN) - nowMs
  }

  expect(await lastSuccessAfter(0)).toBe(0)
  expect(await lastSuccessAfter(59_999)).toBe(-59_999)
  expect(await lastSuccessAfter(1)).toBe(0)
  // The clock is set back: the time that is stored is in the future.
  expect(await lastSuccessAfter(-3_600_000)).toBe(0)
})
