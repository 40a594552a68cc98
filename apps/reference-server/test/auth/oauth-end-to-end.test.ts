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
  await expect
    .poll(async () => (await submit(await forge(key, claims({ scope: '' })))).status, { timeout: 10_000 })
    .toBe(403)
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
