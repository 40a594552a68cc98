import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  startPostgres,
  type PostgresServer,
} from '../../../../packages/storage-drizzle/test/engine/postgres/postgres-server.js'
import { startTestServer, submissionDocument, submissionVariables, type RunningTestServer } from '../running-server.js'

const canary = 'CANARY-OF-READING'
const document = {
  verificationId: 'doc-1',
  status: 'FAILED',
  documentClass: 'PASSPORT',
  documentNumber: 'X9Y8Z7W6',
  issuingCountryCode: 'US',
  checks: [
    { name: 'face_match', status: 'PASSED' },
    { name: 'document_expired', status: 'FAILED', reasons: [`${canary} expired`, 'second'] },
  ],
}
const ssn = {
  verificationId: 'ssn-1',
  status: 'PASSED',
  source: 'TIN_DATABASE',
  checks: [{ name: 'face_match', status: 'PASSED', reasons: ['of the ssn section'] }],
}

describe.each(['sqlite', 'postgres'] as const)('a partner on %s', (engine) => {
  let server: RunningTestServer
  let postgres: PostgresServer | null = null
  beforeAll(async () => {
    const settings: Record<string, string> = {}
    if (engine === 'postgres') {
      postgres = await startPostgres()
      settings['DATABASE_URL'] = await postgres.createDatabase()
    }
    server = await startTestServer(settings)
  })
  afterAll(async () => {
    await server.stop()
    await postgres?.stop()
  })

  const user = (index: number) => server.demo.users[index]!
  async function submit(index: number, changes: Record<string, unknown> = {}) {
    const variables = submissionVariables({ verifications: { ssn, document }, ...changes })
    const { accessToken } = user(index)
    const answer = await server.graphql('secure', { query: submissionDocument, variables }, { token: accessToken })
    return {
      verificationId: answer.json.data.postKycVerification.verificationId as string,
      externalVerificationId: variables['externalVerificationId'] as string,
    }
  }
  const query = `query ($id: ID!) { kycVerification(verificationId: $id) {
    statusLog { at previous next decisionReason source } checks { section name status reasons } } }`
  const read = async (index: number, id: string) =>
    server.graphql('api', { query, variables: { id } }, { token: user(index).accessToken })
  const list = (parameters = '', app = 0) =>
    server.call(`${server.demo.apiUrl}/api/v1/verifications${parameters}`, { token: server.demo.apps[app]!.apiKey })

  it('reads back the decision reason and the reasons of its own submission, and null after an erasure', async () => {
    const { verificationId } = await submit(0, { decision: 'FAILED', decisionReason: `${canary} forged` })
    expect((await read(0, verificationId)).json.data.kycVerification).toEqual({
      statusLog: {
        at: expect.stringMatching(/Z$/),
        previous: 'UNVERIFIED',
        next: 'UNVERIFIED',
        decisionReason: `${canary} forged`,
        source: 'SUBMISSION',
      },
      checks: [
        { section: 'document', name: 'face_match', status: 'PASSED', reasons: [] },
        { section: 'document', name: 'document_expired', status: 'FAILED', reasons: [`${canary} expired`, 'second'] },
        { section: 'ssn', name: 'face_match', status: 'PASSED', reasons: ['of the ssn section'] },
      ],
    })
    for (const other of [1, server.demo.users.findIndex(({ appId }) => appId !== user(0).appId)])
      expect((await read(other, verificationId)).json.data.kycVerification).toBeNull()
    expect(server.logLines.join('')).not.toContain(canary)

    const { verificationId: silent } = await submit(0, { verifications: { ssn: { ...ssn, checks: [] } } })
    expect((await read(0, silent)).json.data.kycVerification.statusLog.decisionReason).toBeNull()

    const url = `${server.demo.internalUrl}/internal/v1/users/${user(0).userId}/pii`
    await server.call(url, { method: 'DELETE', token: server.demo.internalToken, body: { purpose: 'asked' } })
    const erased = await read(0, verificationId)
    expect(erased.text).not.toContain(canary)
    expect(erased.json.data.kycVerification).toMatchObject({
      statusLog: { decisionReason: null, source: 'SUBMISSION' },
      checks: [{ reasons: null }, { name: 'document_expired', reasons: null }, { reasons: null }],
    })
  })

  it('lists the submissions of its app, page by page and filtered, without personal data', async () => {
    const mine = [await submit(1), await submit(2, { decision: 'FAILED' }), await submit(2)]
    const otherApp = server.demo.users.findIndex(({ appId }) => appId !== user(0).appId)
    const theirs = await submit(otherApp)
    const all = (await list()).json.items as { verificationId: string }[]
    const ids = mine.map(({ verificationId }) => verificationId)
    expect(all.map(({ verificationId }) => verificationId).slice(-3)).toEqual(ids)
    expect(all.at(-2)).toEqual({
      ...mine[1],
      userId: user(2).userId,
      decision: 'FAILED',
      status: 'DECLINED',
      declineCodes: ['document_expired'],
      photos: [],
      recordedAt: expect.stringMatching(/Z$/),
    })
    const seen: string[] = []
    let after = ''
    for (;;) {
      const page = (await list(`?limit=2${after === '' ? '' : `&after=${after}`}`)).json
      seen.push(...(page.items as { verificationId: string }[]).map(({ verificationId }) => verificationId))
      if (page.nextCursor === null) break
      after = page.nextCursor as string
    }
    expect(seen).toEqual(all.map(({ verificationId }) => verificationId))
    expect((await list('', 1)).json.items).toMatchObject([theirs])

    const found = async (parameters: string) =>
      ((await list(parameters)).json.items as { verificationId: string }[]).map(({ verificationId }) => verificationId)
    expect(await found(`?externalVerificationId=${mine[0]!.externalVerificationId}`)).toEqual([ids[0]])
    expect(await found(`?externalVerificationId=${theirs.externalVerificationId}`)).toEqual([])
    expect(await found(`?userId=${user(2).userId.toUpperCase()}`)).toEqual([ids[1], ids[2]])
    expect(await found(`?userId=${user(2).userId}&status=DECLINED`)).toEqual([ids[1]])
    expect((await list()).text).not.toMatch(/CANARY|Jane|1120|tok_|PASS_INTERNATIONAL|UNVERIFIED/)
  })

  it.each([
    ['?after=canary', 400, 'CURSOR_INVALID'],
    ['?limit=0', 400, 'BAD_REQUEST'],
    ['?status=PASS', 400, 'BAD_REQUEST'],
    ['?userId=canary', 400, 'BAD_REQUEST'],
    ['?externalVerificationId=canary%00', 400, 'BAD_REQUEST'],
    ['?cursor=canary', 400, 'UNKNOWN_PARAMETER'],
  ])('gets %s refused', async (parameters, status, code) => {
    const refused = await list(parameters)
    expect([refused.status, refused.json.code]).toEqual([status, code])
    expect(refused.text).not.toContain('canary')
  })

  it('refuses empty parameters, each with its pointer', async () => {
    const { status, json } = await list('?externalVerificationId=&after=&limit=1')
    const message = 'This value does not have the required format.'
    expect([status, json.detail, json.violations]).toEqual([
      400,
      'QUERY_INVALID',
      ['/externalVerificationId', '/after'].map((pointer) => ({ pointer, code: 'FORMAT', message })),
    ])
  })

  it('finds no verification under an id with a NUL', async () => {
    expect((await read(0, 'canary\0')).json).toEqual({ data: { kycVerification: null } })
  })

  it('needs its API key', async () => {
    const url = `${server.demo.apiUrl}/api/v1/verifications`
    for (const token of [null, user(0).accessToken, server.demo.internalToken])
      expect((await server.call(url, { token })).status).toBe(401)
    expect((await server.call(url, { method: 'POST', token: server.demo.apps[0]!.apiKey, body: {} })).status).toBe(405)
  })
})
