import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createInternalApp } from '../../src/operator-api/internal-app.js'
import { operatorRights, type OperatorRight } from '../../src/identity/operators.js'
import { holdClock } from '../http/held-clock.js'
import { startTestServer, type CallOptions, type RunningTestServer } from '../running-server.js'
import { writeOperatorsFile } from './operators-file.js'

const one = '7a000000-0000-4000-8000-000000000001'

/** Every route of the internal API with the right that it needs; null for services only. */
const routes: readonly (readonly [NonNullable<CallOptions['method']>, string, OperatorRight | null])[] = [
  ['POST', '/events', null],
  ['POST', '/transactions', null],
  ['POST', '/transactions/decline', null],
  ['PATCH', `/transactions/${one}`, null],
  ['POST', '/vault/reveal', 'reveal'],
  ['DELETE', `/users/${one}/pii`, 'erase'],
  ['POST', `/users/${one}/kyc-status`, 'correct'],
  ['POST', `/verifications/${one}/evidence`, 'evidence'],
  ['POST', `/verifications/${one}/photos/front`, 'evidence'],
  ['PUT', `/verifications/${one}/photos/front`, 'correct'],
  ['PUT', `/users/${one}/hold`, 'erase'],
  ['DELETE', `/users/${one}/hold`, 'erase'],
  ['POST', `/users/${one}/closed`, 'erase'],
  ['POST', `/users/${one}/export`, 'evidence'],
  ['GET', '/retention-report', 'erase'],
  ['POST', '/retention-report/1-x/erase', 'erase'],
  ['POST', '/apps', 'keys'],
  ['PUT', `/grants/${one}/${one}`, 'keys'],
  ['DELETE', `/grants/${one}/${one}`, 'keys'],
  ['POST', `/apps/${one}/keys`, 'keys'],
  ['DELETE', `/apps/${one}/keys/1`, 'keys'],
  ['POST', `/apps/${one}/endpoints/${one}/pause`, 'keys'],
  ['POST', `/apps/${one}/endpoints/${one}/resume`, 'keys'],
  ['POST', '/access-tokens', 'keys'],
  ['GET', '/apps', 'read'],
  ['GET', `/apps/${one}/users`, 'read'],
  ['GET', `/grants/${one}/${one}`, 'read'],
  ['GET', `/transactions/${one}`, 'read'],
  ['GET', '/deliveries', 'read'],
  ['GET', '/withheld-events', 'read'],
  ['GET', '/queue', 'read'],
  ['GET', '/audit-entries', 'read'],
]

const file = writeOperatorsFile({
  'Ada Example': [...operatorRights],
  nobody: [],
  ...(Object.fromEntries(
    operatorRights.map((right) => [`all but ${right}`, operatorRights.filter((r) => r !== right)]),
  ) as Record<`all but ${OperatorRight}`, OperatorRight[]>),
})

let server: RunningTestServer
beforeAll(async () => {
  server = await startTestServer({ OPERATORS_FILE: file.path, FAILED_AUTHENTICATIONS_PER_MINUTE: '20' })
})
afterAll(async () => {
  await server.stop()
  file.remove()
})

const call = (method: NonNullable<CallOptions['method']>, path: string, token: string | null, body: unknown = {}) =>
  server.call(`${server.demo.internalUrl}/internal/v1${path}`, {
    method,
    token,
    body: method === 'GET' ? undefined : body,
  })

describe('rights of operators', () => {
  it('are checked by every route that exists', async () => {
    const unused = new Proxy({}, { get: () => unused }) as never
    const app = createInternalApp({
      internalToken: null,
      findOperator: () => ({ name: 'nobody', tokenHash: '', rights: [] }),
      publisher: unused,
      catalogue: unused,
      vault: unused,
      evidence: unused,
      kycStatuses: unused,
      apps: unused,
      endpoints: unused,
      reads: unused,
      embeddedTokens: unused,
      userRights: unused,
      userExport: unused,
      portal: unused,
      probes: unused,
      metrics: unused,
      failures: unused,
      limits: unused,
      log: unused,
      newId: unused,
    })
    const served = new Set(
      app.routes
        .filter(({ path, method }) => path.startsWith('/internal/v1/') && method !== 'ALL')
        // The description of the API needs no token.
        .filter(({ path }) => !['/internal/v1/openapi.json', '/internal/v1/docs'].includes(path))
        .map(({ path, method }) => `${method} ${path}`),
    )
    expect(served.size).toBeGreaterThanOrEqual(routes.length)
    for (const route of served) {
      const [method = '', path = ''] = route.split(' ')
      const headers = { authorization: 'Bearer anything', host: 'localhost' }
      const answer = await app.request(
        path.replaceAll(/:\w+(?:\{[^/]*\})?/g, one),
        { method, headers },
        { requestId: 'r' },
      )
      expect([route, answer.status]).toEqual([route, 403])
    }
  })

  it.each(routes)('%s %s needs the right %s', async (method, path, right) => {
    const without = right === null ? file.tokens['Ada Example'] : file.tokens[`all but ${right}`]
    for (const token of [without, file.tokens.nobody]) {
      const refused = await call(method, path, token)
      expect([refused.status, refused.json.code, refused.json.detail]).toEqual([403, 'FORBIDDEN', 'RIGHT_REQUIRED'])
    }
    if (right !== null) expect((await call(method, path, file.tokens['Ada Example'])).status).not.toBe(403)
    expect((await call(method, path, server.demo.internalToken)).status).not.toBe(403)
  })

  it('an operator who may reveal is named by the credential, never by the body', async () => {
    const body = { appId: one, userId: one, token: `tok_ssn_${'a'.repeat(26)}_1120`, purpose: 'complaint 12' }
    const named = await call('POST', '/vault/reveal', file.tokens['Ada Example'], { ...body, actor: 'somebody else' })
    expect([named.status, named.json.violations]).toEqual([
      400,
      [{ pointer: '', code: 'UNKNOWN_FIELD', message: expect.any(String) }],
    ])
    expect((await call('POST', '/vault/reveal', file.tokens['Ada Example'], body)).json.detail).toBe('TOKEN_UNKNOWN')
  })

  it('a token opens no other listener', async () => {
    const token = file.tokens['Ada Example']
    expect((await server.call(`${server.demo.apiUrl}/api/v1/webhooks`, { token })).status).toBe(401)
    expect((await server.graphql('secure', { query: '{ viewer { userId } }' }, { token })).status).toBe(401)
    expect((await server.call(`${server.demo.apiUrl}/internal/v1/apps`, { token, body: {} })).status).toBe(404)
  })
})

describe('the audit log', () => {
  function entries(kind: string) {
    const database = new Database(`${server.dataDir}/kyc.db`, { readonly: true })
    const found = database
      .prepare(
        'SELECT actor, reason FROM kyc_relay_audit_entries WHERE kind = ? AND actor IS NOT NULL ORDER BY sequence',
      )
      .all(kind)
    database.close()
    return found
  }

  it('names the operator of each change by the credential, and only claims whom a service names', async () => {
    const ada = file.tokens['Ada Example']
    const created = await call('POST', '/apps', ada, { name: 'New Partner' })
    const { appId } = created.json as { appId: string }
    await call('POST', `/apps/${appId}/keys`, ada, { reason: 'lost' })
    const named = await call('POST', `/apps/${appId}/keys`, ada, { reason: 'lost', actor: 'Bob' })
    expect([named.status, named.json.violations[0].code]).toEqual([400, 'UNKNOWN_FIELD'])
    await call('POST', `/apps/${appId}/keys`, server.demo.internalToken, { reason: 'again', actor: 'Bob' })
    await call('POST', `/apps/${appId}/keys`, server.demo.internalToken, { reason: 'again' })
    await call('DELETE', `/apps/${appId}/keys/1`, ada, { reason: 'leaked' })
    expect(entries('API_KEY_ADDED')).toEqual([{ actor: 'operator:Ada Example', reason: null }])
    expect(entries('API_KEY_ISSUED')).toEqual([
      { actor: 'operator:Ada Example', reason: 'lost' },
      { actor: 'claimed:Bob', reason: 'again' },
      { actor: 'service', reason: 'again' },
    ])
    expect(entries('API_KEY_REVOKED')).toEqual([{ actor: 'operator:Ada Example', reason: 'leaked' }])

    const grant = { accountId: one, externalReferenceId: 'r', scopes: ['VERIFY_KYC'] }
    await call('PUT', `/grants/${appId}/${one}`, ada, grant)
    const issued = await call('POST', '/access-tokens', ada, { appId, userId: one, scopes: ['VERIFY_KYC'] })
    expect(issued.headers['cache-control']).toBe('no-store')
    await call('DELETE', `/grants/${appId}/${one}`, server.demo.internalToken)
    for (const kind of ['GRANT_GIVEN', 'ACCESS_TOKEN_ISSUED'])
      expect(entries(kind).at(-1)).toEqual({ actor: 'operator:Ada Example', reason: null })
    expect(entries('GRANT_REVOKED')).toEqual([{ actor: 'service', reason: null }])

    const { apiKey } = created.json as { apiKey: string }
    expect(apiKey).toMatch(/^kyc_key_/)
    const key = (await call('POST', `/apps/${appId}/keys`, ada, { reason: 'again' })).json.apiKey as string
    const url = 'https://localhost:65000/operators'
    const { id } = (await server.call(`${server.demo.apiUrl}/api/v1/webhooks`, { token: key, body: { url } })).json
    await call('POST', `/apps/${appId}/endpoints/${id}/pause`, ada)
    await call('POST', `/apps/${appId}/endpoints/${id}/resume`, ada)
    for (const kind of ['ENDPOINT_PAUSED', 'ENDPOINT_RESUMED'])
      expect(entries(kind)).toEqual([{ actor: 'operator:Ada Example', reason: null }])
  })

  it('says who erased a user, and why; an operator must say why', async () => {
    const { userId } = server.demo.users[5] ?? { userId: '' }
    const ada = file.tokens['Ada Example']
    for (const body of [{}, { purpose: ' ' }, { purpose: 'asked', actor: 'Bob' }])
      expect((await call('DELETE', `/users/${userId}/pii`, ada, body)).status).toBe(400)
    expect((await call('DELETE', `/users/${userId}/pii`, ada, { purpose: 'the user asked' })).status).toBe(200)
    await call('DELETE', `/users/${userId}/pii`, server.demo.internalToken, { purpose: 'a court', actor: 'Bob' })
    const url = `${server.demo.internalUrl}/internal/v1/users/${userId}/pii`
    const asService = { method: 'DELETE', token: server.demo.internalToken } as const
    expect((await server.call(url, asService)).status).toBe(200)
    // A purpose without its content type must not be lost, and a content type without a body asks for none.
    const untyped = await fetch(url, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${server.demo.internalToken}` },
      body: Buffer.from('{"purpose": "lost"}'),
    })
    expect(untyped.status).toBe(415)
    const typed = { ...asService, headers: { 'content-type': 'application/json' } }
    expect((await server.call(url, typed)).status).toBe(200)
    expect(entries('USER_ERASED')).toEqual([
      { actor: 'operator:Ada Example', reason: 'the user asked' },
      { actor: 'claimed:Bob', reason: 'a court' },
      { actor: 'service', reason: null },
      { actor: 'service', reason: null },
    ])
  })
})

describe('a refused operator token', () => {
  it('is counted and logged under its own reason, without the token, and limited', async () => {
    const guess = `kyc_op_${'canary'.repeat(6)}`
    holdClock()
    const statuses: number[] = []
    for (let count = 0; count < 25; count += 1) statuses.push((await call('POST', '/apps', guess)).status)
    expect(statuses.slice(0, 3)).toEqual([401, 401, 401])
    expect(statuses.at(-1)).toBe(429)
    const { text } = await server.call(`${server.demo.internalUrl}/metrics`)
    expect(text).toContain(
      'kyc_relay_authentication_failures_total{listener="internal",reason="OPERATOR_TOKEN_INVALID"} 25',
    )
    const lines = server.logLines.filter((line) => line.includes('OPERATOR_TOKEN_INVALID'))
    expect(lines).toHaveLength(1)
    expect(server.logLines.join('')).not.toContain('canary')
    const valid = await call('POST', '/access-tokens', file.tokens['Ada Example'])
    expect(valid.status).toBe(400)
  })
})
