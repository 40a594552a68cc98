import { createServer, type Server } from 'node:https'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { verifyWebhook } from '@kyc-relay/webhooks'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, submissionDocument, submissionVariables, type RunningTestServer } from './running-server.js'

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
const submit = (variables: Record<string, unknown>, token = user(0).accessToken) =>
  server.graphql('secure', { query: submissionDocument, variables }, { token })
const statusOf = async (token: string) =>
  (await server.graphql('api', { query: '{ viewer { userId kycStatus } }' }, { token })).json.data.viewer
    .kycStatus as string

/** Rows of every table of both databases. */
function rowCounts(): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of ['kyc.db', 'vault.db']) {
    const database = new Database(`${server.dataDir}/${name}`, { readonly: true })
    const tables = database.prepare<[], { name: string }>("select name from sqlite_master where type = 'table'").all()
    for (const table of tables) {
      const row = database.prepare<[], { rows: number }>(`select count(*) as rows from "${table.name}"`).get()
      counts[`${name} ${table.name}`] = row?.rows ?? -1
    }
    database.close()
  }
  return counts
}

describe('a KYC result', () => {
  it('is accepted over TLS, sets the status once, and a replay writes nothing', async () => {
    const { accessToken } = user(1)
    expect(await statusOf(accessToken)).toBe('UNVERIFIED')
    const variables = submissionVariables()
    const first = await submit(variables, accessToken)
    expect(first.status).toBe(200)
    expect(first.json.data.postKycVerification).toEqual({
      status: 'VERIFIED',
      verificationId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      message: expect.any(String),
    })
    expect(await statusOf(accessToken)).toBe('PASS')

    const before = rowCounts()
    const replay = await submit(variables, accessToken)
    expect(replay.json.data).toEqual(first.json.data)
    expect(replay.json.extensions).toEqual({ idempotency: { replayed: true, payloadMatches: true } })
    const changed = await submit({ ...variables, decision: 'FAILED', person: null }, accessToken)
    expect(changed.json.data).toEqual(first.json.data)
    expect(changed.json.extensions).toEqual({ idempotency: { replayed: true, payloadMatches: false } })
    expect(rowCounts()).toEqual(before)
  })

  it('of an address outside the US sets PASS_INTERNATIONAL; a later one preserves it; a failed one changes nothing', async () => {
    const { accessToken } = user(2)
    const person = {
      firstName: 'Jürgen',
      lastName: 'Beispiel',
      dateOfBirth: '1980-02-29',
      address: { streetLine1: 'Beispielweg 1', city: 'Berlin', postalCode: '10115', countryCode: 'DE' },
    }
    const verifications = {
      database: { verificationId: 'db-1', status: 'PASSED', checks: [{ name: 'name_match', status: 'PASSED' }] },
    }
    expect(
      (await submit(submissionVariables({ person, verifications }), accessToken)).json.data.postKycVerification.status,
    ).toBe('VERIFIED')
    expect(await statusOf(accessToken)).toBe('PASS_INTERNATIONAL')
    const again = await submit(submissionVariables(), accessToken)
    expect(again.json.data.postKycVerification).toMatchObject({
      status: 'ALREADY_VERIFIED',
      message: expect.stringMatching(/preserved/),
    })
    const failedChecks = {
      database: {
        verificationId: 'db-2',
        status: 'FAILED',
        checks: [
          { name: 'watchlist', status: 'FAILED' },
          { name: 'name_match', status: 'PASSED' },
        ],
      },
    }
    const failed = await submit(
      submissionVariables({ decision: 'FAILED', person, verifications: failedChecks }),
      accessToken,
    )
    expect(failed.json.data.postKycVerification.status).toBe('DECLINED')
    expect(await statusOf(accessToken)).toBe('PASS_INTERNATIONAL')
    const read = await server.graphql(
      'api',
      {
        query:
          '{ kycVerifications(first: 10) { edges { node { verificationId status declineCodes checks { section name status } statusLog { previous next } } } } }',
      },
      { token: accessToken },
    )
    expect(
      (read.json.data.kycVerifications.edges as { node: { declineCodes: string[] } }[]).map(
        (edge) => edge.node.declineCodes,
      ),
    ).toEqual([['watchlist'], [], []])
  })

  it('with a clear SSN or document number is refused by the standard host, tokenless or not', async () => {
    const clear = await server.graphql('api', { query: submissionDocument, variables: submissionVariables() })
    expect(clear.json.errors[0].extensions.code).toBe('PII_NOT_TOKENIZED')
    const { ssn, ssnLast4, ...person } = submissionVariables().person as Record<string, unknown>
    expect([ssn, ssnLast4]).toEqual(['078-05-1120', '1120'])
    const verifications = { database: { verificationId: 'db-1', status: 'PASSED' } }
    const noPii = await server.graphql('api', {
      query: submissionDocument,
      variables: submissionVariables({ person, verifications }),
    })
    expect(noPii.json.errors[0].extensions.code).toBe('SECURE_ENDPOINT_REQUIRED')
    const inlined =
      'mutation { postKycVerification(schemaVersion: "1.0", externalVerificationProvider: "CUSTOM", externalVerificationId: "x", decision: "PASSED", person: { ssn: "078-05-1120" }, verifications: {}) { status } }'
    expect((await server.graphql('api', { query: inlined })).json.errors[0].extensions.code).toBe('PII_NOT_TOKENIZED')
    expect((await server.graphql('secure', { query: inlined })).json.errors[0].extensions.code).toBe(
      'ARGUMENTS_MUST_BE_VARIABLES',
    )
  })

  it('that breaks rules is refused with pointers, and its id stays free', async () => {
    const variables = submissionVariables({
      decision: 'PENDING',
      person: { ...(submissionVariables().person as object), ssnLast4: '9999', dateOfBirth: '31.01.1990' },
    })
    const before = rowCounts()
    const refused = await submit(variables)
    expect(refused.status).toBe(200)
    expect(refused.json.data).toEqual({ postKycVerification: null })
    expect(refused.json.errors[0].extensions).toMatchObject({
      code: 'VALIDATION_FAILED',
      retryable: false,
      requestId: refused.headers['x-request-id'],
    })
    const violations = refused.json.errors[0].extensions.violations as { pointer: string; code: string }[]
    expect(violations.map(({ pointer, code }) => `${pointer} ${code}`).sort()).toEqual([
      '/decision ENUM',
      '/person/dateOfBirth DATE_INVALID',
      '/person/ssnLast4 SSN_LAST4_MISMATCH',
    ])
    expect(rowCounts()).toEqual(before)
    const good = submissionVariables({ externalVerificationId: variables.externalVerificationId })
    expect((await submit(good, user(3).accessToken)).json.data.postKycVerification.status).toBe('VERIFIED')
    const alone = await submit(submissionVariables({ person: { ...(good.person as object), ssnLast4: '1121' } }))
    expect(alone.json.errors[0].extensions.code).toBe('SSN_LAST4_MISMATCH')
  })

  it('of another user under a known id is a conflict that reveals nothing; another app is independent', async () => {
    const variables = submissionVariables()
    const first = await submit(variables, user(4).accessToken)
    const conflict = await submit(variables, user(5).accessToken)
    expect(conflict.json.errors[0].extensions.code).toBe('EXTERNAL_VERIFICATION_ID_CONFLICT')
    expect(conflict.text).not.toContain(first.json.data.postKycVerification.verificationId)
    expect(await statusOf(user(5).accessToken)).toBe('UNVERIFIED')
    const otherApp = server.demo.users.find((one) => one.appId !== user(0).appId)
    const independent = await submit(variables, otherApp?.accessToken)
    expect(independent.json.data.postKycVerification.status).toBe('VERIFIED')
  })

  it('leaves no clear SSN, document number, name or birth date in any file, write-ahead logs included', async () => {
    const canaries = {
      ssn: '536-90-4399',
      firstName: 'Canaryfirstname',
      lastName: 'Canarylastname',
      dateOfBirth: '1971-11-23',
      documentNumber: 'CANARYDOC4711',
    }
    const person = {
      ...(submissionVariables().person as object),
      ssn: canaries.ssn,
      ssnLast4: '4399',
      firstName: canaries.firstName,
      lastName: canaries.lastName,
      dateOfBirth: canaries.dateOfBirth,
    }
    const document = {
      verificationId: 'doc-1',
      status: 'PASSED',
      documentClass: 'PASSPORT',
      documentNumber: canaries.documentNumber,
      issuingCountryCode: 'US',
    }
    expect(
      (await submit(submissionVariables({ person, verifications: { document } }), user(6).accessToken)).json.data
        .postKycVerification.status,
    ).toBe('VERIFIED')
    const files = server.files()
    expect([...files.keys()]).toEqual(expect.arrayContaining(['kyc.db', 'kyc.db-wal', 'vault.db', 'vault.db-wal']))
    for (const value of [...Object.values(canaries), '536904399']) {
      for (const [name, bytes] of files) expect(`${name}: ${bytes.includes(value)}`).toBe(`${name}: false`)
      expect(server.logLines.filter((line) => line.includes(value))).toEqual([])
    }
  })
})

describe('a request that is not allowed or not well-formed', () => {
  const good = () => ({ query: submissionDocument, variables: submissionVariables() })
  const secure = () => `${server.demo.secureUrl}/api/v1/graphql`

  it.each([
    ['no token', {}, 401, 'UNAUTHENTICATED'],
    ['an unknown token', { token: 'kyc_at_unknown' }, 401, 'UNAUTHENTICATED'],
    ['a wrong content type', { contentType: 'text/plain' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['a body over the limit', { body: Buffer.alloc(512 * 1024 + 1, 0x20) }, 413, 'PAYLOAD_TOO_LARGE'],
    ['malformed JSON', { body: '{"query": canary-4711' }, 400, 'BAD_REQUEST'],
  ])('%s', async (_name, options: { token?: string; contentType?: string; body?: unknown }, status, code) => {
    const token = 'contentType' in options || 'body' in options ? user(0).accessToken : options.token
    const answer = await server.call(secure(), {
      body: options.body ?? good(),
      token: token ?? null,
      headers: options.contentType ? { 'content-type': options.contentType } : {},
    })
    expect(answer.status).toBe(status)
    expect(answer.json.errors[0].extensions).toEqual({
      code,
      violations: [],
      requestId: answer.headers['x-request-id'],
      retryable: false,
      ...(code === 'BAD_REQUEST' ? { detail: 'INVALID_JSON' } : {}),
    })
    expect(answer.text).not.toContain('canary')
    if (status === 401) expect(answer.headers['www-authenticate']).toMatch(/^Bearer/)
  })

  it('a token without VERIFY_KYC is refused, an API key is no access token', async () => {
    const without = server.demo.users.find((one) => !one.scopes.includes('VERIFY_KYC'))
    const answer = await server.call(secure(), { body: good(), token: without?.accessToken ?? null })
    expect([answer.status, answer.json.errors[0].extensions.code]).toEqual([403, 'FORBIDDEN'])
    const apiKey = await server.call(secure(), { body: good(), token: server.demo.apps[0]?.apiKey ?? null })
    expect(apiKey.status).toBe(401)
  })
})

describe('webhooks', () => {
  let receiver: Server
  let receiverUrl: string
  const answers = new Map<string, number[]>()
  const received: { path: string; eventId: string; type: string; event: unknown }[] = []
  const api = (path: string, options: Parameters<RunningTestServer['call']>[1] = {}) =>
    server.call(`${server.demo.apiUrl}/api/v1/webhooks${path}`, {
      token: server.demo.apps[0]?.apiKey ?? null,
      ...options,
    })
  const publish = (event: Record<string, unknown>) =>
    server.call(`${server.demo.internalUrl}/internal/v1/events`, {
      token: server.demo.internalToken,
      body: {
        appId: user(0).appId,
        userId: user(0).userId,
        eventType: 'WIDGET_DEPOSIT_COMPLETE',
        data: { amount: 100.5 },
        ...event,
      },
    })

  beforeAll(async () => {
    const apiKey = server.demo.apps[0]?.apiKey ?? ''
    receiver = createServer(
      { cert: readFileSync(server.demo.receiverCertFile), key: readFileSync(server.demo.receiverKeyFile) },
      (request, response) => {
        const chunks: Buffer[] = []
        request.on('data', (chunk: Buffer) => chunks.push(chunk))
        request.on('end', () => {
          void verifyWebhook({ body: Buffer.concat(chunks), headers: request.headers, secrets: apiKey }).then(
            ({ eventId, type, event }) => {
              const path = request.url ?? '/'
              received.push({ path, eventId, type, event })
              response.writeHead(answers.get(path)?.shift() ?? 200).end()
            },
            () => response.writeHead(401).end(),
          )
        })
      },
    )
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    receiverUrl = `https://localhost:${(receiver.address() as AddressInfo).port}`
  })
  afterAll(() => void receiver.close())

  const settled = async (deliveryId: string) => {
    for (let look = 0; look < 500; look += 1) {
      const { json } = await api(`/deliveries/${deliveryId}`)
      if (json.status !== 'PENDING') return json
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    throw new Error('the delivery did not end')
  }

  it.each([
    ['/steady', [], 'DELIVERED', 1],
    ['/recovering', [500, 500], 'DELIVERED', 3],
    ['/broken', [500, 500, 500, 500, 500, 500], 'FAILED', 5],
  ])('a receiver at %s that answers %j first ends %s after %i', async (path, firstAnswers, status, count) => {
    answers.set(path, [...firstAnswers])
    const endpoint = await api('', { body: { url: `${receiverUrl}${path}`, eventTypes: ['WIDGET_DEPOSIT_COMPLETE'] } })
    expect(endpoint.status).toBe(201)
    const published = await publish({})
    expect(published.status).toBe(202)
    const delivery = (published.json.deliveries as { endpointId: string; deliveryId: string }[]).find(
      (one) => one.endpointId === endpoint.json.id,
    )
    const ended = await settled(delivery?.deliveryId ?? '')
    expect([ended.status, ended.attempts.length]).toEqual([status, count])
    const posts = received.filter((post) => post.path === path)
    expect(posts.length).toBe(count)
    expect(new Set(posts.map((post) => post.eventId))).toEqual(new Set([ended.xEventId]))
    expect(posts[0]).toMatchObject({
      type: 'WIDGET_DEPOSIT_COMPLETE',
      event: {
        userId: user(0).userId,
        accountId: user(0).accountId,
        appId: user(0).appId,
        externalReferenceId: user(0).externalReferenceId,
        amount: 100.5,
      },
    })
    expect((await api(`/${endpoint.json.id}`, { method: 'DELETE' })).status).toBe(204)
  })

  it('are registered at HTTPS URLs only', async () => {
    for (const url of [
      'http://partner.example.com/x',
      'HTTP://partner.example.com',
      'https://127.0.0.1/x',
      'https://[::1]/',
      'ftp://partner.example.com',
      '',
      'https://user@partner.example.com/',
    ]) {
      const answer = await api('', { body: { url } })
      expect([url, answer.status, answer.headers['content-type']]).toEqual([url, 400, 'application/problem+json'])
    }
    expect((await api('', { body: { url: 'https://partner.example.com/x', eventTypes: ['NOT_A_TYPE'] } })).status).toBe(
      400,
    )
    expect((await api('', { token: null })).status).toBe(401)
  })

  it('are withheld without the scope, and a malformed event is the publisher’s mistake', async () => {
    const none = await publish({ sourceEventId: 'source-1' })
    expect(none.json).toMatchObject({ deliveries: [], withheld: 'NO_ENDPOINT' })
    expect((await publish({ sourceEventId: 'source-1' })).json.eventId).toBe(none.json.eventId)
    const bad = await publish({ data: { amount: 'canary' } })
    expect([bad.status, bad.json.detail]).toEqual([400, 'EVENT_INVALID'])
    expect(bad.text).not.toContain('canary')
    expect(
      (await server.call(`${server.demo.internalUrl}/internal/v1/events`, { token: 'wrong-token-entirely', body: {} }))
        .status,
    ).toBe(401)
  })
})
