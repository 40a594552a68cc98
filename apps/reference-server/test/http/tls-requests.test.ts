import { once } from 'node:events'
import { connect as connectTls } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { exchangeRaw, openRaw } from './raw-connection.js'
import { request, secure, startServer, stopServer } from './request-fixture.js'

beforeAll(startServer)
afterAll(stopServer)

describe('TLS', () => {
  it('plain HTTP on the secure port is not answered and not redirected', async () => {
    const connection = await openRaw({ port: secure.port })
    connection.send(request())
    await connection.ended()
  })

  it.each([
    ['TLSv1', 'TLSv1'],
    ['TLSv1', 'TLSv1.1'],
  ] as const)('a client that speaks %s to %s fails the handshake', async (minVersion, maxVersion) => {
    const { port, ca } = secure
    const failure = await new Promise<string>((resolve, reject) => {
      const options = { port, host: '127.0.0.1', ca, servername: 'localhost', ciphers: 'ALL@SECLEVEL=0' }
      const socket = connectTls({ ...options, minVersion, maxVersion }, () => reject(new Error('handshake succeeded')))
      socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''))
    })
    expect(failure).toMatch(/PROTOCOL_VERSION|ECONNRESET/)
  })

  it.each([
    'ECDHE-RSA-AES128-SHA256',
    'ECDHE-ECDSA-AES256-SHA384',
    'ECDHE-ECDSA-AES128-SHA',
    'AES128-GCM-SHA256',
    'ECDHE-ECDSA-AES128-CCM',
  ])('a client of TLS 1.2 that offers only %s fails the handshake', async (ciphers) => {
    const { port, ca } = secure
    const failure = await new Promise<string>((resolve, reject) => {
      const options = { port, host: '127.0.0.1', ca, servername: 'localhost', ciphers: `${ciphers}:@SECLEVEL=0` }
      const socket = connectTls({ ...options, maxVersion: 'TLSv1.2' }, () => reject(new Error('handshake succeeded')))
      socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''))
    })
    expect(failure).toMatch(/HANDSHAKE_FAILURE|ECONNRESET/)
  })

  it.each([
    ['TLSv1.2', /^ECDHE-(?:RSA|ECDSA)-.*(?:GCM|POLY1305)/],
    ['TLSv1.3', /^TLS_/],
  ] as const)('a client of %s is served with authenticated encryption', async (version, suite) => {
    const { port, ca } = secure
    const socket = connectTls({ port, host: '127.0.0.1', ca, servername: 'localhost', maxVersion: version })
    await once(socket, 'secureConnect')
    expect([socket.getProtocol(), socket.getCipher().name]).toEqual([version, expect.stringMatching(suite)])
    socket.destroy()
  })

  it('a connection that ends in the handshake leaves the server working', async () => {
    const connection = await openRaw({ port: secure.port })
    connection.send(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]))
    connection.socket.end()
    await connection.ended()
    expect((await exchangeRaw(secure, request())).status).toBe(200)
  })

  it('a client that sends more requests than it reads answers is refused as overload, not as bad syntax', async () => {
    const sent = 400
    const connection = await openRaw(secure)
    connection.send(Buffer.concat(Array.from({ length: sent }, () => request({ body: '{"query":"{__typename}"}' }))))
    const statuses: number[] = []
    // Node pauses most such clients. The server then answers once more and closes the connection.
    while (statuses.length < sent) {
      const next = await connection.answer().catch(() => null)
      if (next === null) break
      statuses.push(next.status)
    }
    connection.socket.destroy()
    expect(new Set(statuses)).toEqual(new Set([200, 503]))
  })
})
