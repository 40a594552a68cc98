import { once } from 'node:events'
import { connect as connectTls } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectGraphqlRefusal, expectProblem } from '../expect-refusal.js'
import { exchangeRaw, openRaw, type RawTarget } from './raw-connection.js'
import { startTestServer, submissionDocument, submissionVariables, type RunningTestServer } from '../running-server.js'

let server: RunningTestServer
let secure: RawTarget
let api: RawTarget
let token: string
beforeAll(async () => {
  server = await startTestServer()
  secure = { port: Number(new URL(server.demo.secureUrl).port), ca: server.ca }
  api = { port: Number(new URL(server.demo.apiUrl).port) }
  token = server.demo.users[0]?.accessToken ?? ''
})
afterAll(() => server.stop())

const path = '/api/v1/graphql'
const submission = (changes?: Record<string, unknown>) =>
  JSON.stringify({ query: submissionDocument, variables: submissionVariables(changes) })

/** A good request for a submission, with parts changed. A header of null is left out, an array is sent repeatedly. */
function request(
  changes: {
    readonly method?: string
    readonly target?: string
    readonly version?: string
    readonly headers?: Readonly<Record<string, string | readonly string[] | null>>
    readonly body?: string | Buffer
  } = {},
): Buffer {
  const body = Buffer.from(changes.body ?? submission())
  const headers: Record<string, string | readonly string[] | null> = {
    host: 'localhost',
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': String(body.length),
    ...changes.headers,
  }
  const lines = Object.entries(headers).flatMap(([name, values]) =>
    values === null ? [] : [values].flat().map((value) => `${name}: ${value}`),
  )
  const { method = 'POST', target = path, version = 'HTTP/1.1' } = changes
  return Buffer.concat([Buffer.from(`${method} ${target} ${version}\r\n${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body])
}

const recordedIds = async (accessToken = token): Promise<string[]> => {
  const { json } = await server.graphql(
    'api',
    { query: '{ kycVerifications(first: 100) { nodes { externalVerificationId } } }' },
    { token: accessToken },
  )
  const nodes = json.data.kycVerifications.nodes as { externalVerificationId: string }[]
  return nodes.map((node) => node.externalVerificationId)
}

it('a good request over a raw socket is accepted', async () => {
  const answer = await exchangeRaw(secure, request())
  expect(answer.status).toBe(200)
  expect(answer.json.data.postKycVerification.verificationId).toMatch(/^[0-9a-f-]{36}$/)
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(answer.headers['cache-control']).toBe('no-store')
})

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
})

describe('the head of a request', () => {
  it.each([
    ['no Host', { host: null }, 'HOST_MISSING'],
    ['an empty Host', { host: '' }, 'HOST_INVALID'],
    ['Host twice', { host: ['localhost', 'localhost'] }, 'DUPLICATE_HEADER'],
    ['Host twice in another case', { host: 'localhost', Host: 'evil.example' }, 'DUPLICATE_HEADER'],
    ['two names in one Host', { host: 'localhost, evil.example' }, 'HOST_INVALID'],
    ['userinfo in Host', { host: 'localhost@evil.example' }, 'HOST_INVALID'],
    ['a path in Host', { host: 'localhost/x' }, 'HOST_INVALID'],
    ['a port that is none', { host: 'localhost:https' }, 'HOST_INVALID'],
    ['Authorization twice', { authorization: ['Bearer a', 'Bearer b'] }, 'DUPLICATE_HEADER'],
    ['Authorization twice, equal', { authorization: ['Bearer a', 'Bearer a'] }, 'DUPLICATE_HEADER'],
    ['Content-Type twice', { 'content-type': ['application/json', 'text/plain'] }, 'DUPLICATE_HEADER'],
    ['Content-Encoding twice', { 'content-encoding': ['gzip', 'identity'] }, 'DUPLICATE_HEADER'],
    [
      'Content-Encoding twice, in another case',
      { 'Content-Encoding': 'gzip', 'content-encoding': 'identity' },
      'DUPLICATE_HEADER',
    ],
    ['Content-Encoding twice, equal', { 'content-encoding': ['identity', 'identity'] }, 'DUPLICATE_HEADER'],
    ...['gzip, chunked', 'identity, chunked', 'x, chunked', ', chunked'].map(
      (coding) => [`${coding}`, { 'content-length': null, 'transfer-encoding': coding }, 'TRANSFER_ENCODING'] as const,
    ),
    [
      'Transfer-Encoding twice',
      { 'content-length': null, 'transfer-encoding': ['gzip', 'chunked'] },
      'DUPLICATE_HEADER',
    ],
  ] as const)('%s', async (_name, headers: Readonly<Record<string, string | readonly string[] | null>>, detail) => {
    expectGraphqlRefusal(await exchangeRaw(secure, request({ headers })), 400, 'BAD_REQUEST', detail)
    expectProblem(await exchangeRaw(api, request({ headers })), 400, 'BAD_REQUEST', detail)
  })

  it.each([
    ['evil.example', 421],
    ['localhost.evil.example', 421],
    ['127.0.0.2', 421],
    ['[::2]', 421],
    ['LOCALHOST', 200],
    ['localhost.', 200],
    ['localhost:4443', 200],
    ['127.0.0.1:80', 200],
    ['[::1]:4443', 200],
  ])('Host %s: %i', async (host, status) => {
    const secureAnswer = await exchangeRaw(secure, request({ headers: { host } }))
    const apiAnswer = await exchangeRaw(api, request({ headers: { host } }))
    expect([secureAnswer.status, apiAnswer.status]).toEqual([status, status])
    if (status === 421) {
      expectGraphqlRefusal(secureAnswer, 421, 'BAD_REQUEST', 'HOST_NOT_SERVED')
      expectProblem(apiAnswer, 421, 'BAD_REQUEST', 'HOST_NOT_SERVED')
    }
  })

  it.each([
    ['secure', '/healthz'],
    ['api', '/healthz'],
    ['api', '/readyz'],
  ])('a probe that asks the %s listener by address is answered: %s', async (listener, target) => {
    const bytes = `GET ${target} HTTP/1.1\r\nhost: 10.1.2.3:4443\r\n\r\n`
    expect((await exchangeRaw(listener === 'secure' ? secure : api, bytes)).status).toBe(200)
  })

  it.each([
    ['Transfer-Encoding beside Content-Length', { 'transfer-encoding': 'chunked' }],
    ['Content-Length twice', { 'content-length': ['5', '6'] }],
    ['Content-Length twice, equal', { 'content-length': ['5', '5'] }],
    ['a list of lengths', { 'content-length': '5, 5' }],
    ['a negative length', { 'content-length': '-2' }],
    ['a length of 10^20', { 'content-length': '100000000000000000000' }],
    ['a length in hex', { 'content-length': '0x10' }],
    ['a length with a plus', { 'content-length': '+5' }],
    ['xchunked', { 'content-length': null, 'transfer-encoding': 'xchunked' }],
    ['chunked, then identity', { 'content-length': null, 'transfer-encoding': 'chunked, identity' }],
    ['chunked twice', { 'content-length': null, 'transfer-encoding': 'chunked, chunked' }],
    ['gzip alone', { 'content-length': null, 'transfer-encoding': 'gzip' }],
    ['chunked with a parameter', { 'content-length': null, 'transfer-encoding': 'chunked;q=1' }],
    ['an empty coding', { 'content-length': null, 'transfer-encoding': '' }],
    ['a space before the colon', { 'x-one ': '1' }],
    ['a folded header', { 'x-one': '1\r\n folded' }],
    ['NUL in a value', { 'x-one': 'a\0b' }],
    ['a bare CR in a value', { 'x-one': 'a\rb' }],
    ['a control character in a name', { 'x\x01one': '1' }],
  ])('%s', async (_name, headers: Record<string, string | string[] | null>) => {
    for (const target of [secure, api]) {
      const connection = await openRaw(target)
      connection.send(request({ headers }))
      const answer = await connection.answer()
      expect([answer.status, answer.headers.connection]).toEqual([400, 'close'])
      if (target === secure) expectGraphqlRefusal(answer, 400, 'BAD_REQUEST', answer.json.errors[0].extensions.detail)
      else expectProblem(answer, 400, 'BAD_REQUEST', answer.json.detail)
      await connection.closed()
    }
  })

  it.each([
    ['bare LF as line ends', () => request().toString('latin1').replaceAll('\r\n', '\n'), 400],
    ['no HTTP at all', () => 'hello\r\n\r\n', 400],
    ['a header of 20 KiB', () => request({ headers: { 'x-large': 'x'.repeat(20 * 1024) } }), 431],
    ['a cookie of 20 KiB', () => request({ headers: { cookie: 'x'.repeat(20 * 1024) } }), 431],
    ['a target of 20 KiB', () => request({ target: `/${'x'.repeat(20 * 1024)}` }), 431],
    ['2,500 headers', () => request({ headers: manyHeaders(2_500) }), 431],
    ['2,500 short headers', () => request({ headers: { a: Array.from({ length: 2_500 }, () => '') } }), 431],
    ['200 headers', () => request({ headers: manyHeaders(200) }), 431],
    [
      'a duplicate behind 2,100 headers',
      () => request({ headers: { a: Array.from({ length: 2_100 }, () => ''), Host: 'evil.example' } }),
      431,
    ],
    ['an unknown method', () => request({ method: 'FOO' }), 400],
    ['the HTTP/2 preface', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['HTTP/1.0', () => request({ version: 'HTTP/1.0' }), 505],
    ['HTTP/2.0', () => request({ version: 'HTTP/2.0' }), 505],
    ['HTTP/0.9', () => 'GET /\r\n\r\n', 505],
    ['HTTP/9.9', () => request({ version: 'HTTP/9.9' }), 400],
    ['Expect: foo', () => request({ headers: { expect: 'foo' } }), 417],
  ])('%s', async (_name, bytes: () => string | Buffer, status) => {
    const answer = await exchangeRaw(secure, bytes())
    expectGraphqlRefusal(answer, status, 'BAD_REQUEST', answer.json.errors[0].extensions.detail)
    expectProblem(await exchangeRaw(api, bytes()), status, 'BAD_REQUEST', answer.json.errors[0].extensions.detail)
  })

  it('a hundred ordinary headers are fine', async () => {
    expect((await exchangeRaw(secure, request({ headers: manyHeaders(100) }))).status).toBe(200)
  })

  it.each(['TRACE', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'GET', 'PROPFIND', 'QUERY'])(
    '%s is refused with Allow: POST',
    async (method) => {
      const answer = await exchangeRaw(secure, request({ method }))
      expectGraphqlRefusal(answer, 405, 'METHOD_NOT_ALLOWED')
      expect(answer.headers.allow).toBe('POST')
    },
  )

  it('TRACE is refused wherever it goes', async () => {
    for (const target of ['/healthz', '/nowhere']) {
      expectGraphqlRefusal(await exchangeRaw(secure, request({ method: 'TRACE', target })), 405, 'METHOD_NOT_ALLOWED')
      expectProblem(await exchangeRaw(api, request({ method: 'TRACE', target })), 405, 'METHOD_NOT_ALLOWED')
    }
  })

  it('HEAD is refused with Allow: POST and no body', async () => {
    const answer = await server.call(`${server.demo.secureUrl}${path}`, { method: 'HEAD' as 'GET', token })
    expect([answer.status, answer.headers.allow, answer.text]).toEqual([405, 'POST', ''])
  })

  it('CONNECT is refused and the connection closed', async () => {
    const connection = await openRaw(secure)
    connection.send('CONNECT example.com:443 HTTP/1.1\r\nhost: example.com:443\r\n\r\n')
    const answer = await connection.answer()
    expectGraphqlRefusal(answer, 405, 'METHOD_NOT_ALLOWED')
    expect(answer.headers.allow).toBe('POST')
    await connection.closed()
  })

  it.each([
    ['absolute form', `https://localhost${path}`, 400, 'BAD_REQUEST', 'REQUEST_TARGET'],
    ['absolute form of another host', `http://evil.example${path}`, 400, 'BAD_REQUEST', 'REQUEST_TARGET'],
    ['asterisk form', '*', 400, 'BAD_REQUEST', 'REQUEST_TARGET'],
    ['an escaped letter', '/api/v1/%67raphql', 404, 'NOT_FOUND', undefined],
    ['an escaped slash', '/api%2fv1/graphql', 404, 'NOT_FOUND', undefined],
    ['two slashes', '//api/v1/graphql', 404, 'NOT_FOUND', undefined],
    ['two slashes inside', '/api//v1/graphql', 404, 'NOT_FOUND', undefined],
    ['dot segments', '/x/../api/v1/graphql', 404, 'NOT_FOUND', undefined],
    ['escaped dot segments', '/x/%2e%2e/api/v1/graphql', 404, 'NOT_FOUND', undefined],
    ['a dot segment inside', '/api/./v1/graphql', 404, 'NOT_FOUND', undefined],
    ['a trailing slash', '/api/v1/graphql/', 404, 'NOT_FOUND', undefined],
    ['a path parameter', '/api/v1/graphql;x=1', 404, 'NOT_FOUND', undefined],
    ['another case', '/API/v1/graphql', 404, 'NOT_FOUND', undefined],
    ['another version', '/api/v2/graphql', 404, 'NOT_FOUND', undefined],
    ['a backslash', '/api\\v1/graphql', 400, 'BAD_REQUEST', 'REQUEST_TARGET'],
    ['bytes beyond ASCII', '/api/v1/graphql\xe9', 400, 'BAD_REQUEST', 'HTTP_SYNTAX'],
    ['a fragment', `${path}#x`, 400, 'BAD_REQUEST', 'REQUEST_TARGET'],
    ['a NUL escape', '/api/v1/graphql%00', 404, 'NOT_FOUND', undefined],
    ['a broken escape', '/api/v1/%zz', 404, 'NOT_FOUND', undefined],
    ['a query string', `${path}?a=b`, 400, 'BAD_REQUEST', 'QUERY_STRING'],
    ['an empty query string', `${path}?`, 400, 'BAD_REQUEST', 'QUERY_STRING'],
    ['a token in the query string', `${path}?access_token=x`, 400, 'BAD_REQUEST', 'QUERY_STRING'],
  ] as const)('%s', async (_name, target, status, code, detail) => {
    expectGraphqlRefusal(await exchangeRaw(secure, request({ target })), status, code, detail)
    const fromApi = await exchangeRaw(api, request({ target }))
    expect(fromApi.status).toBe(status)
  })

  it('GET with a query or a mutation in the address is refused on both hosts', async () => {
    for (const query of ['{viewer{userId}}', 'mutation{postKycVerification{status}}']) {
      const target = `${path}?query=${encodeURIComponent(query)}`
      const bytes = request({ method: 'GET', target, body: '', headers: { 'content-length': null } })
      for (const host of [secure, api]) {
        const answer = await exchangeRaw(host, bytes)
        expectGraphqlRefusal(answer, 405, 'METHOD_NOT_ALLOWED')
        expect(answer.headers.allow).toBe('POST')
      }
    }
  })

  it('a CORS preflight gets 405 and no Access-Control header', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' }
    expectGraphqlRefusal(await exchangeRaw(secure, request({ method: 'OPTIONS', headers })), 405, 'METHOD_NOT_ALLOWED')
    const accepted = await exchangeRaw(secure, request({ headers }))
    expect(Object.keys(accepted.headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
  })

  it.each(['h2c', 'websocket', 'h2c, h2'])('Upgrade: %s is ignored, also by what comes after it', async (upgrade) => {
    const connection = await openRaw(secure)
    const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade, 'http2-settings': 'AAMAAABkAAQAAP__' }
    connection.send(request({ headers }))
    expect((await connection.answer()).status).toBe(200)
    connection.send(request())
    expect((await connection.answer()).status).toBe(200)
    connection.socket.destroy()
  })

  it('a second request behind the first is answered on its own, with its own token', async () => {
    const connection = await openRaw(secure)
    connection.send(Buffer.concat([request(), request({ headers: { authorization: null } }), request()]))
    expect((await connection.answer()).status).toBe(200)
    expectGraphqlRefusal(await connection.answer(), 401, 'UNAUTHENTICATED')
    connection.socket.destroy()
  })

  it('a request hidden in the body of another is body, not request', async () => {
    const connection = await openRaw(secure)
    const hidden = request().toString('latin1')
    connection.send(request({ body: hidden }))
    expectGraphqlRefusal(await connection.answer(), 400, 'BAD_REQUEST', 'INVALID_JSON')
    connection.send(request())
    expect((await connection.answer()).status).toBe(200)
    connection.socket.destroy()
  })

  it('garbage behind a request does not take its answer away', async () => {
    const connection = await openRaw(secure)
    connection.send(Buffer.concat([request(), Buffer.from('not http at all\r\n\r\n')]))
    expect((await connection.answer()).status).toBe(200)
    expectGraphqlRefusal(await connection.answer(), 400, 'BAD_REQUEST', 'HTTP_SYNTAX')
    await connection.closed()
  })

  it('garbage after an answer is told so', async () => {
    const connection = await openRaw(secure)
    connection.send(request())
    expect((await connection.answer()).status).toBe(200)
    connection.send('not http at all\r\n\r\n')
    expectGraphqlRefusal(await connection.answer(), 400, 'BAD_REQUEST', 'HTTP_SYNTAX')
    await connection.closed()
  })

  it('the answer to garbage reaches a client that first sends all of 2 MB', async () => {
    for (const target of [secure, api]) {
      const connection = await openRaw(target)
      connection.socket.pause()
      await new Promise<void>((resolve, reject) => {
        connection.socket.once('error', reject)
        connection.socket.write(Buffer.alloc(2 * 1024 * 1024, 'x'), (error) => (error ? reject(error) : resolve()))
      })
      connection.socket.resume()
      expect((await connection.answer()).status).toBe(400)
      await connection.closed()
    }
  })

  it('X-Forwarded-* changes nothing', async () => {
    const forwarded = {
      'x-forwarded-for': '10.0.0.1',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'http',
      forwarded: 'host=evil.example',
    }
    const answer = await exchangeRaw(secure, request({ headers: forwarded }))
    expect(answer.status).toBe(200)
    expect(JSON.stringify(answer)).not.toContain('evil')
    expect((await exchangeRaw(secure, request({ headers: { ...forwarded, host: 'evil.example' } }))).status).toBe(421)
  })

  it.each([
    ['Basic', `Basic ${Buffer.from('user:pass').toString('base64')}`, 401],
    ['no scheme', () => token, 401],
    ['an empty header', '', 401],
    ['Bearer without a token', 'Bearer', 401],
    ['bearer in lower case', () => `bearer ${token}`, 200],
    ['BEARER in upper case', () => `BEARER ${token}`, 200],
    ['two tokens', () => `Bearer ${token}, Bearer ${token}`, 401],
    ['a token of 16 KiB', `Bearer ${'x'.repeat(16 * 1024)}`, 401],
    ['a token with a space', () => `Bearer ${token} x`, 401],
    ['a token with a tab', () => `Bearer ${token}\tx`, 401],
    ['a token beyond ASCII', () => `Bearer ${token}\xe9`, 401],
    ['a token cut off', () => `Bearer ${token.slice(0, -1)}`, 401],
  ])('%s', async (_name, authorization: string | (() => string), status) => {
    const value = typeof authorization === 'string' ? authorization : authorization()
    const answer = await exchangeRaw(secure, request({ headers: { authorization: value } }))
    if (status === 200) expect(answer.status).toBe(200)
    else {
      expectGraphqlRefusal(answer, 401, 'UNAUTHENTICATED')
      expect(answer.headers['www-authenticate']).toMatch(/^Bearer/)
    }
  })
})

describe('the body of a request', () => {
  it('a bad chunk size and an endless chunk extension', async () => {
    const head = { 'content-length': null, 'transfer-encoding': 'chunked' }
    const bad = await exchangeRaw(secure, request({ headers: head, body: 'zz\r\n{}\r\n0\r\n\r\n' }))
    expectGraphqlRefusal(bad, 400, 'BAD_REQUEST', 'HTTP_SYNTAX')
    const long = await exchangeRaw(
      secure,
      request({ headers: head, body: `2;${'x'.repeat(64 * 1024)}\r\n{}\r\n0\r\n\r\n` }),
    )
    expectGraphqlRefusal(long, 413, 'PAYLOAD_TOO_LARGE')
    const spaced = await exchangeRaw(secure, request({ headers: head, body: '-1\r\n{}\r\n0\r\n\r\n' }))
    expectGraphqlRefusal(spaced, 400, 'BAD_REQUEST', 'HTTP_SYNTAX')
  })

  it('a chunked body is read like any other', async () => {
    const body = Buffer.from(submission())
    const chunks = [body.subarray(0, 7), body.subarray(7, 300), body.subarray(300)]
    const encoded = chunks.map((chunk) =>
      Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]),
    )
    const bytes = request({
      headers: { 'content-length': null, 'transfer-encoding': 'chunked' },
      body: Buffer.concat([...encoded, Buffer.from('0\r\nx-trailer: 1\r\n\r\n')]),
    })
    expect((await exchangeRaw(secure, bytes)).status).toBe(200)
  })

  it('Expect: 100-continue is granted only once the token is good', async () => {
    const body = submission()
    const head = (headers: Record<string, string | null>) =>
      request({ body, headers: { expect: '100-continue', ...headers } }).subarray(0, -Buffer.byteLength(body))
    for (const target of [secure, api]) {
      const refused = await openRaw(target)
      refused.send(head({ authorization: null }))
      expectGraphqlRefusal(await refused.answer(), 401, 'UNAUTHENTICATED')
      refused.socket.end()
      await refused.closed()
      expect(refused.informational).toEqual([])
    }

    const granted = await openRaw(secure)
    granted.send(head({}))
    await new Promise<void>((resolve) => granted.socket.once('data', () => resolve()))
    granted.send(body)
    expect((await granted.answer()).status).toBe(200)
    expect(granted.informational).toEqual([100])
    granted.socket.destroy()
  })

  it('a body that ends early writes nothing', async () => {
    const id = 'cut-off-4711'
    const bytes = request({ body: submission({ externalVerificationId: id }) })
    const connection = await openRaw(secure)
    connection.send(bytes.subarray(0, -1))
    connection.socket.end()
    const answer = await connection.answer()
    expectGraphqlRefusal(answer, 400, 'BAD_REQUEST', 'BODY_CUT_OFF')
    await connection.closed()
    const lines = server.logLines.map((line) => JSON.parse(line) as { requestId?: string })
    expect(lines.filter(({ requestId }) => requestId === answer.headers['x-request-id']).length).toBe(1)
    const destroyed = await openRaw(secure)
    destroyed.send(bytes.subarray(0, -20))
    destroyed.socket.destroy()
    expect((await exchangeRaw(secure, request())).status).toBe(200)
    expect(await recordedIds()).not.toContain(id)
  })

  const large = Buffer.alloc(2 * 1024 * 1024, 0x20)
  it.each([
    ['a declared length over the limit', {}, 413, 'PAYLOAD_TOO_LARGE'],
    ['chunks over the limit', { 'transfer-encoding': 'chunked' }, 413, 'PAYLOAD_TOO_LARGE'],
    ['a wrong type', { 'content-type': 'text/plain' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['an ambiguous head', { authorization: ['Bearer a', 'Bearer b'] }, 400, 'BAD_REQUEST'],
    ['no token', { 'transfer-encoding': 'chunked', authorization: null }, 401, 'UNAUTHENTICATED'],
    ['an unknown token', { 'transfer-encoding': 'chunked', authorization: 'Bearer unknown' }, 401, 'UNAUTHENTICATED'],
  ] as const)('%s: the answer reaches a client that first sends all of 2 MB', async (_name, changed, status, code) => {
    const isChunked = 'transfer-encoding' in changed
    const piece = large.subarray(0, 64 * 1024)
    const chunk = Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')])
    const body = isChunked
      ? Buffer.concat([...Array.from({ length: 32 }, () => chunk), Buffer.from('0\r\n\r\n')])
      : large
    const headers = { 'content-length': isChunked ? null : String(large.length), ...changed }
    for (const target of [secure, api]) {
      const connection = await openRaw(target)
      // Like a client that looks at the answer only after it has sent everything.
      connection.socket.pause()
      await new Promise<void>((resolve, reject) => {
        connection.socket.once('error', reject)
        connection.socket.write(request({ headers, body }), (error) => (error ? reject(error) : resolve()))
      })
      connection.socket.resume()
      const answer = await connection.answer()
      const actual =
        target === secure || answer.json.errors !== undefined ? answer.json.errors[0].extensions.code : answer.json.code
      expect([answer.status, actual, answer.headers.connection]).toEqual([status, code, 'close'])
      await connection.closed()
    }
  })

  it('a client that goes on sending after its answer is not reset', async () => {
    const half = Buffer.alloc(512 * 1024, 0x20)
    for (const target of [secure, api]) {
      const connection = await openRaw(target)
      connection.send(request({ body: half, headers: { 'content-length': String(2 * half.length) } }))
      expectGraphqlRefusal(await connection.answer(), 413, 'PAYLOAD_TOO_LARGE')
      for (let sent = 0; sent < half.length; sent += 8 * 1024)
        await connection.written(half.subarray(sent, sent + 8 * 1024))
      await connection.closed()
    }
  })

  it('a client that goes on sending garbage after its answer is not reset', async () => {
    const connection = await openRaw({ ...api, allowHalfOpen: true })
    connection.send('not http at all\r\n\r\n')
    expect((await connection.answer()).status).toBe(400)
    for (let piece = 0; piece < 64; piece += 1) await connection.written(Buffer.alloc(8 * 1024, 'x'))
    connection.socket.end()
    await connection.closed()
  })

  it('a declared length over the limit is refused before the first byte', async () => {
    const head = request({ body: '', headers: { 'content-length': String(512 * 1024 + 1) } })
    expectGraphqlRefusal(await exchangeRaw(secure, head), 413, 'PAYLOAD_TOO_LARGE')
  })

  it('a body of exactly 512 KiB is read', async () => {
    const base = submission()
    const padded = base + ' '.repeat(512 * 1024 - Buffer.byteLength(base))
    expect((await exchangeRaw(secure, request({ body: padded }))).status).toBe(200)
    expectGraphqlRefusal(await exchangeRaw(secure, request({ body: `${padded} ` })), 413, 'PAYLOAD_TOO_LARGE')
  })

  it('no body and an empty body', async () => {
    const none = request({ body: '', headers: { 'content-length': null } })
    expectGraphqlRefusal(await exchangeRaw(secure, none), 400, 'BAD_REQUEST', 'BODY_MISSING')
    expectGraphqlRefusal(await exchangeRaw(secure, request({ body: '' })), 400, 'BAD_REQUEST', 'BODY_MISSING')
    const chunked = request({ body: '0\r\n\r\n', headers: { 'content-length': null, 'transfer-encoding': 'chunked' } })
    expectGraphqlRefusal(await exchangeRaw(secure, chunked), 400, 'BAD_REQUEST', 'BODY_MISSING')
  })

  it.each([
    ['no Content-Type', { 'content-type': null }],
    ['an empty Content-Type', { 'content-type': '' }],
    ['text/plain', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['multipart', { 'content-type': 'multipart/form-data; boundary=x' }],
    ['application/graphql', { 'content-type': 'application/graphql' }],
    ['application/json-patch+json', { 'content-type': 'application/json-patch+json' }],
    ['a list', { 'content-type': 'application/json, text/plain' }],
    ['UTF-16', { 'content-type': 'application/json; charset=utf-16' }],
    ['Latin 1', { 'content-type': 'application/json; charset=latin1' }],
    ['two charsets', { 'content-type': 'application/json; charset=utf-8; charset=utf-16' }],
    ['gzip', { 'content-encoding': 'gzip' }],
    ['brotli', { 'content-encoding': 'br' }],
    ['gzip over identity', { 'content-encoding': 'identity, gzip' }],
  ])('%s', async (_name, headers: Record<string, string | null>) => {
    const detail = 'content-encoding' in headers ? 'CONTENT_ENCODING' : undefined
    expectGraphqlRefusal(await exchangeRaw(secure, request({ headers })), 415, 'UNSUPPORTED_MEDIA_TYPE', detail)
  })

  it.each([
    ['application/json;charset=UTF-8', {}],
    ['application/json; charset="utf-8"', {}],
    ['APPLICATION/JSON', {}],
    ['application/json; charset=utf8', {}],
    ['application/json', { 'content-encoding': 'identity' }],
  ])('%s is JSON in UTF-8 %j', async (contentType, headers) => {
    const bytes = request({ headers: { 'content-type': contentType, ...headers } })
    expect((await exchangeRaw(secure, bytes)).status).toBe(200)
  })

  it.each([
    ['a lone byte', [0xff]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['a surrogate in UTF-8', [0xed, 0xa0, 0x80]],
    ['a cut-off sequence', [0xe2, 0x82]],
    ['beyond Unicode', [0xf4, 0x90, 0x80, 0x80]],
  ])('%s', async (_name, bytes) => {
    const [before = '', after = ''] = submission({ decisionReason: '@@' }).split('@@')
    const body = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)])
    expectGraphqlRefusal(await exchangeRaw(secure, request({ body })), 400, 'BAD_REQUEST', 'INVALID_ENCODING')
  })

  it('a byte order mark', async () => {
    const body = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(submission())])
    expectGraphqlRefusal(await exchangeRaw(secure, request({ body })), 400, 'BAD_REQUEST', 'BYTE_ORDER_MARK')
  })
})

function manyHeaders(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-header-${index}`, String(index)]))
}
