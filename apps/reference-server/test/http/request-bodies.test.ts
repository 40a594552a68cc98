import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectGraphqlRefusal } from '../expect-refusal.js'
import { exchangeRaw, openRaw } from './raw-connection.js'
import { api, recordedIds, request, secure, server, startServer, stopServer, submission } from './request-fixture.js'

beforeAll(startServer)
afterAll(stopServer)

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
    ['no charset after all', { 'content-type': 'application/json; charset' }],
    ['a charset in a text', { 'content-type': 'application/json; foo="a; charset=utf-16"' }],
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
    ['application/json;odata=verbose', {}],
    ['application/json; foo=bar; charset=utf-8;', {}],
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
