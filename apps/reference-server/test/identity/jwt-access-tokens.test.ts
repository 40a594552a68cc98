import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { publishedKeys } from '../../src/identity/issued-access-tokens.js'
import { createJwtAccessTokens } from '../../src/identity/jwt-access-tokens.js'
import { createOauthDocuments } from '../../src/identity/oauth-documents.js'
import {
  audience,
  clientId,
  createServerKey,
  forge,
  startOauthServer,
  userId,
  type OauthServer,
  type ServerKey,
} from './oauth-server.js'

let rsa: ServerKey
let ec: ServerKey
let stranger: ServerKey
let oauth: OauthServer
beforeAll(async () => {
  ;[rsa, ec, stranger] = await Promise.all([
    createServerKey('rsa-1'),
    createServerKey('ec-1', 'ES256'),
    createServerKey('rsa-1'),
  ])
  oauth = await startOauthServer([rsa, ec])
})
afterAll(() => oauth.close())
beforeEach(() => {
  // jose caches keys by the clock of the machine.
  vi.useFakeTimers({ toFake: ['Date'] })
  oauth.answerWith(null)
  oauth.useKeys([rsa, ec])
  oauth.requests.length = 0
})

afterEach(() => vi.useRealTimers())

/** A verifier; `wait` moves the clock. */
function verifier(issuer = oauth.issuer) {
  const documents = createOauthDocuments({ issuer, allowLoopbackHttp: true, nowMs: () => Date.now() })
  const keys = publishedKeys(issuer, documents)
  const now = () => new Date()
  const tokens = createJwtAccessTokens({ issuer, audience, keys, now })
  const at = (seconds: number) => Math.floor(now().getTime() / 1000) + seconds
  const claims = (changes: Record<string, unknown> = {}) => ({
    iss: issuer,
    aud: audience,
    sub: userId,
    client_id: clientId,
    scope: 'VERIFY_KYC',
    iat: at(0),
    exp: at(300),
    jti: 'token-1',
    ...changes,
  })
  return { tokens, claims, at, wait: (ms: number) => void vi.setSystemTime(Date.now() + ms) }
}

const holder = { appId: clientId, userId, scopes: ['VERIFY_KYC'] }
const keySetRequests = () => oauth.requests.filter((path) => path.startsWith('/jwks')).length

describe('a token of a real OAuth server', () => {
  it('got by authorization code, login and consent, tells app, user and scopes', async () => {
    const token = await oauth.authorize()
    expect(await verifier().tokens.find(token)).toEqual({
      appId: clientId,
      userId,
      scopes: ['VERIFY_KYC', 'LIST_PAYMENT'],
    })
  })

  it('is verified without asking the server again', async () => {
    const { tokens } = verifier()
    const token = await oauth.authorize({ scope: 'VERIFY_KYC' })
    oauth.requests.length = 0
    for (let call = 0; call < 20; call += 1) expect(await tokens.find(token)).toEqual(holder)
    expect(oauth.requests).toEqual(['/.well-known/openid-configuration', '/jwks'])
  })

  it('of an app or user that is named by no UUID gets the same UUID each time, and another for another name', async () => {
    const { tokens } = verifier()
    const first = await tokens.find(await oauth.authorize({ client: 'not a uuid', login: 'auth0|jane' }))
    const again = await tokens.find(await oauth.authorize({ client: 'not a uuid', login: 'auth0|jane' }))
    const other = await tokens.find(await oauth.authorize({ client: 'not a uuid', login: 'auth0|john' }))
    expect(first).toEqual(again)
    expect(first?.appId).toBe(other?.appId)
    const versionFive = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
    const ids = [first?.appId, first?.userId, other?.userId]
    for (const id of ids) expect(id).toMatch(versionFive)
    expect(new Set(ids).size).toBe(3)
  })
})

describe('a token that is in order', () => {
  it.each<[string, (of: ReturnType<typeof verifier>) => Promise<string>]>([
    ['by RS256', ({ claims }) => forge(rsa, claims())],
    ['by ES256', ({ claims }) => forge(ec, claims())],
    ['by PS256 with the same key', async ({ claims }) => forge(await withAlg('PS256'), claims())],
    ['of the full type name', ({ claims }) => forge(rsa, claims(), { typ: 'application/at+jwt' })],
    ['in capital letters', ({ claims }) => forge(rsa, claims(), { typ: 'AT+JWT' })],
    ['without kid', ({ claims }) => forge(rsa, claims(), { kid: undefined })],
    ['for us among others', ({ claims }) => forge(rsa, claims({ aud: ['https://other.example.com', audience] }))],
    ['expired less than 30 s ago', ({ claims, at }) => forge(rsa, claims({ exp: at(-29) }))],
    ['valid in less than 30 s', ({ claims, at }) => forge(rsa, claims({ nbf: at(29) }))],
    ['issued by a clock 20 s ahead', ({ claims, at }) => forge(rsa, claims({ iat: at(20) }))],
    ['that names a key elsewhere, which is not looked at', ({ claims }) => forge(rsa, claims(), elsewhere())],
  ])('%s is accepted', async (_name, make) => {
    const of = verifier()
    expect(await of.tokens.find(await make(of))).toEqual(holder)
  })

  const elsewhere = () => ({ jku: 'http://127.0.0.1:9/jwks', x5u: 'http://127.0.0.1:9/cert', jwk: stranger.jwk })
  const withAlg = async (alg: string) => {
    const { importJWK } = await import('jose')
    const { alg: _alg, ...jwk } = rsa.jwk
    oauth.useKeys([{ ...rsa, jwk }])
    return { kid: rsa.kid, alg, privateKey: (await importJWK(jwk, alg)) as CryptoKey }
  }
})

describe('a token that is refused', () => {
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const publicPem = async () => {
    const { exportSPKI } = await import('jose')
    return Buffer.from(await exportSPKI(rsa.publicKey))
  }
  const hmac = (privateKey: Uint8Array) => ({ kid: rsa.kid, alg: 'HS256', privateKey })
  const unsigned = ({ claims }: ReturnType<typeof verifier>, header: Record<string, unknown>) =>
    Promise.resolve(`${encoded(header)}.${encoded(claims())}.`)

  it.each<[string, (of: ReturnType<typeof verifier>) => Promise<string>]>([
    ['alg none', (of) => unsigned(of, { alg: 'none', typ: 'at+jwt' })],
    ['alg None', (of) => unsigned(of, { alg: 'None', typ: 'at+jwt' })],
    ['HS256 with the public RSA key', async ({ claims }) => forge(hmac(await publicPem()), claims())],
    ['a key of somebody else under our kid', ({ claims }) => forge(stranger, claims())],
    ['a key of somebody else that it brings along', ({ claims }) => forge(stranger, claims(), { jwk: stranger.jwk })],
    ['an ES256 signature of zeros', async ({ claims }) => zeroSignature(await forge(ec, claims()))],
    ['a changed claim', async ({ claims }) => changed(await forge(rsa, claims()))],
    ['an unknown critical header', ({ claims }) => criticalHeader(claims())],
    ['an ID token', ({ claims }) => forge(rsa, claims(), { typ: 'JWT' })],
    ['no type', ({ claims }) => forge(rsa, claims(), { typ: undefined })],
    ['another audience', ({ claims }) => forge(rsa, claims({ aud: 'https://other.example.com' }))],
    ['no audience', ({ claims }) => forge(rsa, claims({ aud: undefined }))],
    ['an audience that begins like ours', ({ claims }) => forge(rsa, claims({ aud: `${audience}.evil.example` }))],
    ['another issuer', ({ claims }) => forge(rsa, claims({ iss: 'https://other.example.com' }))],
    ['the issuer with a slash more', ({ claims }) => forge(rsa, claims({ iss: `${oauth.issuer}/` }))],
    ['no issuer', ({ claims }) => forge(rsa, claims({ iss: undefined }))],
    ['expired', ({ claims, at }) => forge(rsa, claims({ exp: at(-31) }))],
    ['no expiry', ({ claims }) => forge(rsa, claims({ exp: undefined }))],
    ['a negative expiry', ({ claims }) => forge(rsa, claims({ exp: -1 }))],
    [
      'an expiry without end',
      ({ claims }) => rawText(JSON.stringify({ ...claims(), exp: 0 }).replace('"exp":0', '"exp":1e400')),
    ],
    [
      'a time of issue without beginning',
      ({ claims }) => rawText(JSON.stringify({ ...claims(), iat: 0 }).replace('"iat":0', '"iat":-1e400')),
    ],
    ['an expiry as text', ({ claims, at }) => rawClaims(claims({ exp: String(at(300)) }))],
    ['valid only in the future', ({ claims, at }) => forge(rsa, claims({ nbf: at(31) }))],
    ['issued in an hour', ({ claims, at }) => forge(rsa, claims({ iat: at(3_600), exp: at(7_200) }))],
    ['no time of issue', ({ claims }) => forge(rsa, claims({ iat: undefined }))],
    ['no subject', ({ claims }) => forge(rsa, claims({ sub: undefined }))],
    ['an empty subject', ({ claims }) => forge(rsa, claims({ sub: '' }))],
    ['no client', ({ claims }) => forge(rsa, claims({ client_id: undefined }))],
    ['a client that is a number', ({ claims }) => forge(rsa, claims({ client_id: 7 }))],
    ['no token id', ({ claims }) => forge(rsa, claims({ jti: undefined }))],
    ['an app’s own token, without a user', ({ claims }) => forge(rsa, claims({ sub: clientId }))],
    ['an unknown kid', ({ claims }) => forge({ ...stranger, kid: 'unknown' }, claims())],
    ['a kid that is a path', ({ claims }) => forge({ ...stranger, kid: '../../etc/passwd' }, claims())],
    ['a kid of 4 KiB', ({ claims }) => forge({ ...stranger, kid: 'k'.repeat(4_096) }, claims())],
    ['no JWT', () => Promise.resolve('not.a.jwt')],
    ['an encrypted one', () => Promise.resolve(`${encoded({ alg: 'dir', enc: 'A128GCM', typ: 'at+jwt' })}....`)],
  ])('%s', async (_name, make) => {
    const of = verifier()
    expect(await of.tokens.find(await make(of))).toBeNull()
  })

  const zeroSignature = (token: string) =>
    `${token.slice(0, token.lastIndexOf('.') + 1)}${Buffer.alloc(64).toString('base64url')}`
  const changed = (token: string) => {
    const [header = '', claims = '', signature = ''] = token.split('.')
    const content = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>
    return [header, encoded({ ...content, sub: clientId.replace('b54', 'c54') }), signature].join('.')
  }
  const sign = (header: Record<string, unknown>, claims: unknown) => {
    return signText(header, JSON.stringify(claims))
  }
  /** Claims as they were written: 1e400 is a number that JSON can hold and no JSON.stringify writes. */
  const signText = async (header: Record<string, unknown>, claims: string) => {
    const input = `${encoded(header)}.${Buffer.from(claims).toString('base64url')}`
    const signature = await crypto.subtle.sign('RSASSA-PKCS1-v1_5', rsa.privateKey, Buffer.from(input))
    return `${input}.${Buffer.from(signature).toString('base64url')}`
  }
  const goodHeader = () => ({ alg: 'RS256', kid: rsa.kid, typ: 'at+jwt' })
  const criticalHeader = (claims: unknown) => sign({ ...goodHeader(), crit: ['x-rule'], 'x-rule': 1 }, claims)
  const rawClaims = (claims: unknown) => sign(goodHeader(), claims)
  const rawText = (claims: string) => signText(goodHeader(), claims)

  it('before anything is asked of the OAuth server, when it does not even claim to be ours', async () => {
    const of = verifier()
    for (const token of [
      await forge(stranger, of.claims({ iss: 'https://other.example.com' })),
      await forge(hmac(await publicPem()), of.claims()),
      await forge(rsa, of.claims(), { typ: 'JWT' }),
      await forge({ ...stranger, kid: 'k'.repeat(4_096) }, of.claims()),
      await unsigned(of, { alg: 'none', typ: 'at+jwt' }),
      'kyc.at.x',
    ]) {
      expect(await of.tokens.find(token)).toBeNull()
    }
    expect(oauth.requests).toEqual([])
  })
})

describe('scopes', () => {
  it.each([
    ['VERIFY_KYC LIST_PAYMENT', ['VERIFY_KYC', 'LIST_PAYMENT']],
    ['verify_kyc', ['verify_kyc']],
    ['VERIFY_KYC\tLIST_PAYMENT', ['VERIFY_KYC\tLIST_PAYMENT']],
    ['', []],
    [undefined, []],
    [['VERIFY_KYC'], []],
    [7, []],
  ])('%j are read as %j', async (scope, expected) => {
    const of = verifier()
    expect((await of.tokens.find(await forge(rsa, of.claims({ scope }))))?.scopes).toEqual(expected)
  })
})

describe('keys', () => {
  it('that the server rotated are found at the first token, and the withdrawn one is refused', async () => {
    const of = verifier()
    const old = await forge(rsa, of.claims())
    expect(await of.tokens.find(old)).toEqual(holder)
    const fresh = await createServerKey('rsa-2')
    oauth.useKeys([fresh])
    of.wait(30_000)
    expect(await of.tokens.find(await forge(fresh, of.claims()))).toEqual(holder)
    expect(await of.tokens.find(old)).toBeNull()
  })

  it('that nobody knows cause one request in 30 s, however many tokens name them', async () => {
    const of = verifier()
    expect(await of.tokens.find(await forge(rsa, of.claims()))).toEqual(holder)
    for (const [passedMs, requests] of [
      [0, 1],
      [29_999, 1],
      [1, 2],
      [0, 2],
    ] as const) {
      of.wait(passedMs)
      const flood = await Promise.all(
        Array.from({ length: 50 }, (_, index) => forge({ ...stranger, kid: `flood-${index}` }, of.claims())),
      )
      const answers = await Promise.all(flood.map((token) => of.tokens.find(token)))
      expect(new Set(answers)).toEqual(new Set([null]))
      expect(keySetRequests()).toBe(requests)
    }
  })
})

describe('a published key that cannot be used', () => {
  const publicKey = (key: ServerKey) => {
    const { d: _d, p: _p, q: _q, dp: _dp, dq: _dq, qi: _qi, ...jwk } = key.jwk
    return jwk as Record<string, unknown>
  }
  const publish = (keys: readonly unknown[]) =>
    oauth.answerWith((request, response) => {
      const isKeySet = request.url?.startsWith('/keys')
      const body = isKeySet ? { keys } : { issuer: oauth.issuer, jwks_uri: `${oauth.issuer}/keys` }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
  const weak = {
    kty: 'RSA',
    kid: 'rsa-1',
    alg: 'RS256',
    e: 'AQAB',
    n: 'wsMS_9ZoEQTCbmhT3sXjxI1IpLJnmVsxhQc5FZpYy4H7E5PKfKnlKQ2IYHyUg4VJ6gYF7XGm4FK6ZuGpXjSk7w',
  }

  it.each<[string, () => unknown]>([
    ['without modulus', () => ({ ...publicKey(rsa), n: undefined })],
    ['with an empty modulus', () => ({ ...publicKey(rsa), n: '' })],
    ['with a modulus that is no text', () => ({ ...publicKey(rsa), n: { a: 1 } })],
    ['with a modulus that is no base64url', () => ({ ...publicKey(rsa), n: '!!!' })],
    ['with an even exponent', () => ({ ...publicKey(rsa), e: 'AA' })],
    ['that is too short', () => weak],
    ['that is private', () => rsa.jwk],
    ['of another type', () => ({ ...publicKey(ec), kid: 'rsa-1' })],
    ['of another algorithm', () => ({ ...publicKey(rsa), alg: 'RS512' })],
    ['for encryption', () => ({ ...publicKey(rsa), use: 'enc' })],
    ['for signing only', () => ({ ...publicKey(rsa), key_ops: ['sign'] })],
    ['with operations that are no list', () => ({ ...publicKey(rsa), key_ops: 'verify' })],
    ['that is a secret', () => ({ kty: 'oct', kid: 'rsa-1', k: 'AAAA' })],
    ['of an unknown type', () => ({ kty: 'canary', kid: 'rsa-1' })],
    ['without type', () => ({ kid: 'rsa-1' })],
    ['with a type that is no text', () => ({ ...publicKey(rsa), kty: 1 })],
    ['that is null', () => null],
    ['that is a text', () => 'canary'],
  ])('%s refuses the token that names it, and no other', async (_name, make) => {
    const of = verifier()
    publish([make(), publicKey(ec)])
    expect(await of.tokens.find(await forge(rsa, of.claims()))).toBeNull()
    expect(await of.tokens.find(await forge(ec, of.claims()))).toEqual(holder)
    of.wait(30_000)
    expect(await of.tokens.find(await forge(rsa, of.claims()))).toBeNull()
  })

  it('is fetched again once for many tokens that name it', async () => {
    const of = verifier()
    publish([{ ...publicKey(rsa), n: { a: 1 } }])
    const token = await forge(rsa, of.claims())
    await of.tokens.find(token)
    const requests = oauth.requests.length
    for (let count = 0; count < 50; count += 1) expect(await of.tokens.find(token)).toBeNull()
    expect(oauth.requests.length).toBe(requests)
  })

  it.each<[string, Record<string, unknown>]>([
    ['on another curve', { crv: 'P-384' }],
    ['on an unknown curve', { crv: 'canary' }],
    ['off its curve', { x: 'AAAA' }],
    ['without a coordinate', { y: undefined }],
  ])('%s refuses the token that names it', async (_name, changes) => {
    const of = verifier()
    publish([{ ...publicKey(ec), ...changes }, publicKey(rsa)])
    expect(await of.tokens.find(await forge(ec, of.claims()))).toBeNull()
    expect(await of.tokens.find(await forge(rsa, of.claims()))).toEqual(holder)
  })

  it('is passed over for a token that names none, and for its namesake', async () => {
    const of = verifier()
    publish([weak, { ...publicKey(rsa), n: '!!!' }, publicKey(rsa)])
    expect(await of.tokens.find(await forge(rsa, of.claims(), { kid: undefined }))).toEqual(holder)
    expect(await of.tokens.find(await forge(rsa, of.claims()))).toEqual(holder)
  })

  it('that the server mends is found within 30 s', async () => {
    const of = verifier()
    publish([{ ...publicKey(rsa), n: '!!!' }])
    expect(await of.tokens.find(await forge(rsa, of.claims()))).toBeNull()
    publish([publicKey(rsa)])
    of.wait(30_000)
    expect(await of.tokens.find(await forge(rsa, of.claims()))).toEqual(holder)
  })
})

describe('an OAuth server that is down', () => {
  const unavailable = { code: 'OAUTH_SERVER_UNAVAILABLE', retryable: true }
  const outages: readonly [string, Parameters<OauthServer['answerWith']>[0]][] = [
    ['closes the connection', (request) => request.socket.destroy()],
    ['answers 500', (_request, response) => response.writeHead(500).end('canary')],
    ['answers 404', (_request, response) => response.writeHead(404).end()],
    ['redirects', (_request, response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()],
    ['answers HTML', (_request, response) => response.writeHead(200).end('<html>canary</html>')],
    ['answers an empty object', (_request, response) => response.writeHead(200).end('{}')],
    ['answers 10 MB', (_request, response) => response.writeHead(200).end(Buffer.alloc(10_000_000, 0x20))],
    [
      'is another issuer',
      (_request, response) =>
        response
          .writeHead(200)
          .end(JSON.stringify({ issuer: 'https://x.example', jwks_uri: 'https://x.example/jwks' })),
    ],
  ]
  it.each(outages)('and %s is an outage, not a refusal', async (_name, answer) => {
    const of = verifier()
    oauth.answerWith(answer)
    await expect(of.tokens.find(await forge(rsa, of.claims()))).rejects.toMatchObject(unavailable)
    oauth.answerWith(null)
    of.wait(2_000)
    expect(await of.tokens.find(await forge(rsa, of.claims()))).toEqual(holder)
  })

  it('is not asked more than once in two seconds', async () => {
    const of = verifier()
    oauth.answerWith((request) => request.socket.destroy())
    const token = await forge(rsa, of.claims())
    for (let call = 0; call < 20; call += 1) await expect(of.tokens.find(token)).rejects.toMatchObject(unavailable)
    expect(oauth.requests).toHaveLength(1)
  })

  it('is bridged by the known keys for ten minutes in all, no longer', async () => {
    const of = verifier()
    const token = () => forge(rsa, of.claims())
    expect(await of.tokens.find(await token())).toEqual(holder)
    oauth.answerWith((request) => request.socket.destroy())
    of.wait(5 * 60_000)
    expect(await of.tokens.find(await token())).toEqual(holder)
    of.wait(5 * 60_000 - 1)
    expect(await of.tokens.find(await token())).toEqual(holder)
    of.wait(1)
    await expect(of.tokens.find(await token())).rejects.toMatchObject(unavailable)
  })

  it('makes an unknown key an outage: nobody can say that the token is bad', async () => {
    const of = verifier()
    expect(await of.tokens.find(await forge(rsa, of.claims()))).toEqual(holder)
    oauth.answerWith((request) => request.socket.destroy())
    of.wait(30_000)
    const token = await forge({ ...stranger, kid: 'perhaps new' }, of.claims())
    await expect(of.tokens.find(token)).rejects.toMatchObject(unavailable)
    expect(await of.tokens.find(await forge(rsa, of.claims()))).toEqual(holder)
  })
})

describe('metadata', () => {
  it('that is elsewhere is not followed there, even when it is good there', async () => {
    const { d: _d, p: _p, q: _q, dp: _dp, dq: _dq, qi: _qi, ...publicKey } = rsa.jwk
    let redirects = true
    oauth.answerWith((request, response) => {
      if (request.url === '/keys') response.writeHead(200).end(JSON.stringify({ keys: [publicKey] }))
      else if (request.url === '/elsewhere' || !redirects)
        response.writeHead(200).end(JSON.stringify({ issuer: oauth.issuer, jwks_uri: `${oauth.issuer}/keys` }))
      else response.writeHead(302, { location: '/elsewhere' }).end()
    })
    const of = verifier()
    await expect(of.tokens.find(await forge(rsa, of.claims()))).rejects.toMatchObject({ retryable: true })
    expect(oauth.requests).not.toContain('/elsewhere')
    redirects = false
    of.wait(2_000)
    expect(await of.tokens.find(await forge(rsa, of.claims()))).toEqual(holder)
  })

  it('is read again when the key set has moved, and not an hour later', async () => {
    const { d: _d, p: _p, q: _q, dp: _dp, dq: _dq, qi: _qi, ...publicKey } = rsa.jwk
    let place = '/keys'
    oauth.answerWith((request, response) => {
      if (request.url === place) response.writeHead(200).end(JSON.stringify({ keys: [publicKey] }))
      else if (request.url === '/.well-known/openid-configuration')
        response.writeHead(200).end(JSON.stringify({ issuer: oauth.issuer, jwks_uri: `${oauth.issuer}${place}` }))
      else response.writeHead(404).end()
    })
    const of = verifier()
    expect(await of.tokens.find(await forge(rsa, of.claims()))).toEqual(holder)
    place = '/moved'
    of.wait(11 * 60_000)
    await expect(of.tokens.find(await forge(rsa, of.claims()))).rejects.toMatchObject({ retryable: true })
    of.wait(2_000)
    expect(await of.tokens.find(await forge(rsa, of.claims()))).toEqual(holder)
  })

  it('is also found where RFC 8414 puts it, for an issuer with a path', async () => {
    const issuer = `${oauth.issuer}/tenants/one`
    const { d: _d, p: _p, q: _q, dp: _dp, dq: _dq, qi: _qi, ...publicKey } = rsa.jwk
    oauth.answerWith((request, response) => {
      const documents: Record<string, unknown> = {
        '/.well-known/oauth-authorization-server/tenants/one': { issuer, jwks_uri: `${issuer}/keys` },
        '/tenants/one/keys': { keys: [publicKey] },
      }
      const document = documents[request.url ?? '']
      response.writeHead(document === undefined ? 404 : 200).end(JSON.stringify(document))
    })
    const of = verifier(issuer)
    expect(await of.tokens.find(await forge(rsa, of.claims()))).toEqual(holder)
  })

  it.each(['http://keys.example.com/jwks', 'file:///etc/passwd', 'https://user:secret@keys.example.com/jwks'])(
    'that sends us to %s is not followed',
    async (address) => {
      oauth.answerWith((_request, response) =>
        response.writeHead(200).end(JSON.stringify({ issuer: oauth.issuer, jwks_uri: address })),
      )
      const of = verifier()
      await expect(of.tokens.find(await forge(rsa, of.claims()))).rejects.toMatchObject({ retryable: true })
    },
  )
})
