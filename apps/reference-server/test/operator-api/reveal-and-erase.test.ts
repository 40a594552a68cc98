import { eventExample } from '@kyc-relay/webhooks/events'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, submissionDocument, submissionVariables, type RunningTestServer } from '../running-server.js'

let server: RunningTestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const user = (index: number) => {
  const found = server.demo.users[index]
  if (found === undefined) throw new Error('no such demo user')
  return found
}
const internal = (
  method: 'POST' | 'DELETE',
  path: string,
  body?: unknown,
  token: string | null = server.demo.internalToken,
) => server.call(`${server.demo.internalUrl}/internal/v1${path}`, { method, body, token })

const document = {
  verificationId: 'doc-1',
  status: 'PASSED',
  documentClass: 'PASSPORT',
  documentNumber: 'X9Y8Z7W6',
  issuingCountryCode: 'US',
}

const submittedVariables = new Map<number, ReturnType<typeof submissionVariables>>()
const variablesOf = (index: number) => submittedVariables.get(index)

async function submitted(index: number) {
  const variables = submissionVariables({
    verifications: { ssn: { verificationId: 'ssn-1', status: 'PASSED', source: 'TIN_DATABASE' }, document },
  })
  submittedVariables.set(index, variables)
  const answer = await server.graphql(
    'secure',
    { query: submissionDocument, variables },
    { token: user(index).accessToken },
  )
  return answer.json.data.postKycVerification.verificationId as string
}

function rows<Row>(file: 'kyc.db' | 'vault.db', sql: string, ...values: unknown[]): Row[] {
  const database = new Database(`${server.dataDir}/${file}`, { readonly: true })
  const found = database.prepare<unknown[], Row>(sql).all(...values)
  database.close()
  return found
}

function tokensOf(index: number) {
  const { appId, userId } = user(index)
  const found = rows<{ ssn_token: string; document_number_token: string }>(
    'kyc.db',
    'SELECT ssn_token, document_number_token FROM kyc_relay_verifications WHERE app_id = ? AND user_id = ?',
    appId,
    userId,
  )[0]
  return { ssn: found?.ssn_token ?? '', documentNumber: found?.document_number_token ?? '' }
}

const audits = () =>
  rows<{ actor: string; purpose: string; token: string }>('vault.db', 'SELECT * FROM kyc_relay_vault_audit')

describe('revealing', () => {
  const request = (changes: Record<string, unknown> = {}) => ({
    appId: user(0).appId,
    userId: user(0).userId,
    token: tokensOf(0).ssn,
    actor: 'case-worker@example.com',
    purpose: 'subject access request 4711',
    ...changes,
  })
  beforeAll(() => submitted(0))

  it('opens one value after it wrote who asked and why', async () => {
    const answer = await internal('POST', '/vault/reveal', request())
    expect([answer.status, answer.json]).toEqual([200, { token: tokensOf(0).ssn, value: '078051120' }])
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(audits()).toMatchObject([
      {
        actor: 'claimed:case-worker@example.com',
        purpose: 'subject access request 4711',
        // The row stays after an erasure, so it has no digits.
        token: tokensOf(0).ssn.slice(0, -'_1120'.length),
      },
    ])
    const told = server.logLines.filter((line) => /078051120|case-worker|4711/.test(line))
    expect(told).toEqual([])
  })

  it.each([
    ['another user’s', () => ({ userId: user(1).userId }), 404, 'TOKEN_UNKNOWN'],
    ['another app’s', () => ({ appId: '7a000000-0000-4000-8000-000000000001' }), 404, 'TOKEN_UNKNOWN'],
    ['one that never was', () => ({ token: `tok_ssn_${'a'.repeat(26)}_1120` }), 404, 'TOKEN_UNKNOWN'],
    [
      'a document number, of which only a hash exists',
      () => ({ token: tokensOf(0).documentNumber }),
      409,
      'NOT_REVEALABLE',
    ],
    ['no token', () => ({ token: '078-05-1120' }), 400, 'BODY_INVALID'],
    ['no actor', () => ({ actor: undefined }), 400, 'BODY_INVALID'],
    ['an empty actor', () => ({ actor: '  ' }), 400, 'BODY_INVALID'],
    ['a purpose with a line break', () => ({ purpose: 'audit\nforged line' }), 400, 'BODY_INVALID'],
    ['a purpose of 201 characters', () => ({ purpose: 'x'.repeat(201) }), 400, 'BODY_INVALID'],
    ['an unknown field', () => ({ reason: 'x' }), 400, 'BODY_INVALID'],
  ])('%s is refused, and no value is shown', async (_name, changes, status, detail) => {
    const before = audits().length
    const refused = await internal('POST', '/vault/reveal', request(changes()))
    expect([refused.status, refused.json.detail]).toEqual([status, detail])
    expect(refused.text).not.toMatch(/078-?05-?1120/)
    expect(audits()).toHaveLength(before)
  })

  it('exists on the internal listener alone, for the internal token alone', async () => {
    for (const token of [null, user(0).accessToken, server.demo.apps[0]?.apiKey ?? '']) {
      expect((await internal('POST', '/vault/reveal', request(), token)).status).toBe(401)
    }
    for (const host of [server.demo.apiUrl, server.demo.secureUrl]) {
      const path = `${host}/internal/v1/vault/reveal`
      const answer = await server.call(path, { body: request(), token: server.demo.internalToken })
      expect(answer.status).toBe(404)
    }
  })

  it('fails closed when the audit cannot be written', async () => {
    const database = new Database(`${server.dataDir}/vault.db`)
    database.exec('ALTER TABLE kyc_relay_vault_audit RENAME TO audit_away')
    try {
      const failed = await internal('POST', '/vault/reveal', request())
      expect([failed.status, failed.json.code]).toEqual([503, 'UNAVAILABLE'])
      expect(failed.text).not.toContain('078051120')
    } finally {
      database.exec('ALTER TABLE audit_away RENAME TO kyc_relay_vault_audit')
      database.close()
    }
    expect((await internal('POST', '/vault/reveal', request())).status).toBe(200)
  })
})

describe('erasing a user', () => {
  const canary = 'Canarymerchant'
  const purpose = 'request of the user'

  it('removes data key, tokens and bodies for every app of theirs, reports it, and leaves the records', async () => {
    const { appId, userId, accessToken } = user(2)
    const bystander = user(3)
    const otherApp = server.demo.apps.find((app) => app.appId !== appId)
    if (otherApp === undefined) throw new Error('the demo has two apps')
    const second = await internal('POST', '/access-tokens', { appId: otherApp.appId, userId, scopes: ['VERIFY_KYC'] })
    const variables = submissionVariables()
    await server.graphql(
      'secure',
      { query: submissionDocument, variables },
      { token: second.json.accessToken as string },
    )
    const verificationId = await submitted(2)
    await submitted(3)
    await server.call(`${server.demo.apiUrl}/api/v1/webhooks`, {
      token: server.demo.apps[0]?.apiKey ?? null,
      body: { url: 'https://localhost:65000/erasure', eventTypes: ['TRANSACTION_CREATE'] },
    })
    const skipped = [
      'eventType',
      'userId',
      'accountId',
      'connectedAppId',
      'connectedAppName',
      'transactionId',
      'status',
    ]
    const example = Object.entries(eventExample('TRANSACTION_CREATE')).filter(([field]) => !skipped.includes(field))
    const data = { ...Object.fromEntries(example), merchantName: canary }
    for (const owner of [
      { appId, userId },
      { appId: bystander.appId, userId: bystander.userId },
    ]) {
      expect((await internal('POST', '/transactions', { ...owner, data })).status).toBe(201)
    }
    const { ssn } = tokensOf(2)

    const erased = await internal('DELETE', `/users/${userId}/pii`, { purpose })
    expect(erased.status).toBe(200)
    expect(erased.json).toEqual({
      userId,
      erasedAt: expect.stringMatching(/Z$/),
      apps: expect.arrayContaining([
        {
          appId,
          tokensErased: 2,
          deliveriesCancelled: expect.any(Number),
          bodiesBlanked: 1,
          transactionsBlanked: 1,
          photosErased: 0,
          verificationsKept: 1,
        },
        expect.objectContaining({ appId: otherApp.appId, tokensErased: 1, verificationsKept: 1 }),
      ]),
      kept: expect.arrayContaining([expect.stringContaining('Corrections')]),
    })

    const reveal = { appId, userId, token: ssn, actor: 'someone', purpose: 'anything' }
    expect((await internal('POST', '/vault/reveal', reveal)).status).toBe(404)
    const keys = 'SELECT 1 FROM kyc_relay_vault_data_keys WHERE user_id = ?'
    expect(rows('vault.db', keys, userId)).toEqual([])
    expect(rows('vault.db', keys, bystander.userId)).toHaveLength(1)
    const bodies = 'SELECT body FROM kyc_relay_events WHERE user_id = ?'
    expect(rows('kyc.db', bodies, userId)).toEqual([{ body: null }])
    expect(rows<{ body: Buffer }>('kyc.db', bodies, bystander.userId)[0]?.body.length).toBeGreaterThan(canary.length)

    const read = await server.graphql(
      'api',
      { query: '{ viewer { kycStatus } kycVerifications(first: 5) { edges { node { verificationId status } } } }' },
      { token: accessToken },
    )
    expect(read.json.data).toMatchObject({
      viewer: { kycStatus: 'PASS' },
      kycVerifications: { edges: [{ node: { verificationId } }] },
    })
    const query = { query: submissionDocument, variables: variablesOf(2) }
    const replayed = await server.graphql('secure', query, { token: accessToken })
    expect(replayed.json.data.postKycVerification.verificationId).toBe(verificationId)
    expect(replayed.json.extensions.idempotency).toEqual({ replayed: true, payloadMatches: null })
    const guessable = 'SELECT ssn_token, payload_digest, erasable_key FROM kyc_relay_verifications WHERE user_id = ?'
    const blanked = { ssn_token: null, payload_digest: null, erasable_key: null }
    expect(rows('kyc.db', guessable, userId)).toEqual([blanked, blanked])
    for (const [name, bytes] of server.files()) expect([name, bytes.includes(ssn)]).toEqual([name, false])
    const again = await internal('DELETE', `/users/${userId}/pii`, { purpose })
    expect(again.json.apps).toMatchObject([
      { tokensErased: 0, bodiesBlanked: 0, transactionsBlanked: 0 },
      { tokensErased: 0, bodiesBlanked: 0, transactionsBlanked: 0 },
    ])

    await internal('DELETE', `/users/${bystander.userId}/pii`, { purpose })
    for (const [name, bytes] of server.files()) expect(`${name}: ${bytes.includes(canary)}`).toBe(`${name}: false`)
  })

  it('removes what a submission left in the vault that was not recorded, also after the grant was revoked', async () => {
    const { appId, userId, accessToken } = user(9)
    const change = (sql: string) => {
      const database = new Database(`${server.dataDir}/kyc.db`)
      database.exec(sql)
      database.close()
    }
    change(`CREATE TRIGGER broken BEFORE INSERT ON kyc_relay_verifications BEGIN SELECT RAISE(ABORT, 'x'); END`)
    const sent = { query: submissionDocument, variables: submissionVariables() }
    expect((await server.graphql('secure', sent, { token: accessToken })).status).toBe(500)
    change('DROP TRIGGER broken')
    expect((await internal('DELETE', `/grants/${appId}/${userId}`)).status).toBe(204)
    const report = await internal('DELETE', `/users/${userId}/pii`, { purpose })
    expect(report.json.apps).toMatchObject([{ appId, tokensErased: 1, verificationsKept: 0 }])
    expect(rows('vault.db', 'SELECT 1 FROM kyc_relay_vault_data_keys WHERE user_id = ?', userId)).toEqual([])
  })

  it('that has not finished refuses submissions of the user for now, and keeps nothing of them', async () => {
    const { appId, userId, accessToken } = user(5)
    const database = new Database(`${server.dataDir}/kyc.db`)
    const start = 'INSERT INTO kyc_relay_user_retention (user_id, erasure_id, erasure_started_at) VALUES (?, ?, ?)'
    database.prepare(start).run(userId, 'interrupted', Date.now())
    database.close()
    const sent = { query: submissionDocument, variables: submissionVariables() }
    const refused = await server.graphql('secure', sent, { token: accessToken })
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5'])
    expect(refused.json.errors).toMatchObject([{ extensions: { code: 'UNAVAILABLE', retryable: true } }])
    const logged = server.logLines.map((line) => JSON.parse(line) as Record<string, unknown>)
    const failed = logged.filter(({ msg }) => msg === 'submission failed')
    expect(failed.at(-1)).toMatchObject({ userId, code: 'ERASURE_IN_PROGRESS' })
    const report = await internal('DELETE', `/users/${userId}/pii`, { purpose })
    expect(report.json.apps).toMatchObject([{ appId, tokensErased: 1, verificationsKept: 0 }])
    const repeated = await server.graphql('secure', sent, { token: accessToken })
    expect(repeated.json.data.postKycVerification.status).toBe('VERIFIED')
  })

  it('of nobody reports nothing; of a malformed id there is no address; without the token it is refused', async () => {
    const nobody = '7a000000-0000-4000-8000-000000000099'
    expect((await internal('DELETE', `/users/${nobody}/pii`, { purpose })).json).toMatchObject({
      userId: nobody,
      apps: [],
    })
    expect((await internal('DELETE', '/users/not-a-uuid/pii', { purpose })).status).toBe(404)
    expect((await internal('DELETE', `/users/${nobody}/pii`, { purpose }, null)).status).toBe(401)
  })
})
