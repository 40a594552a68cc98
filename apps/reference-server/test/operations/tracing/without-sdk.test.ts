import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { startTestServer } from '../../running-server.js'

it('without an SDK nothing is traced: an event keeps no trace context, whatever its publisher sends', async () => {
  const server = await startTestServer()
  try {
    const { appId, userId } = server.demo.users[0] ?? { appId: '', userId: '' }
    const published = await server.call(`${server.demo.internalUrl}/internal/v1/events`, {
      token: server.demo.internalToken,
      headers: { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' },
      body: { appId, userId, eventType: 'WIDGET_DEPOSIT_COMPLETE', data: { amount: 100.5 } },
    })
    expect(published.status).toBe(202)
    const database = new Database(`${server.dataDir}/kyc.db`, { readonly: true })
    expect(database.prepare('SELECT trace_context FROM kyc_relay_events').pluck().all()).toEqual([null])
    database.close()
  } finally {
    await server.stop()
  }
})
