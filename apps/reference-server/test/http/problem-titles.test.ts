import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, type RunningTestServer } from '../running-server.js'

let server: RunningTestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

it.each([
  ['apiUrl', '/api/v1/webhooks', null, 401, 'A valid API key is required.'],
  ['internalUrl', '/internal/v1/events', null, 401, 'The internal token or the token of an operator is required.'],
  [
    'apiUrl',
    '/api/v1/webhooks/keys/activate',
    'apiKey',
    409,
    'The request conflicts with the current state. See detail.',
  ],
  ['apiUrl', '/api/v1/webhooks/keys/dry-run', 'apiKey', 400, 'The request is malformed.'],
  ['apiUrl', `/api/v1/webhooks/${randomUUID()}/pause`, 'apiKey', 404, 'There is no object with this id.'],
  ['apiUrl', '/api/v1/nowhere', 'apiKey', 404, 'This address does not exist.'],
] as const)('%s%s says what is wrong in its title', async (listener, path, holder, status, title) => {
  const token = holder === null ? null : (server.demo.apps[0]?.apiKey ?? '')
  const answer = await server.call(`${server.demo[listener]}${path}`, { method: 'POST', body: {}, token })
  expect([answer.status, answer.json.title]).toEqual([status, title])
})
