import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type RunningTestServer } from '../running-server.js'

let server: RunningTestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const id = '7a000000-0000-4000-8000-000000000001'
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH'
type Listener = 'apiUrl' | 'internalUrl' | 'secureUrl'
const ask = (listener: Listener, method: Method, path: string) =>
  server.call(`${server.demo[listener]}${path}`, {
    method,
    token: listener === 'internalUrl' ? server.demo.internalToken : (server.demo.apps[0]?.apiKey ?? null),
  })

describe('405 with the methods that an address takes', () => {
  it.each([
    ['apiUrl', 'POST', '/healthz', 'GET, HEAD'],
    ['apiUrl', 'DELETE', '/readyz', 'GET, HEAD'],
    ['apiUrl', 'POST', '/metrics', 'GET, HEAD'],
    ['apiUrl', 'POST', '/api/v1/openapi.json', 'GET, HEAD'],
    ['apiUrl', 'PUT', '/api/v1/docs', 'GET, HEAD'],
    ['apiUrl', 'POST', '/assets/icon.svg', 'GET, HEAD'],
    ['apiUrl', 'PATCH', '/api/v1/webhooks', 'GET, HEAD, POST'],
    ['apiUrl', 'PUT', `/api/v1/webhooks/${id}`, 'DELETE, GET, HEAD'],
    ['apiUrl', 'GET', '/api/v1/webhooks/keys/3/revoke', 'POST'],
    ['apiUrl', 'POST', `/api/v1/webhooks/${id}/recoveries/${id}`, 'DELETE, GET, HEAD'],
    ['internalUrl', 'GET', '/internal/v1/events', 'POST'],
    ['internalUrl', 'PUT', '/internal/v1/transactions', 'POST'],
    ['internalUrl', 'POST', `/internal/v1/transactions/${id}`, 'GET, HEAD, PATCH'],
    ['internalUrl', 'GET', '/internal/v1/vault/reveal', 'POST'],
    ['internalUrl', 'POST', `/internal/v1/users/${id}/pii`, 'DELETE'],
    ['internalUrl', 'POST', `/internal/v1/grants/${id}/${id}`, 'DELETE, GET, HEAD, PUT'],
    ['internalUrl', 'POST', '/healthz', 'GET, HEAD'],
    ['secureUrl', 'POST', '/readyz', 'GET, HEAD'],
  ] as const)('%s %s %s', async (listener, method, path, allow) => {
    const { status, headers, json } = await ask(listener, method, path)
    expect([status, headers['allow']]).toEqual([405, allow])
    const code = (listener === 'secureUrl' ? json.errors[0].extensions.code : json.code) as string
    expect(code).toBe('METHOD_NOT_ALLOWED')
  })
})

describe('404 where no method finds anything', () => {
  it.each([
    ['apiUrl', 'POST', '/nowhere'],
    ['apiUrl', 'POST', '/healthz/'],
    ['apiUrl', 'PUT', '/api/v1/webhooks/not-an-id'],
    ['internalUrl', 'POST', '/internal/v1'],
    ['internalUrl', 'GET', `/internal/v1/users/${id}/pii/more`],
    ['internalUrl', 'DELETE', '/internal/v1/users//pii'],
    ['secureUrl', 'POST', '/metrics'],
  ] as const)('%s %s %s', async (listener, method, path) => {
    expect((await ask(listener, method, path)).status).toBe(404)
  })
})
