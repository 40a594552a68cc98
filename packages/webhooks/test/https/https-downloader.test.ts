import { once } from 'node:events'
import type { TLSSocket } from 'node:tls'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { dialTcp, type Dial } from '../../src/https/connection.js'
import {
  createHttpsDownloader,
  type DownloadRequest,
  type HttpsDownloaderOptions,
} from '../../src/https/https-downloader.js'
import type { NameResolver, Resolution } from '../../src/https/resolver.js'
import { createTestAuthority, type KeyPairPem, type TestAuthority } from './local/certificates.js'
import { startRawTlsServer, type RawTlsServer } from './local/raw-tls-server.js'

const names = ['photos.partner.com', 'cdn.partner.com', 'inside.partner.com']
let authority: TestAuthority
let certificate: KeyPairPem
let servers: RawTlsServer[] = []

beforeAll(async () => {
  authority = await createTestAuthority()
  certificate = await authority.issue({ names })
})
afterEach(async () => {
  await Promise.all(servers.map((server) => server.close()))
  servers = []
})

type Answer = string | Buffer | ((socket: TLSSocket, reset: () => void, path: string) => void)

/** A server that answers by path; what it does not know is 404. */
async function serve(answers: Readonly<Record<string, Answer>>): Promise<RawTlsServer> {
  const server: RawTlsServer = await startRawTlsServer(certificate, (socket, reset) => {
    const path = / (\S+) /.exec(server.requests.at(-1) ?? '')?.[1] ?? ''
    const answer = answers[path] ?? status(404)
    if (typeof answer === 'function') answer(socket, reset, path)
    else socket.end(answer)
  })
  servers.push(server)
  return server
}

const ok = (body: string | Buffer, length = body.length) =>
  Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n`), Buffer.from(body)])
const status = (code: number) => `HTTP/1.1 ${code} Whatever\r\nContent-Length: 0\r\n\r\n`
const redirect = (location: string, code = 302) =>
  `HTTP/1.1 ${code} Moved\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`

/** Where the names lead: public addresses that the dial below keeps on this machine, and one that is not public. */
const addresses: Readonly<Record<string, string>> = {
  'photos.partner.com': '93.184.215.14',
  'cdn.partner.com': '93.184.215.15',
  'inside.partner.com': '10.0.0.7',
}
const resolveHere: NameResolver = (name): Promise<Resolution> => {
  const address = addresses[name]
  return Promise.resolve(address === undefined ? { kind: 'not_found' } : { kind: 'addresses', addresses: [address] })
}

/** Connects to this machine whatever the address, and remembers what was asked for: no packet leaves. */
function dialHere(dialled: string[]): Dial {
  return async ({ address, port, signal }) => {
    dialled.push(address)
    const { socket } = await dialTcp({ address: '127.0.0.1', port, signal })
    return { socket, remoteAddress: address }
  }
}

function newDownload(options: HttpsDownloaderOptions = {}) {
  const dialled: string[] = []
  const download = createHttpsDownloader({
    resolve: resolveHere,
    wellKnownName: null,
    trustedCa: authority.caPem,
    dial: dialHere(dialled),
    ...options,
  })
  return {
    dialled,
    get: (url: string, change: Partial<DownloadRequest> = {}) =>
      download({ url, maxBytes: 1_000, timeoutMs: 5_000, ...change }),
  }
}

const urlOf = ({ port }: RawTlsServer, path: string, name = 'photos.partner.com') => `https://${name}:${port}${path}`
const text = (body: Uint8Array) => new TextDecoder().decode(body)

describe('a download', () => {
  test('is one GET on a connection of its own, with nothing in it that says who asks', async () => {
    const server = await serve({ '/a%20b?x=1&sig=%2F': ok('fine') })
    const { get } = newDownload({ accept: 'image/*' })
    const result = await get(`${urlOf(server, '/a b?x=1&sig=%2F')}#part`)
    expect(result).toEqual({ ok: true, body: new TextEncoder().encode('fine') })
    expect(server.requests[0]?.trim().split('\r\n').sort()).toEqual([
      'GET /a%20b?x=1&sig=%2F HTTP/1.1',
      'accept-encoding: identity',
      'accept: image/*',
      'connection: close',
      `host: photos.partner.com:${server.port}`,
    ])
  })

  test.each([
    ['chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfine\r\n0\r\n\r\n'],
    ['no length', 'HTTP/1.1 200 OK\r\n\r\nfine'],
    ['informational answers first', `HTTP/1.1 103 Early Hints\r\n\r\n${ok('fine').toString()}`],
  ])('takes %s', async (_name, answer) => {
    const server = await serve({ '/a': answer })
    const result = await newDownload().get(urlOf(server, '/a'))
    expect(result.ok && text(result.body)).toBe('fine')
  })

  test('takes a body of exactly the most bytes, announced or not', async () => {
    const whole = 'x'.repeat(1_000)
    const server = await serve({ '/a': ok(whole), '/b': `HTTP/1.1 200 OK\r\n\r\n${whole}` })
    for (const path of ['/a', '/b']) {
      const result = await newDownload().get(urlOf(server, path))
      expect(result.ok && result.body.length).toBe(1_000)
    }
  })

  test('takes a URL of 8,192 characters and none that is longer', async () => {
    const server = await serve({})
    const { get } = newDownload()
    const base = urlOf(server, '/')
    const longest = base + 'a'.repeat(8_192 - base.length)
    expect(await get(longest)).toEqual({ ok: false, cause: 'HTTP_STATUS', status: 404 })
    expect(await get(`${longest}a`)).toEqual({ ok: false, cause: 'URL_NOT_ALLOWED', status: null })
  })
})

describe('redirects', () => {
  test.each([301, 302, 303, 307, 308])('%i is followed', async (code) => {
    const server = await serve({ '/a': redirect('/b', code), '/b': ok('fine') })
    const result = await newDownload().get(urlOf(server, '/a'))
    expect(result.ok && text(result.body)).toBe('fine')
  })

  test('are followed three times, each to the vetted address of its own name', async () => {
    const server = await serve({
      '/a': (socket) => socket.end(redirect(urlOf(server, '/b', 'cdn.partner.com'))),
      '/b': redirect('c?d#e'),
      '/c?d': (socket) => socket.end(redirect(`//photos.partner.com:${server.port}/e`)),
      '/e': ok('fine'),
    })
    const { get, dialled } = newDownload()
    const result = await get(urlOf(server, '/a'))
    expect(result.ok && text(result.body)).toBe('fine')
    expect(dialled).toEqual(['93.184.215.14', '93.184.215.15', '93.184.215.15', '93.184.215.14'])
    expect(server.requests.every((head) => !/cookie|referer|authorization/i.test(head))).toBe(true)
  })

  test('four are one too many, and so is a loop', async () => {
    const server = await serve({
      '/1': redirect('/2'),
      '/2': redirect('/3'),
      '/3': redirect('/4'),
      '/4': redirect('/5'),
      '/5': ok('fine'),
      '/loop': redirect('/loop'),
    })
    for (const path of ['/1', '/loop']) {
      const before = server.requests.length
      const result = await newDownload().get(urlOf(server, path))
      expect(result).toEqual({ ok: false, cause: 'TOO_MANY_REDIRECTS', status: 302 })
      expect(server.requests.length - before).toBe(4)
    }
  })

  test.each([
    ['plain HTTP', 'http://photos.partner.com/b'],
    ['an address', 'https://169.254.169.254/latest/meta-data/'],
    ['an address in one number', 'https://2130706433/'],
    ['an address in brackets', 'https://[::ffff:7f00:1]/'],
    ['this machine', 'https://localhost/'],
    ['a name that is not public', 'https://metadata.internal/'],
    ['credentials', 'https://user:pass@photos.partner.com/b'],
    ['a port of something else', 'https://photos.partner.com:22/'],
    ['another scheme', 'file:///etc/passwd'],
    ['data', 'data:image/png;base64,iVBORw0KGgo='],
    ['no URL', 'https://'],
    ['our own host', 'https://api.example.org/'],
  ])('to %s are not followed', async (_name, location) => {
    const server = await serve({ '/a': redirect(location) })
    const { get, dialled } = newDownload({ policy: { ownHosts: ['api.example.org'] } })
    expect(await get(urlOf(server, '/a'))).toEqual({ ok: false, cause: 'REDIRECT_NOT_ALLOWED', status: 302 })
    expect(dialled).toEqual(['93.184.215.14'])
  })

  test('to a name with a private address are not connected', async () => {
    const server = await serve({
      '/a': (socket) => socket.end(redirect(urlOf(server, '/b', 'inside.partner.com'))),
      '/b': ok('secret'),
    })
    const { get, dialled } = newDownload()
    expect(await get(urlOf(server, '/a'))).toEqual({ ok: false, cause: 'ADDRESS_NOT_ALLOWED', status: 302 })
    expect(dialled).toEqual(['93.184.215.14'])
  })

  test('without a place to go are refused', async () => {
    const server = await serve({ '/a': status(302) })
    expect(await newDownload().get(urlOf(server, '/a'))).toMatchObject({ cause: 'REDIRECT_NOT_ALLOWED' })
  })
})

describe('what is not downloaded', () => {
  test.each([
    ['plain HTTP', 'http://photos.partner.com/a'],
    ['an address', 'https://127.0.0.1/a'],
    ['this machine', 'https://localhost/a'],
    ['credentials', 'https://user@photos.partner.com/a'],
    ['no URL', 'photos.partner.com'],
  ])('%s', async (_name, url) => {
    const { get, dialled } = newDownload()
    expect(await get(url)).toEqual({ ok: false, cause: 'URL_NOT_ALLOWED', status: null })
    expect(dialled).toEqual([])
  })

  test('a name with a private address, or one that moves when it is connected', async () => {
    const { get } = newDownload()
    expect(await get('https://inside.partner.com/a')).toMatchObject({ cause: 'ADDRESS_NOT_ALLOWED' })
    const server = await serve({ '/a': ok('secret') })
    const moved: Dial = async ({ port, signal }) => dialTcp({ address: '127.0.0.1', port, signal })
    const result = await newDownload({ dial: moved }).get(urlOf(server, '/a'))
    expect(result).toMatchObject({ cause: 'ADDRESS_NOT_ALLOWED' })
    expect(server.requests).toEqual([])
  })

  test.each([201, 204, 206, 300, 304, 400, 403, 404, 410, 429, 500, 503])('status %i', async (code) => {
    const server = await serve({ '/a': status(code) })
    expect(await newDownload().get(urlOf(server, '/a'))).toEqual({ ok: false, cause: 'HTTP_STATUS', status: code })
  })

  test('more than the most bytes: announced, it is not read at all; endless, no more than that of it', async () => {
    let sent = 0
    const server = await serve({
      '/announced': (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n'),
      '/endless': (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        const more = () => {
          while (!socket.destroyed && socket.write(Buffer.alloc(16_384)) && sent < 1e9) sent += 16_384
        }
        socket.on('drain', more)
        more()
      },
    })
    for (const path of ['/announced', '/endless']) {
      const result = await newDownload().get(urlOf(server, path))
      expect(result).toEqual({ ok: false, cause: 'TOO_LARGE', status: 200 })
    }
    expect(sent).toBeLessThan(100e6)
  })

  test.each<[string, Answer]>([
    ['a body that ends before its length', ok('fine', 40)],
    ['chunks that do not end', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfine\r\n'],
    [
      'chunks of a server that closes, before their end',
      'HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfine\r\n',
    ],
    [
      'a body of a server that closes, before its length',
      'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 40\r\n\r\nfine',
    ],
    ['a reset inside the body', (socket, reset) => socket.write(ok('fine', 40), () => reset())],
    ['a connection closed without an answer', (socket) => void socket.end()],
  ])('%s', async (_name, answer) => {
    const server = await serve({ '/a': answer })
    const result = await newDownload().get(urlOf(server, '/a'))
    expect(result).toMatchObject({ ok: false, cause: 'CONNECTION_LOST' })
  })

  test.each([
    ['what is no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['a chunk without a length', 'HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\nfine\r\n'],
  ])('%s', async (_name, answer) => {
    const server = await serve({ '/a': answer })
    expect(await newDownload().get(urlOf(server, '/a'))).toMatchObject({ cause: 'INVALID_RESPONSE' })
  })

  test('a name that does not exist, a port nobody listens on, a certificate of somebody else', async () => {
    const server = await serve({ '/a': ok('fine') })
    const { get } = newDownload()
    expect(await get('https://nowhere.partner.com/a')).toMatchObject({ cause: 'DNS_FAILED' })
    await server.close()
    servers = []
    expect(await get(urlOf(server, '/a'))).toMatchObject({ cause: 'CONNECT_FAILED' })
    const other = await serve({ '/a': ok('fine') })
    const stranger = await createTestAuthority()
    const result = await newDownload({ trustedCa: stranger.caPem }).get(urlOf(other, '/a'))
    expect(result).toMatchObject({ cause: 'TLS_FAILED' })
    expect(other.requests).toEqual([])
  })

  test('nothing, when our own name resolution does not work', async () => {
    const unavailable: NameResolver = () => Promise.resolve({ kind: 'unavailable' })
    const { get } = newDownload({ resolve: unavailable, wellKnownName: 'example.com' })
    expect(await get('https://photos.partner.com/a')).toMatchObject({ cause: 'RESOLVER_DOWN' })
  })
})

describe('one deadline counts for everything', () => {
  test.each<[string, Readonly<Record<string, Answer>>]>([
    ['no answer', { '/a': () => undefined }],
    ['a body that drips', { '/a': (socket) => drip(socket) }],
    ['the second of two redirects', { '/a': redirect('/b'), '/b': redirect('/c'), '/c': () => undefined }],
  ])('%s', async (_name, answers) => {
    const server = await serve(answers)
    const result = await newDownload().get(urlOf(server, '/a'), { timeoutMs: 300 })
    expect(result).toMatchObject({ ok: false, cause: 'TIMEOUT' })
  })

  test('and the caller can end it before', async () => {
    const stop = new AbortController()
    const server = await serve({ '/a': () => stop.abort() })
    const result = await newDownload().get(urlOf(server, '/a'), { signal: stop.signal })
    expect(result).toMatchObject({ ok: false, cause: 'ABORTED' })
    expect(await newDownload().get(urlOf(server, '/a'), { signal: stop.signal })).toMatchObject({ cause: 'ABORTED' })
  })
})

function drip(socket: TLSSocket): void {
  socket.write('HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n')
  const timer = setInterval(() => socket.write('x'), 20)
  void once(socket, 'close').then(() => clearInterval(timer))
}
