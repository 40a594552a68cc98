import { createServer, type AddressInfo } from 'node:net'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createTestAuthority } from './local/certificates.js'
import { authority, closeServers, closing, issueCertificate, ok, send, serve, servers } from './sender-fixture.js'

beforeAll(issueCertificate)
afterEach(closeServers)

describe('certificates', () => {
  const day = 86_400_000
  test.each([
    ['expired', { notBefore: new Date(Date.now() - 3 * day), notAfter: new Date(Date.now() - day) }],
    ['not yet valid', { notBefore: new Date(Date.now() + day), notAfter: new Date(Date.now() + 2 * day) }],
    ['for another name', { names: ['partner.com'] }],
    ['for a longer name', { names: ['a.localhost'] }],
  ])('one that is %s is refused', async (_name, options) => {
    const server = await serve(ok(), { certificate: await authority.issue(options) })
    expect(await send(server.url)).toMatchObject({ cause: 'TLS_FAILED', status: null })
    expect(server.requests).toEqual([])
  })

  test('one of an authority that is not trusted is refused', async () => {
    const stranger = await createTestAuthority()
    const server = await serve(ok(), { certificate: await stranger.issue() })
    expect(await send(server.url)).toMatchObject({ cause: 'TLS_FAILED' })
  })

  test('a switched-off check by the environment has no say', async () => {
    const stranger = await createTestAuthority()
    const server = await serve(ok(), { certificate: await stranger.issue() })
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    try {
      expect(await send(server.url)).toMatchObject({ cause: 'TLS_FAILED' })
    } finally {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before
    }
    expect(server.requests).toEqual([])
  })

  test('TLS 1.1 is refused', async () => {
    const server = await serve(ok(), { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' })
    expect(await send(server.url)).toMatchObject({ cause: 'TLS_FAILED' })
  })

  test('a server that speaks plain HTTP is refused', async () => {
    const server = createServer((socket) => socket.resume().end(ok()))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    servers.push(closing(server))
    const url = `https://localhost:${(server.address() as AddressInfo).port}/`
    expect(await send(url)).toMatchObject({ cause: 'TLS_FAILED' })
  })
})
