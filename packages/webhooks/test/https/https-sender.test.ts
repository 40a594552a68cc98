import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Dial } from '../../src/https/connection.js'
import { createHttpsSender } from '../../src/https/https-sender.js'
import {
  closeServers,
  closing,
  drip,
  issueCertificate,
  loopbackOnly,
  ok,
  send,
  serve,
  servers,
  text,
  to,
} from './sender-fixture.js'

beforeAll(issueCertificate)
afterEach(closeServers)

test.each([
  ['maxBodyBytes', -1],
  ['maxBodyBytes', 1e12],
  ['maxBodyBytes', Number.NaN],
  ['connectTimeoutMs', Number.NaN],
  ['connectTimeoutMs', 2 ** 31],
])('an option %s of %d is refused before anything is sent', (name, value) => {
  expect(() => createHttpsSender({ [name]: value })).toThrow(`The option ${name} must be`)
})

test.each([
  ['ownHosts', { ownHosts: ['api.example.com'] }],
  ['policy.ownHost', { policy: { ownHost: ['api.example.com'] } }],
  ['policy.ownHosts', { policy: { ownHosts: 'api.example.com' } }],
  ['isAllowedAdress', { isAllowedAdress: () => false }],
  ['isAllowedAddress', { isAllowedAddress: false }],
  ['resolve', { resolve: {} }],
  ['proxy.caPem', { proxy: { url: 'http://proxy:3128', caPem: '' } }],
])('an option %s that would have no effect is refused: %j', (name, options) => {
  const refusal = new RegExp(`^The option ${name} (does not exist|must be a function|has a wrong value)\\.$`)
  expect(() => createHttpsSender(options as never)).toThrow(refusal)
})

test.each([{ ca: '/etc/ca.pem' }, { ca: '' }, { ca: [] }, { ca: null }])('an authority of $ca is refused', ({ ca }) => {
  const url = 'http://proxy:3128'
  for (const options of [{ trustedCa: ca }, { policy: { allowLoopback: { caPem: ca } } }, { proxy: { url, ca } }])
    expect(() => createHttpsSender(options as never)).toThrow(
      /^(?:A trusted authority must be given as its certificates|The option policy\.allowLoopback has a wrong value)/,
    )
})

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
    ['a 100 Continue that nobody asked for', `HTTP/1.1 100 Continue\r\n\r\n${ok()}`, 200],
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
    const result = await send(server.url, { timeoutMs: 2 ** 31 - 1 })
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
