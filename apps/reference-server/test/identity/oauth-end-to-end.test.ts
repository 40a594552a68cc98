import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, submissionDocument, submissionVariables, type RunningTestServer } from '../running-server.js'
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

let key: ServerKey
let oauth: OauthServer
let server: RunningTestServer
beforeAll(async () => {
  key = await createServerKey('rsa-1')
  oauth = await startOauthServer([key])
  server = await startTestServer({ OAUTH_ISSUER: oauth.issuer, OAUTH_AUDIENCE: audience })
})
afterAll(async () => {
  await server.stop()
  await oauth.close()
})

const submit = (token: string | null) =>
  server.graphql('secure', { query: submissionDocument, variables: submissionVariables() }, { token })
const viewer = async (token: string) =>
  (await server.graphql('api', { query: '{ viewer { userId kycStatus } }' }, { token })).json
const seconds = (from: number) => Math.floor(Date.now() / 1000) + from
const claims = (changes: Record<string, unknown> = {}) => ({
  iss: oauth.issuer,
  aud: audience,
  sub: userId,
  client_id: clientId,
  scope: 'VERIFY_KYC',
  iat: seconds(0),
  exp: seconds(300),
  jti: 'token-1',
  ...changes,
})

it('without any token yet the OAuth server being down is 503 with Retry-After, never 401', async () => {
  oauth.answerWith((request) => request.socket.destroy())
  const answer = await submit(await forge(key, claims()))
  expect([answer.status, answer.json.errors[0].extensions.code, answer.headers['retry-after']]).toEqual([
    503,
    'UNAVAILABLE',
    '5',
  ])
  expect(answer.json.errors[0].extensions.retryable).toBe(true)
  oauth.answerWith(null)
  // The embedded tokens do not depend on it.
  expect((await submit(server.demo.users[1]?.accessToken ?? null)).json.data.postKycVerification.status).toBe(
    'VERIFIED',
  )
  await expect.poll(async () => (await submit(await forge(key, claims({ scope: '' })))).status).toBe(403)
})

it('a user of the OAuth server submits a result, and it is theirs', async () => {
  const token = await oauth.authorize()
  expect((await submit(token)).json.data.postKycVerification.status).toBe('VERIFIED')
  expect(await viewer(token)).toEqual({ data: { viewer: { userId, kycStatus: 'PASS' } } })
})

it.each([
  ['without the scope', { scope: 'LIST_PAYMENT' }, 403, 'FORBIDDEN'],
  ['with the scope in lower case', { scope: 'verify_kyc' }, 403, 'FORBIDDEN'],
  ['with the scope as a list', { scope: ['VERIFY_KYC'] }, 403, 'FORBIDDEN'],
  ['for another audience', { aud: 'https://other.example.com' }, 401, 'UNAUTHENTICATED'],
  ['that expired', { exp: seconds(-60) }, 401, 'UNAUTHENTICATED'],
])('a token %s is refused', async (_name, changes, status, code) => {
  const answer = await submit(await forge(key, claims(changes)))
  expect([answer.status, answer.json.errors[0].extensions.code]).toEqual([status, code])
  expect(answer.headers['www-authenticate']).toMatch(
    status === 401 ? /error="invalid_token"/ : /error="insufficient_scope"/,
  )
})

it('a token of another app or user acts for its own subject alone', async () => {
  const other = 'aaaaaaaa-0000-4000-8000-000000000001'
  const token = await oauth.authorize()
  const verificationId = (await submit(token)).json.data.postKycVerification.verificationId as string
  const query = `{ kycVerification(verificationId: "${verificationId}") { verificationId } kycVerifications(first: 5) { edges { cursor } } }`
  for (const changes of [{ sub: other }, { client_id: other }]) {
    const answer = await server.graphql('api', { query }, { token: await forge(key, claims(changes)) })
    expect(answer.json.data).toEqual({ kycVerification: null, kycVerifications: { edges: [] } })
  }
})

it('an erasure finds what a submission left that was not recorded, although no row names the user', async () => {
  const sub = 'cccccccc-0000-4000-8000-000000000003'
  const change = (sql: string) => {
    const database = new Database(`${server.dataDir}/kyc.db`)
    database.exec(sql)
    database.close()
  }
  change(`CREATE TRIGGER broken BEFORE INSERT ON kyc_relay_verifications BEGIN SELECT RAISE(ABORT, 'x'); END`)
  expect((await submit(await forge(key, claims({ sub })))).status).toBe(500)
  change('DROP TRIGGER broken')
  const path = `${server.demo.internalUrl}/internal/v1/users/${sub}/pii`
  const body = { purpose: 'request of the user' }
  const report = await server.call(path, { method: 'DELETE', token: server.demo.internalToken, body })
  expect(report.json.apps).toMatchObject([{ appId: clientId, tokensErased: 1, verificationsKept: 0 }])
  const vault = new Database(`${server.dataDir}/vault.db`, { readonly: true })
  expect(vault.prepare('SELECT 1 FROM kyc_relay_vault_data_keys WHERE user_id = ?').all(sub)).toEqual([])
  expect(vault.prepare('SELECT 1 FROM kyc_relay_vault_tokens WHERE user_id = ?').all(sub)).toEqual([])
  vault.close()
})

it('a grant that this server keeps limits tokens of the OAuth server, and its revocation ends them', async () => {
  const sub = 'bbbbbbbb-0000-4000-8000-000000000002'
  const [app] = server.demo.apps
  const appId = app?.appId ?? ''
  const grants = `${server.demo.internalUrl}/internal/v1/grants/${appId}/${sub}`
  const put = (scopes: string[]) =>
    server.call(grants, {
      method: 'PUT',
      token: server.demo.internalToken,
      body: { accountId: sub, externalReferenceId: 'their-user', scopes },
    })
  const token = await forge(key, claims({ sub, client_id: appId, scope: 'VERIFY_KYC LIST_PAYMENT' }))
  const statusOf = async (from: string) => (await submit(from)).status
  expect(await statusOf(token)).toBe(200)
  expect((await put(['LIST_PAYMENT'])).status).toBe(200)
  expect(await statusOf(token)).toBe(403)
  await put(['LIST_PAYMENT', 'VERIFY_KYC'])
  expect(await statusOf(token)).toBe(200)
  await put(['MAKE_PAYOUT_SEND'])
  expect(await statusOf(token)).toBe(403)
  expect((await server.call(grants, { method: 'DELETE', token: server.demo.internalToken })).status).toBe(204)
  expect(await statusOf(token)).toBe(401)
  expect((await server.graphql('api', { query: '{ viewer { userId } }' }, { token })).status).toBe(401)
  // Neither a later token nor one for fewer scopes brings a revoked grant back: only granting again does.
  expect(await statusOf(await forge(key, claims({ sub, client_id: appId, iat: seconds(10), jti: 'later' })))).toBe(401)
  await put(['VERIFY_KYC'])
  expect(await statusOf(token)).toBe(200)
  // The same user at another app is checked by the token alone.
  const [, other] = server.demo.apps
  expect(await statusOf(await forge(key, claims({ sub, client_id: other?.appId })))).toBe(200)
})
