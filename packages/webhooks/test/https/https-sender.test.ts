import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { SendRequest, SendResult } from '../../src/delivery/sender.js'
import { dialTcp, type Dial } from '../../src/https/connection.js'
import { createHttpsSender, type HttpsSenderOptions } from '../../src/https/https-sender.js'
import type { NameResolver, Resolution } from '../../src/https/resolver.js'
import { createTestAuthority, type KeyPairPem, type TestAuthority } from './local/certificates.js'
import { startRawTlsServer, type RawTlsServer } from './local/raw-tls-server.js'

let authority: TestAuthority
let certificate: KeyPairPem
let servers: { close(): Promise<void> }[] = []

beforeAll(async () => {
  authority = await createTestAuthority()
  certificate = await authority.issue()
})
afterEach(async () => {
  await Promise.all(servers.map((server) => server.close()))
  servers = []
})

async function serve(
  answer: string | ((socket: TLSSocket, reset: () => void) => void),
  options: { certificate?: KeyPairPem } & Parameters<typeof startRawTlsServer>[2] = {},
): Promise<RawTlsServer> {
  const { certificate: own, ...tls } = options
  const respond = typeof answer === 'string' ? (socket: TLSSocket) => socket.end(answer) : answer
  const server = await startRawTlsServer(own ?? certificate, respond, tls)
  servers.push(server)
  return server
}

const body = new TextEncoder().encode('{"amount":100.5}')
const request = (url: string, fields: Partial<SendRequest> = {}): SendRequest => ({
  url,
  headers: { 'content-type': 'application/json', 'x-event-id': 'id-1' },
  body,
  timeoutMs: 5_000,
  ...fields,
})

function send(url: string, fields: Partial<SendRequest> = {}, options: HttpsSenderOptions = {}): Promise<SendResult> {
  const policy = { allowLoopback: { caPem: authority.caPem } }
  return createHttpsSender({ policy, dial: loopbackOnly, resolve: noResolver, ...options })(request(url, fields))
}

/** No test reaches out: a connection to anything but this machine, or a question to a name server, is an error. */
const loopbackOnly: Dial = (target) => {
  if (target.address !== '127.0.0.1' && target.address !== '::1') throw new Error('a test tried to leave the machine')
  return dialTcp(target)
}
const noResolver: NameResolver = () => Promise.reject(new Error('a test tried to ask a name server'))

const text = (result: SendResult) => new TextDecoder().decode(result.responseBody ?? new Uint8Array())
const ok = (payload = 'fine') => `HTTP/1.1 200 OK\r\nContent-Length: ${payload.length}\r\n\r\n${payload}`

describe('what goes out', () => {
  test('is one POST with the exact bytes on a connection that is closed afterwards', async () => {
    const server = await serve(ok())
    const result = await send(`${server.url}/a%20b?x=1&y=%C3%BC`)
    expect(result).toMatchObject({ cause: null, status: 200, address: '127.0.0.1' })
    const [head = '', sentBody] = (server.requests[0] ?? '').split('\r\n\r\n')
    expect(sentBody).toBe('{"amount":100.5}')
    expect(head.split('\r\n').sort()).toEqual([
      'POST /hooks/a%20b?x=1&y=%C3%BC HTTP/1.1',
      'accept-encoding: identity',
      'connection: close',
      'content-length: 16',
      'content-type: application/json',
      `host: localhost:${server.port}`,
      'x-event-id: id-1',
    ])
  })

  test('is timed stage by stage', async () => {
    const server = await serve(ok())
    const { timings } = await send(server.url)
    const stages = [timings.dnsMs, timings.connectMs, timings.tlsMs, timings.firstByteMs, timings.totalMs]
    expect(stages.every((ms) => typeof ms === 'number')).toBe(true)
    expect(stages.map(Number)).toEqual([...stages.map(Number)].sort((one, other) => one - other))
  })
})

describe('plain HTTP to localhost in development', () => {
  async function plainServer(): Promise<{ url: string; requests: string[] }> {
    const requests: string[] = []
    const server = createServer((socket) =>
      socket.once('data', (bytes) => {
        requests.push(bytes.toString())
        socket.end(ok())
      }),
    )
    await once(server.listen(0, '127.0.0.1'), 'listening')
    servers.push({ close: async () => void server.close() })
    return { url: `http://localhost:${(server.address() as AddressInfo).port}/hooks`, requests }
  }

  test('is sent by the option that names it, and not without it', async () => {
    const { url, requests } = await plainServer()
    const allowed = await send(url, {}, { policy: { allowPlainHttpLocalhost: true } })
    expect(allowed).toMatchObject({ cause: null, status: 200, address: '127.0.0.1', timings: { tlsMs: null } })
    expect(requests[0]).toContain('POST /hooks HTTP/1.1')
    expect(await send(url)).toMatchObject({ cause: 'ENDPOINT_NOT_ALLOWED' })
    expect(requests).toHaveLength(1)
  })
})

describe('the final status decides', () => {
  test.each([
    [200, null],
    [201, null],
    [204, null],
    [299, null],
    [300, 'REDIRECT'],
    [301, 'REDIRECT'],
    [302, 'REDIRECT'],
    [303, 'REDIRECT'],
    [304, 'REDIRECT'],
    [307, 'REDIRECT'],
    [308, 'REDIRECT'],
    [400, 'HTTP_STATUS'],
    [401, 'HTTP_STATUS'],
    [410, 'HTTP_STATUS'],
    [429, 'HTTP_STATUS'],
    [500, 'HTTP_STATUS'],
    [503, 'HTTP_STATUS'],
    [599, 'HTTP_STATUS'],
  ] as const)('%i', async (status, cause) => {
    const server = await serve(`HTTP/1.1 ${status} Whatever\r\nContent-Length: 0\r\n\r\n`)
    expect(await send(server.url)).toMatchObject({ status, cause })
  })

  test('a redirect is recorded and not followed', async () => {
    const target = await serve(ok())
    const server = await serve(`HTTP/1.1 307 Moved\r\nLocation: ${target.url}\r\nContent-Length: 0\r\n\r\n`)
    const result = await send(server.url)
    expect(result).toMatchObject({ cause: 'REDIRECT', responseHeaders: { location: target.url } })
    expect(target.requests).toEqual([])
  })

  test.each([
    ['HTTP/1.0 without a length', 'HTTP/1.0 200 OK\r\n\r\nfine', 200],
    ['no length', 'HTTP/1.1 200 OK\r\n\r\nfine', 200],
    [
      'a few informational answers first',
      `HTTP/1.1 103 Early Hints\r\n\r\n${'HTTP/1.1 102 Processing\r\n\r\n'.repeat(3)}${ok()}`,
      200,
    ],
    ['chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfine\r\n0\r\n\r\n', 200],
    ['more body than its length', 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfineHTTP/1.1 500 No\r\n\r\n', 200],
    ['no reason phrase', 'HTTP/1.1 200\r\nContent-Length: 4\r\n\r\nfine', 200],
  ])('%s', async (_name, answer, status) => {
    const server = await serve(answer)
    const result = await send(server.url)
    expect(result).toMatchObject({ cause: null, status })
    expect(text(result)).toBe('fine')
  })

  test.each([
    ['a body shorter than its length', 'HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\nfine'],
    ['bad chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nfine\r\n'],
    ['a chunk that ends too soon', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nfine'],
  ])('%s after a 2xx is success all the same', async (_name, answer) => {
    const server = await serve(answer)
    expect(await send(server.url)).toMatchObject({ cause: null, status: 200 })
  })

  test('a connection reset in the middle of the body of a 2xx is success all the same', async () => {
    const server = await serve((socket, reset) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nfine', () => setTimeout(reset, 20))
    })
    expect(await send(server.url)).toMatchObject({ cause: null, status: 200 })
  })

  test('a failing status with a broken body is that status', async () => {
    const server = await serve('HTTP/1.1 503 Busy\r\nRetry-After: 120\r\nContent-Length: 9\r\n\r\nx')
    const result = await send(server.url)
    expect(result).toMatchObject({ cause: 'HTTP_STATUS', status: 503, responseHeaders: { 'retry-after': '120' } })
  })
})

describe('what is no answer', () => {
  test.each([
    ['closes at once', (socket: TLSSocket) => void socket.end(), 'CONNECTION_LOST'],
    ['resets', (_socket: TLSSocket, reset: () => void) => reset(), 'CONNECTION_LOST'],
    ['closes in the head', (socket: TLSSocket) => void socket.end('HTTP/1.1 200 OK\r\nContent-'), 'CONNECTION_LOST'],
    ['speaks HTTP/0.9', (socket: TLSSocket) => void socket.end('fine\r\n'), 'INVALID_RESPONSE'],
    [
      'speaks something else',
      (socket: TLSSocket) => void socket.end('220 mail.example.com ESMTP\r\n'),
      'INVALID_RESPONSE',
    ],
    ['has no status', (socket: TLSSocket) => void socket.end('HTTP/1.1 OK\r\n\r\n'), 'INVALID_RESPONSE'],
    [
      'has two lengths',
      (socket: TLSSocket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nfine'),
      'INVALID_RESPONSE',
    ],
    [
      'has a bad header',
      (socket: TLSSocket) => void socket.end('HTTP/1.1 200 OK\r\nbad header\r\n\r\n'),
      'INVALID_RESPONSE',
    ],
    [
      'has 64 KiB of headers',
      (socket: TLSSocket) => void socket.end(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(65_536)}\r\n\r\n`),
      'INVALID_RESPONSE',
    ],
    [
      'switches protocols',
      (socket: TLSSocket) =>
        void socket.end('HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n'),
      'CONNECTION_LOST',
    ],
    ['sends nothing but informational answers', flood('HTTP/1.1 103 Early Hints\r\n\r\n'), 'INVALID_RESPONSE'],
  ] as const)('a server that %s', async (_name, answer, cause) => {
    const server = await serve(answer)
    expect(await send(server.url)).toMatchObject({ cause, status: null })
  })
})

/** Writes for ever, as fast as it is read. */
function flood(piece: string): (socket: TLSSocket) => void {
  return (socket) => {
    const write = () => {
      while (!socket.destroyed && socket.write(piece.repeat(50)));
    }
    socket.on('drain', write)
    write()
  }
}

describe('bodies', () => {
  test('no more than 16 KiB are kept, and the rest is not waited for', async () => {
    const server = await serve((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      flood('a'.repeat(1_000))(socket)
    })
    const result = await send(server.url)
    expect(result).toMatchObject({ cause: null, status: 200 })
    expect(result.responseBody).toHaveLength(16_384)
  })

  test('a gzip bomb stays what came over the wire', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000))
    const server = await serve((socket) => {
      socket.write(
        `HTTP/1.1 200 OK\r\nContent-Encoding: ${'gzip, '.repeat(100)}gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`,
      )
      socket.end(bomb)
    })
    const result = await send(server.url)
    expect(result.status).toBe(200)
    expect(Buffer.from(result.responseBody ?? []).equals(bomb.subarray(0, result.responseBody?.length))).toBe(true)
    expect(result.responseBody?.length).toBeLessThanOrEqual(16_384)
  })

  test('bytes are kept as bytes', async () => {
    const server = await serve((socket) => {
      socket.write('HTTP/1.1 500 No\r\nContent-Length: 3\r\n\r\n')
      socket.end(Buffer.from([0xff, 0x00, 0xfe]))
    })
    expect([...((await send(server.url)).responseBody ?? [])]).toEqual([0xff, 0x00, 0xfe])
  })
})

describe('headers of the answer', () => {
  test('are kept with lower-case names, secrets redacted, control characters replaced, bounded', async () => {
    const many = Array.from({ length: 90 }, (_, index) => `x-${index}: v\r\n`).join('')
    const server = await serve(
      `HTTP/1.1 503 No\r\nSet-Cookie: sid=canary; HttpOnly\r\nX-Api-Key: canary\r\nX-Auth-Token: canary\r\n${many}` +
        `WWW-Authenticate: Bearer\r\nX-Long: ${'b'.repeat(5_000)}\r\nX-Odd: a\tb\r\nRetry-After: 90\r\n` +
        'Location: https://partner.com/\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n\r\n',
    )
    const { responseHeaders } = await send(server.url)
    expect(JSON.stringify(responseHeaders)).not.toContain('canary')
    expect(responseHeaders).toMatchObject({
      'set-cookie': '[redacted]',
      'retry-after': '90',
      location: 'https://partner.com/',
      'content-type': 'text/plain',
    })
    expect(Object.keys(responseHeaders).length).toBeLessThanOrEqual(64)
    for (const value of Object.values(responseHeaders)) {
      expect(value.length).toBeLessThanOrEqual(1_024)
      expect(value).not.toMatch(/\p{Cc}/u)
    }
  })
})

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
    const result = await send('https://partner.com/', { timeoutMs: 100 }, { resolve: to('8.8.8.8'), dial })
    expect(result).toMatchObject({ cause: 'TIMEOUT', address: '8.8.8.8', timings: { connectMs: null } })
  })

  test('no time at all is a timeout', async () => {
    const server = await serve(ok())
    expect(await send(server.url, { timeoutMs: 0 })).toMatchObject({ cause: 'TIMEOUT', status: null })
  })
})

function drip(payload: string): (socket: TLSSocket) => void {
  return (socket) => {
    let at = 0
    const timer = setInterval(() => socket.write(payload[at++ % payload.length] ?? ''), 15)
    socket.on('close', () => clearInterval(timer))
  }
}

const closing = (server: Server) => ({
  close: () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
    }),
})

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

/** A resolver that gives these addresses for every name. */
const to =
  (...addresses: readonly string[]): NameResolver =>
  () =>
    Promise.resolve({ kind: 'addresses', addresses })

describe('names and addresses', () => {
  let dialled: string[]
  beforeEach(() => {
    dialled = []
  })
  const noDial: Dial = ({ address }) => {
    dialled.push(address)
    return Promise.reject(new Error('refused'))
  }
  const guarded = (url: string, options: HttpsSenderOptions) => send(url, {}, { policy: {}, dial: noDial, ...options })

  test.each([
    ['http://partner.com/'],
    ['https://127.0.0.1/'],
    ['https://[::1]:8443/'],
    ['https://localhost:8443/'],
    ['https://partner.com:22/'],
    ['https://user@partner.com/'],
    ['https://x.internal/'],
    ['not a url'],
  ])('%s is refused before any name is asked for', async (url) => {
    expect(await guarded(url, {})).toMatchObject({ cause: 'ENDPOINT_NOT_ALLOWED' })
    expect(dialled).toEqual([])
  })

  test.each([
    ['private', ['10.0.0.1']],
    ['loopback', ['127.0.0.1']],
    ['link-local', ['169.254.169.254']],
    ['loopback IPv6', ['::1']],
    ['mapped', ['::ffff:10.0.0.1']],
    ['public, then private', ['8.8.8.8', '10.0.0.1']],
    ['private, then public', ['10.0.0.1', '8.8.8.8']],
    ['public IPv4, private IPv6', ['8.8.8.8', 'fd00::1']],
    [
      'a thousand public and one private',
      [...Array.from({ length: 1_000 }, (_, n) => `8.8.${n >> 8}.${n & 255}`), '127.0.0.1'],
    ],
    ['no address but text', ['8.8.8.8', 'localhost']],
  ])('a name whose answer is %s is refused, and nothing is dialled', async (_name, addresses) => {
    expect(await guarded('https://partner.com/', { resolve: to(...addresses) })).toMatchObject({
      cause: 'ENDPOINT_NOT_ALLOWED',
      address: null,
    })
    expect(dialled).toEqual([])
  })

  test('the addresses that were vetted are the ones that are dialled, in order, four at most', async () => {
    const addresses = ['8.8.8.8', '2606:2800::1', '8.8.4.4', '1.1.1.1', '9.9.9.9']
    expect(await guarded('https://partner.com/', { resolve: to(...addresses) })).toMatchObject({
      cause: 'CONNECT_FAILED',
      address: '1.1.1.1',
    })
    expect(dialled).toEqual(addresses.slice(0, 4))
  })

  test('the name is asked for once per attempt, so that a second answer cannot slip in', async () => {
    let asked = 0
    const flipping: NameResolver = () => {
      asked += 1
      return Promise.resolve({ kind: 'addresses', addresses: [asked % 2 === 1 ? '8.8.8.8' : '127.0.0.1'] })
    }
    const sender = createHttpsSender({ resolve: flipping, dial: noDial })
    const causes: unknown[] = []
    for (let n = 0; n < 1_000; n += 1) causes.push((await sender(request('https://partner.com/'))).cause)
    expect(asked).toBe(1_000)
    expect(new Set(dialled)).toEqual(new Set(['8.8.8.8']))
    expect(causes.filter((cause) => cause === 'ENDPOINT_NOT_ALLOWED')).toHaveLength(500)
  })

  test('a socket that is connected to something else than was dialled is dropped before a byte is sent', async () => {
    const server = await serve(ok(), { certificate: await authority.issue({ names: ['partner.com'] }) })
    const elsewhere: Dial = ({ signal }) => dialTcp({ address: '127.0.0.1', port: server.port, signal })
    const result = await guarded('https://partner.com/', {
      resolve: to('8.8.8.8'),
      dial: elsewhere,
      trustedCa: authority.caPem,
    })
    expect(result).toMatchObject({ cause: 'ENDPOINT_NOT_ALLOWED', address: '8.8.8.8', timings: { tlsMs: null } })
    expect(server.requests).toEqual([])
  })

  test('a public name is reached at its vetted address with its own name in TLS and Host', async () => {
    const server = await serve(ok(), { certificate: await authority.issue({ names: ['partner.com'] }) })
    const asIfPublic: Dial = async ({ signal }) => ({
      ...(await dialTcp({ address: '127.0.0.1', port: server.port, signal })),
      remoteAddress: '::ffff:8.8.8.8',
    })
    const result = await guarded('https://partner.com/hooks', {
      resolve: to('8.8.8.8'),
      dial: asIfPublic,
      trustedCa: authority.caPem,
    })
    expect(result).toMatchObject({ cause: null, status: 200, address: '8.8.8.8' })
    expect(server.requests[0]).toContain('\r\nhost: partner.com\r\n')
  })

  test('the local authority is not trusted for public names', async () => {
    const server = await serve(ok(), { certificate: await authority.issue({ names: ['partner.com'] }) })
    const asIfPublic: Dial = async ({ signal }) => ({
      ...(await dialTcp({ address: '127.0.0.1', port: server.port, signal })),
      remoteAddress: '8.8.8.8',
    })
    const policy = { allowLoopback: { caPem: authority.caPem } }
    const result = await guarded('https://partner.com/', { policy, resolve: to('8.8.8.8'), dial: asIfPublic })
    expect(result).toMatchObject({ cause: 'TLS_FAILED' })
  })

  test('an operator may narrow the addresses further', async () => {
    const isAllowedAddress = (address: string) => address !== '8.8.8.8'
    expect(await guarded('https://partner.com/', { resolve: to('8.8.8.8'), isAllowedAddress })).toMatchObject({
      cause: 'ENDPOINT_NOT_ALLOWED',
    })
  })

  test('a resolver that says nothing at all is no address', async () => {
    expect(await guarded('https://partner.com/', { resolve: to() })).toMatchObject({ cause: 'DNS_FAILED' })
  })
})

describe('names that do not resolve', () => {
  const answers = (byName: Readonly<Record<string, Resolution['kind']>>): NameResolver => {
    return (name) => {
      asked.push(name)
      const kind = byName[name] ?? 'not_found'
      return Promise.resolve(kind === 'addresses' ? { kind, addresses: ['8.8.8.8'] } : { kind })
    }
  }
  let asked: string[]
  beforeEach(() => {
    asked = []
  })

  test('one that does not exist is the failure of its owner, and nothing else is asked', async () => {
    const resolve = answers({ 'partner.com': 'not_found' })
    expect(await send('https://partner.com/', {}, { resolve })).toMatchObject({ cause: 'DNS_FAILED' })
    expect(asked).toEqual(['partner.com'])
  })

  test('one whose servers do not answer is the failure of its owner while a well-known name resolves', async () => {
    const resolve = answers({ 'partner.com': 'unavailable', 'example.com': 'addresses' })
    expect(await send('https://partner.com/', {}, { resolve })).toMatchObject({ cause: 'DNS_FAILED' })
    expect(asked).toEqual(['partner.com', 'example.com'])
  })

  test.each(['unavailable', 'not_found'] as const)('it is ours while the well-known name is %s too', async (kind) => {
    const resolve = answers({ 'partner.com': 'unavailable', 'status.kyc-relay.com': kind })
    const result = await send('https://partner.com/', {}, { resolve, wellKnownName: 'status.kyc-relay.com' })
    expect(result).toMatchObject({ cause: 'RESOLVER_DOWN' })
  })

  test('without a well-known name it is always theirs', async () => {
    const resolve = answers({ 'partner.com': 'unavailable' })
    expect(await send('https://partner.com/', {}, { resolve, wellKnownName: null })).toMatchObject({
      cause: 'DNS_FAILED',
    })
  })

  test('a resolver that throws ends the attempt, not the caller', async () => {
    const result = await send('https://partner.com/', {}, { resolve: () => Promise.reject(new Error('canary')) })
    expect(result.cause).toBe('INTERNAL_ERROR')
    expect(JSON.stringify(result)).not.toContain('canary')
  })
})

describe('sockets', () => {
  test('a port where nothing listens is a failed connection', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    await closing(server).close()
    expect(await send(`https://localhost:${port}/`)).toMatchObject({ cause: 'CONNECT_FAILED' })
  })

  test('having no socket left is our own fault', async () => {
    const { DialError } = await import('../../src/https/connection.js')
    const result = await send(
      'https://partner.com/',
      {},
      { resolve: to('8.8.8.8'), dial: () => Promise.reject(new DialError('OUT_OF_SOCKETS')) },
    )
    expect(result.cause).toBe('OUT_OF_SOCKETS')
  })

  test('none is left open, whatever the answer', async () => {
    const closed: Promise<unknown>[] = []
    const counting: Dial = async (target) => {
      const connection = await loopbackOnly(target)
      closed.push(once(connection.socket, 'close'))
      return connection
    }
    const answers = [ok(), 'garbage', 'HTTP/1.1 500 No\r\n\r\n', flood('a'), () => {}, drip('HTTP/1.1 200 OK\r\n\r\na')]
    for (const answer of answers) {
      const server = await serve(answer)
      await send(server.url, { timeoutMs: 200 }, { dial: counting })
    }
    expect(closed).toHaveLength(answers.length)
    await Promise.all(closed)
  })
})
