import { createHash, randomBytes } from 'node:crypto'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectGraphqlRefusal } from '../expect-refusal.js'
import { startTestServer, submissionDocument, submissionVariables, type RunningTestServer } from '../running-server.js'

let server: RunningTestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

/** A token put straight into the embedded store, whatever the internal API would say to it. */
function tokenWith(row: { readonly scopes: unknown; readonly expiresInMs?: number }): string {
  const token = `kyc_at_${randomBytes(32).toString('base64url')}`
  const user = server.demo.users[0]
  const database = new Database(`${server.dataDir}/kyc.db`)
  database
    .prepare('insert into kyc_relay_access_tokens (hash, app_id, user_id, scopes, expires_at) values (?, ?, ?, ?, ?)')
    .run(
      createHash('sha256').update(token).digest(),
      user?.appId,
      user?.userId,
      JSON.stringify(row.scopes),
      Date.now() + (row.expiresInMs ?? 60_000),
    )
  database.close()
  return token
}

const submit = (token: string | null, variables = submissionVariables()) =>
  server.graphql('secure', { query: submissionDocument, variables }, { token })

describe('a token that is', () => {
  it.each([
    ['missing', () => null, 'Bearer'],
    ['unknown', () => 'kyc_at_unknown', 'Bearer error="invalid_token"'],
    ['expired', () => tokenWith({ scopes: ['VERIFY_KYC'], expiresInMs: -1 }), 'Bearer error="invalid_token"'],
    ['an API key', () => server.demo.apps[0]?.apiKey ?? '', 'Bearer error="invalid_token"'],
    ['the internal token', () => server.demo.internalToken, 'Bearer error="invalid_token"'],
  ])('%s is refused on both hosts', async (_name, token: () => string | null, challenge) => {
    const given = token()
    for (const answer of [
      await submit(given),
      await server.graphql('api', { query: '{viewer{userId}}' }, { token: given }),
    ]) {
      expectGraphqlRefusal(answer, 401, 'UNAUTHENTICATED')
      expect(answer.headers['www-authenticate']).toBe(challenge)
    }
  })

  it('revoked with its grant is refused from then on', async () => {
    const [app] = server.demo.apps
    const issued = await server.call(`${server.demo.internalUrl}/internal/v1/access-tokens`, {
      token: server.demo.internalToken,
      body: { appId: app?.appId, scopes: ['VERIFY_KYC'] },
    })
    expect((await submit(issued.json.accessToken)).status).toBe(200)
    await server.call(`${server.demo.internalUrl}/internal/v1/grants/${app?.appId}/${issued.json.userId}`, {
      method: 'DELETE',
      token: server.demo.internalToken,
    })
    const answer = await submit(issued.json.accessToken)
    expect(answer.status === 401 || answer.status === 403).toBe(true)
  })
})

describe('a narrowed grant', () => {
  it('limits a token that was issued before, at once, on both hosts; a wider one gives no token more than it had', async () => {
    const internal = (path: string, method: 'POST' | 'PUT', body: unknown) =>
      server.call(`${server.demo.internalUrl}/internal/v1${path}`, { method, token: server.demo.internalToken, body })
    const [app] = server.demo.apps
    const issue = async (scopes: string[], userId?: string) =>
      (await internal('/access-tokens', 'POST', { appId: app?.appId, scopes, userId })).json
    const issued = await issue(['VERIFY_KYC', 'LIST_PAYMENT'])
    const { accountId, externalReferenceId, userId } = issued
    const grantOnly = (scopes: string[]) =>
      internal(`/grants/${app?.appId}/${userId}`, 'PUT', { accountId, externalReferenceId, scopes })
    expect((await submit(issued.accessToken)).status).toBe(200)
    expect((await grantOnly(['LIST_PAYMENT'])).status).toBe(200)
    expectGraphqlRefusal(await submit(issued.accessToken), 403, 'FORBIDDEN')
    await grantOnly(['VERIFY_KYC', 'LIST_PAYMENT', 'MAKE_PAYOUT_SEND'])
    expect((await submit(issued.accessToken)).status).toBe(200)
    const lesser = await issue(['LIST_PAYMENT'], userId)
    expectGraphqlRefusal(await submit(lesser.accessToken), 403, 'FORBIDDEN')
    expect((await submit(issued.accessToken)).status).toBe(200)
  })
})

describe('scopes', () => {
  it.each([
    ['none', []],
    ['others', ['LIST_PAYMENT', 'MAKE_PAYOUT_SEND']],
    ['lower case', ['verify_kyc']],
    ['a prefix', ['XVERIFY_KYC']],
    ['a suffix', ['VERIFY_KYC2']],
    ['a tab inside', ['VERIFY_KYC\tX']],
    ['two in one', ['VERIFY_KYC LIST_PAYMENT']],
    ['a list in a list', [['VERIFY_KYC']]],
  ])('%s do not let a submission in', async (_name, scopes) => {
    const answer = await submit(tokenWith({ scopes }))
    expectGraphqlRefusal(answer, 403, 'FORBIDDEN')
    expect(answer.headers['www-authenticate']).toBe('Bearer error="insufficient_scope", scope="VERIFY_KYC"')
  })

  it.each([
    '{ viewer { userId } }',
    '{ kycVerifications { nodes { status } } }',
    '{ kycVerification(verificationId: "00000000-0000-7000-8000-000000000000") { status } }',
    '{ ...F } fragment F on Query { again: viewer { kycStatus } }',
    'query ($no: Boolean = false) { __typename viewer @include(if: $no) { userId } }',
  ])('without VERIFY_KYC nothing is read: %s', async (query) => {
    for (const scopes of [[], ['LIST_PAYMENT', 'LIST_PURCHASES'], ['verify_kyc'], ['VERIFY_KYC2']]) {
      const answer = await server.graphql('api', { query }, { token: tokenWith({ scopes }) })
      expectGraphqlRefusal(answer, 403, 'FORBIDDEN')
      expect(answer.headers['www-authenticate']).toBe('Bearer error="insufficient_scope", scope="VERIFY_KYC"')
    }
    const token = tokenWith({ scopes: ['VERIFY_KYC'] })
    expect((await server.graphql('api', { query }, { token })).status).toBe(200)
  })

  it('the schema is open to every token', async () => {
    const token = tokenWith({ scopes: ['LIST_PAYMENT'] })
    const answer = await server.graphql('api', { query: '{ __schema { queryType { name } } }' }, { token })
    expect(answer.json).toEqual({ data: { __schema: { queryType: { name: 'Query' } } } })
  })

  it('the right one among others does', async () => {
    expect((await submit(tokenWith({ scopes: ['LIST_PAYMENT', 'VERIFY_KYC'] }))).status).toBe(200)
  })
})

describe('a token acts for its own subject', () => {
  it('whatever user or app the payload names, and reads no other rows', async () => {
    const [first, second] = server.demo.users
    const body = {
      query: submissionDocument,
      variables: submissionVariables({ externalProviderData: { userId: second?.userId, appId: second?.appId } }),
    }
    const submitted = await server.graphql('secure', body, { token: first?.accessToken ?? null })
    const { verificationId } = submitted.json.data.postKycVerification
    const read = async (token: string | undefined) =>
      (
        await server.graphql(
          'api',
          {
            query: 'query ($id: ID!) { kycVerification(verificationId: $id) { verificationId } }',
            variables: { id: verificationId },
          },
          { token: token ?? null },
        )
      ).json.data.kycVerification as { verificationId: string } | null
    expect(await read(first?.accessToken)).toEqual({ verificationId })
    expect(await read(second?.accessToken)).toBeNull()
    const otherApp = server.demo.users.find((user) => user.appId !== first?.appId)
    expect(await read(otherApp?.accessToken)).toBeNull()
  })
})
