import { performance } from 'node:perf_hooks'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openRaw, type RawConnection } from './raw-connection.js'
import { startTestServer, type RunningTestServer } from '../running-server.js'

let server: RunningTestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

/** Keeps the event loop away from its work as a machine does that has no processor left for it: most of the time. */
function startStarving(): () => void {
  let starving = true
  const starve = () => {
    const untilMs = performance.now() + 320
    while (performance.now() < untilMs);
    if (starving) setTimeout(starve, 40)
  }
  setImmediate(starve)
  return () => (starving = false)
}

it('32 clients are served while the machine is busy with something else: an event loop that is late alone refuses nobody', async () => {
  const port = Number(new URL(server.demo.apiUrl).port)
  const clients = await Promise.all(Array.from({ length: 32 }, () => openRaw({ port })))
  const body = '{"query":"{ viewer { userId } }"}'
  const query = [
    'POST /api/v1/graphql HTTP/1.1',
    'host: localhost',
    `authorization: Bearer ${server.demo.users[0]?.accessToken}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
    '',
    body,
  ].join('\r\n')
  const ask = async (client: RawConnection) => {
    client.send(query)
    return (await client.answer()).status
  }
  const stop = startStarving()
  const statuses: number[] = []
  // The lag counts from the fourth look that finds it.
  for (let round = 0; round < 6; round += 1) statuses.push(...(await Promise.all(clients.map(ask))))
  stop()
  for (const client of clients) client.socket.destroy()
  expect(statuses).toEqual(Array.from({ length: 192 }, () => 200))
  const { text } = await server.call(`${server.demo.internalUrl}/metrics`)
  expect(text).toMatch(/^kyc_relay_requests_refused_total 0$/m)
})
