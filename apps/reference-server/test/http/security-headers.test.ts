import { afterAll, beforeAll, expect, it } from 'vitest'
import { exchangeRaw, openRaw, type RawAnswer, type RawTarget } from './raw-connection.js'
import { startTestServer, type RunningTestServer } from '../running-server.js'

let server: RunningTestServer
let targets: Record<'api' | 'internal' | 'secure', RawTarget>
beforeAll(async () => {
  server = await startTestServer({ MAX_IN_FLIGHT: '1' })
  const portOf = (url: string) => Number(new URL(url).port)
  targets = {
    api: { port: portOf(server.demo.apiUrl) },
    internal: { port: portOf(server.demo.internalUrl) },
    secure: { port: portOf(server.demo.secureUrl), ca: server.ca },
  }
})
afterAll(() => server.stop())

const expected = ['max-age=31536000', 'nosniff']
const securityHeaders = ({ headers }: RawAnswer) => [
  headers['strict-transport-security'],
  headers['x-content-type-options'],
]

const get = (path: string, ...lines: string[]) =>
  [`GET ${path} HTTP/1.1`, 'host: localhost', ...lines, '', ''].join('\r\n')
const post = (path: string, ...lines: string[]) =>
  [`POST ${path} HTTP/1.1`, 'host: localhost', 'content-type: application/json', ...lines, '', ''].join('\r\n')

const listeners = ['api', 'internal', 'secure'] as const

it.each([
  ['a probe', get('/healthz')],
  ['a probe of readiness', get('/readyz')],
  ['metrics', get('/metrics')],
  ['the portal', get('/portal/sign-in')],
  ['the style of the portal', get('/assets/icon.svg')],
  ['the documentation', get('/api/v1/docs')],
  ['the OpenAPI document', get('/api/v1/openapi.json')],
  ['no such address', get('/nowhere')],
  ['no such address, read as one with dots', get('/a/../b')],
  ['no token', post('/api/v1/graphql', 'content-length: 0')],
  ['no API key', get('/api/v1/webhooks')],
  ['no internal token', post('/internal/v1/events', 'content-length: 0')],
  ['an unread body', post('/internal/v1/events', 'content-length: 9')],
  ['another method', `TRACE / HTTP/1.1\r\nhost: localhost\r\n\r\n`],
  ['no host', 'GET / HTTP/1.1\r\n\r\n'],
  ['two encodings', post('/x', 'content-encoding: gzip', 'content-encoding: identity')],
  ['an expectation', get('/x', 'expect: something-else')],
  ['a tunnel', 'CONNECT x:1 HTTP/1.1\r\nhost: x:1\r\n\r\n'],
  ['no HTTP', 'not http at all\r\n\r\n'],
  ['a body that is cut off', 'POST /x HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'],
])('every listener sends the security headers once with every answer: %s', async (_name, bytes) => {
  for (const name of listeners) {
    const answer = await exchangeRaw(targets[name], bytes)
    expect([name, answer.status, ...securityHeaders(answer)]).toEqual([name, answer.status, ...expected])
  }
})

it('and with refusals for overload', async () => {
  const held = await openRaw(targets.api)
  const key = `authorization: Bearer ${server.demo.apps[0]?.apiKey}`
  held.send(post('/api/v1/webhooks', key, 'content-length: 2', 'expect: 100-continue'))
  await expect.poll(() => held.socket.bytesRead).toBeGreaterThan(0)
  for (const name of listeners) {
    const answer = await exchangeRaw(targets[name], get('/x'))
    expect([name, answer.status, ...securityHeaders(answer)]).toEqual([name, 503, ...expected])
  }
  held.socket.destroy()
})
