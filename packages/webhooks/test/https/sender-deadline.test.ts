import { createServer, type AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { DialError, dialTcp, type Dial } from '../../src/https/connection.js'
import { closeServers, closing, drip, issueCertificate, ok, send, serve, servers, to } from './sender-fixture.js'

beforeAll(issueCertificate)
afterEach(closeServers)

describe('the deadline is one for everything', () => {
  test.each([
    ['says nothing', () => {}],
    ['sends its head byte by byte', drip(`HTTP/1.1 200 ${'O'.repeat(2_000)}`)],
    [
      'sends headers byte by byte',
      (socket: TLSSocket) => (socket.write('HTTP/1.1 200 OK\r\n'), drip('x: y\r\n'.repeat(1_000))(socket)),
    ],
    ['sends an informational answer now and then', drip('HTTP/1.1 102 Processing\r\n\r\n'.repeat(100))],
  ] as const)('a server that %s times out', async (_name, answer) => {
    const server = await serve(answer)
    const result = await send(server.url, { timeoutMs: 800 })
    expect(result).toMatchObject({ cause: 'TIMEOUT', status: null })
    expect(result.timings.tlsMs).not.toBeNull()
    expect(result.timings.firstByteMs).toBeNull()
    expect(result.timings.totalMs).toBeGreaterThanOrEqual(790)
  })

  test('a body that drips for ever after a 2xx is success, and cut off at the deadline', async () => {
    const server = await serve((socket) => (socket.write('HTTP/1.1 200 OK\r\n\r\n'), drip('a'.repeat(1_000))(socket)))
    const result = await send(server.url, { timeoutMs: 800 })
    expect(result).toMatchObject({ cause: null, status: 200 })
    expect(result.responseBody?.length).toBeGreaterThan(0)
    expect(result.responseBody?.length).toBeLessThan(1_000)
  })

  test('a server that accepts and never speaks TLS times out', async () => {
    const server = createServer((socket) => socket.resume())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    servers.push(closing(server))
    const result = await send(`https://localhost:${(server.address() as AddressInfo).port}/`, { timeoutMs: 500 })
    expect(result).toMatchObject({ cause: 'TIMEOUT', address: '127.0.0.1' })
    expect(result.timings).toMatchObject({ tlsMs: null })
    expect(result.timings.connectMs).not.toBeNull()
  })

  test('a name server that never answers times out', async () => {
    const result = await send('https://partner.com/', { timeoutMs: 100 }, { resolve: () => new Promise(() => {}) })
    expect(result).toMatchObject({ cause: 'TIMEOUT', address: null, timings: { dnsMs: null } })
  })

  test('a connection that never stands times out', async () => {
    const dial: Dial = ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))))
    const result = await send(
      'https://partner.com/',
      { timeoutMs: 100 },
      { resolve: to('8.8.8.8'), dial, connectTimeoutMs: 2 ** 31 - 1 },
    )
    expect(result).toMatchObject({ cause: 'TIMEOUT', address: '8.8.8.8', timings: { connectMs: null } })
  })

  test('no time at all is a timeout', async () => {
    const server = await serve(ok())
    expect(await send(server.url, { timeoutMs: 0 })).toMatchObject({ cause: 'TIMEOUT', status: null })
  })

  test('a connection that is given up while it is opened is closed', async () => {
    const server = createServer((socket) => socket.resume())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    servers.push(closing(server))
    const { port } = server.address() as AddressInfo
    const limit = new AbortController()
    const dialling = dialTcp({ address: '127.0.0.1', port, signal: limit.signal })
    limit.abort()
    await expect(dialling).rejects.toBeInstanceOf(DialError)
  })
})
