import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectGraphqlRefusal, expectProblem } from '../expect-refusal.js'
import { exchangeRaw, openRaw } from './raw-connection.js'
import { api, path, request, secure, server, startServer, stopServer, token } from './request-fixture.js'

beforeAll(startServer)
afterAll(stopServer)

it('a good request over a raw socket is accepted', async () => {
  const answer = await exchangeRaw(secure, request())
  expect(answer.status).toBe(200)
  expect(answer.json.data.postKycVerification.verificationId).toMatch(/^[0-9a-f-]{36}$/)
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(answer.headers['cache-control']).toBe('no-store')
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

function manyHeaders(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-header-${index}`, String(index)]))
}
