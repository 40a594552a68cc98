import { createServer, type AddressInfo } from 'node:net'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createHttpsDownloader } from '../../src/https/https-downloader.js'
import { createHttpsSender, type HttpsSenderOptions } from '../../src/https/https-sender.js'
import type { NameResolver } from '../../src/https/resolver.js'
import { createTestAuthority, type KeyPairPem, type TestAuthority } from './local/certificates.js'
import { answerWith, startProxy, type ProxyRule, type ProxyServer } from './local/proxy-server.js'
import { startRawTlsServer } from './local/raw-tls-server.js'

let authority: TestAuthority
let certificate: KeyPairPem
let servers: { close(): Promise<unknown> }[] = []

beforeAll(async () => {
  authority = await createTestAuthority()
  certificate = await authority.issue({ names: ['partner.com', 'localhost'] })
})
afterEach(async () => {
  await Promise.all(servers.map((server) => server.close()))
  servers = []
})

function closing<Server extends { close(): Promise<unknown> }>(server: Server): Server {
  servers.push(server)
  return server
}

const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine'
const receiver = async () => closing(await startRawTlsServer(certificate, (socket) => socket.end(answer)))
const proxyWith = async (rule?: ProxyRule) => closing(await startProxy(rule))
const to =
  (...addresses: string[]): NameResolver =>
  () =>
    Promise.resolve({ kind: 'addresses', addresses })

function send(
  { port }: Pick<ProxyServer, 'port'>,
  options: HttpsSenderOptions & { readonly target?: number; readonly timeoutMs?: number } = {},
) {
  const { target = 8443, timeoutMs = 5_000, ...more } = options
  const sender = createHttpsSender({
    resolve: to('93.184.215.14'),
    trustedCa: authority.caPem,
    proxy: { url: `http://127.0.0.1:${port}` },
    ...more,
  })
  return sender({ url: `https://partner.com:${target}/hooks`, headers: {}, body: new Uint8Array(), timeoutMs })
}

describe('a connection through a proxy', () => {
  test('goes to the checked address, with TLS to the endpoint', async () => {
    const [proxy, { port, requests }] = [await proxyWith(), await receiver()]
    const result = await send(proxy, { target: port })
    expect(result).toMatchObject({ cause: null, status: 200, address: '93.184.215.14' })
    expect(proxy.seen).toEqual([{ target: `93.184.215.14:${port}`, authorization: undefined }])
    expect(requests[0]).toContain(`host: partner.com:${port}`)
    const { dnsMs, connectMs, tlsMs } = result.timings
    expect([dnsMs, connectMs, tlsMs]).toEqual([dnsMs, connectMs, tlsMs].map(Number).sort((one, other) => one - other))
  })

  test('writes an IPv6 address in brackets', async () => {
    const [proxy, { port }] = [await proxyWith(), await receiver()]
    expect(await send(proxy, { target: port, resolve: to('2606:2800:220:1::1') })).toMatchObject({ cause: null })
    expect(proxy.seen.map(({ target }) => target)).toEqual([`[2606:2800:220:1::1]:${port}`])
  })

  test('carries credentials of the URL', async () => {
    const [proxy, { port }] = [await proxyWith(), await receiver()]
    const url = `http://kyc%40relay:p%3Aw@127.0.0.1:${proxy.port}`
    expect(await send(proxy, { target: port, proxy: { url } })).toMatchObject({ cause: null })
    const [seen] = proxy.seen
    expect(Buffer.from(seen?.authorization?.replace('Basic ', '') ?? '', 'base64').toString()).toBe('kyc@relay:p:w')
  })

  test('may be encrypted, with the certificate checked', async () => {
    const proxy = closing(await startProxy(undefined, certificate))
    const { port } = await receiver()
    const url = `https://localhost:${proxy.port}`
    expect(await send(proxy, { target: port, proxy: { url, ca: authority.caPem } })).toMatchObject({ cause: null })
    expect(await send(proxy, { target: port, proxy: { url } })).toMatchObject({ cause: 'PROXY_FAILED' })
  })

  test('downloads photos, and follows redirects, through it', async () => {
    const proxy = await proxyWith()
    const { port, requests } = closing(
      await startRawTlsServer(certificate, (socket) => {
        const moved = `HTTP/1.1 302 Found\r\nLocation: https://partner.com:${port}/two\r\nContent-Length: 0\r\n\r\n`
        socket.end(requests.length === 1 ? moved : answer)
      }),
    )
    const download = createHttpsDownloader({
      resolve: to('93.184.215.14'),
      trustedCa: authority.caPem,
      proxy: { url: `http://127.0.0.1:${proxy.port}` },
    })
    const result = await download({ url: `https://partner.com:${port}/one`, maxBytes: 10, timeoutMs: 5_000 })
    expect(result).toEqual({ ok: true, body: new Uint8Array(Buffer.from('fine')) })
    expect(proxy.seen).toHaveLength(2)
  })

  test.each([['10.0.0.7'], ['93.184.215.14', '169.254.169.254'], ['::1']])(
    'is not made to %s: our own rules hold before it',
    async (...addresses) => {
      const proxy = await proxyWith()
      expect(await send(proxy, { resolve: to(...addresses) })).toMatchObject({ cause: 'ENDPOINT_NOT_ALLOWED' })
      expect(proxy.seen).toEqual([])
    },
  )

  test('checks the certificate of the endpoint, whatever the proxy says', async () => {
    const [proxy, { port }] = [await proxyWith(), await receiver()]
    const { caPem } = await createTestAuthority()
    expect(await send(proxy, { target: port, trustedCa: caPem })).toMatchObject({ cause: 'TLS_FAILED' })
  })
})

describe('the proxy reports', () => {
  const head = (status: number, more = '') => `HTTP/1.1 ${status} Whatever\r\n${more}Content-Length: 0\r\n\r\n`
  test.each([
    ['bad credentials', head(407, 'Proxy-Authenticate: Basic\r\n'), 'PROXY_FAILED'],
    ['a target that it may not reach', head(403), 'PROXY_FAILED'],
    ['a status that makes no sense', head(302), 'PROXY_FAILED'],
    ['its own error', head(500), 'PROXY_FAILED'],
    ['that it is overloaded', head(503), 'PROXY_FAILED'],
    ['its own limit', head(503, 'Proxy-Status: p; error=connection_limit_reached\r\n'), 'PROXY_FAILED'],
    ['a refused connection', head(503, 'Proxy-Status: p; error=connection_refused\r\n'), 'CONNECT_FAILED'],
    ['a refused connection, as Squid does', head(503, 'X-Squid-Error: ERR_CONNECT_FAIL 111\r\n'), 'CONNECT_FAILED'],
    ['a bad gateway', head(502), 'CONNECT_FAILED'],
    ['a gateway time-out', head(504), 'CONNECT_FAILED'],
    ['no HTTP', 'SSH-2.0-OpenSSH_9.2\r\n', 'PROXY_FAILED'],
    ['nothing', '', 'PROXY_FAILED'],
    ['a head without an end', `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(20_000)}`, 'PROXY_FAILED'],
    ['an open tunnel that it closes', 'HTTP/1.1 200 OK\r\n\r\n', 'TLS_FAILED'],
  ])('%s', async (_what, text, cause) => {
    expect(await send(await proxyWith(answerWith(text)))).toMatchObject({ cause, status: null })
  })

  test('nothing in time: the next address is tried', async () => {
    const { port } = await receiver()
    const proxy = await proxyWith((target) => !target.startsWith('93.184.215.13'))
    const resolve = to('93.184.215.13', '93.184.215.14')
    const result = await send(proxy, { target: port, resolve, connectTimeoutMs: 1_000 })
    expect(result).toMatchObject({ cause: null, address: '93.184.215.14' })
  })

  test('nothing before the deadline of the attempt', async () => {
    const result = await send(await proxyWith(() => false), { timeoutMs: 60 })
    expect(result).toMatchObject({ cause: 'TIMEOUT' })
  })
})

test('a proxy that is not there is our own fault, asked for one address only', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  const result = await send({ port }, { resolve: to('93.184.215.14', '93.184.215.15') })
  expect(result).toMatchObject({ cause: 'PROXY_FAILED', address: '93.184.215.14' })
})

test.each([
  '',
  'proxy:3128',
  'ftp://proxy:21',
  'http://proxy:3128/path',
  'http://proxy:3128/?a',
  'socks5://proxy:1080',
  'http://sample%:secret@proxy:3128',
])('%j is no URL of a proxy, and is not shown', (url) => {
  expect(() => createHttpsSender({ proxy: { url } })).toThrow(
    new TypeError('The proxy must be http://host:port or https://host:port.'),
  )
})

test('no connection to the proxy is left open, whatever it answered', async () => {
  const open = new Set<unknown>()
  const proxy = await proxyWith((target, _request, client) => {
    open.add(client.once('close', () => open.delete(client)))
    const isRefused = target.endsWith(':8443')
    if (isRefused) client.once('end', () => client.end()).resume()
    if (isRefused) client.write('HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n')
    return !isRefused
  })
  const { port } = await receiver()
  await send(proxy, { target: port })
  await send(proxy)
  await expect.poll(() => open.size).toBe(0)
})
