import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  startPostgres,
  type PostgresServer,
} from '../../../../packages/storage-drizzle/test/engine/postgres/postgres-server.js'
import { startReceiver, type LocalReceiver } from '../local-receiver.js'
import { startTestServer, submissionDocument, submissionVariables, type RunningTestServer } from '../running-server.js'
import { writeOperatorsFile } from './operators-file.js'

const file = writeOperatorsFile({ Ada: ['correct', 'evidence'], Eve: ['read', 'evidence', 'reveal', 'erase', 'keys'] })
afterAll(() => file.remove())

describe.each(['sqlite', 'postgres'] as const)('correcting a KYC status on %s', (engine) => {
  let server: RunningTestServer
  let host: LocalReceiver
  let postgres: PostgresServer | null = null
  beforeAll(async () => {
    const settings: Record<string, string> = { OPERATORS_FILE: file.path, KYC_STATUS_EVENTS: '1' }
    if (engine === 'postgres') {
      postgres = await startPostgres()
      settings['DATABASE_URL'] = await postgres.createDatabase()
    }
    server = await startTestServer(settings)
    host = await startReceiver(server.demo)
  })
  afterAll(async () => {
    await host.close()
    await server.stop()
    await postgres?.stop()
  })

  const user = (index: number) => server.demo.users[index]!
  async function submit(index: number, variables = submissionVariables()) {
    const { accessToken } = user(index)
    const answer = await server.graphql('secure', { query: submissionDocument, variables }, { token: accessToken })
    return answer.json.data.postKycVerification as { status: string; verificationId: string }
  }
  const correct = (userId: string, body: unknown, token: string | null = file.tokens.Ada) =>
    server.call(`${server.demo.internalUrl}/internal/v1/users/${userId}/kyc-status`, { method: 'POST', body, token })
  const statusOf = async (index: number) =>
    (await server.graphql('api', { query: '{ viewer { kycStatus } }' }, { token: user(index).accessToken })).json.data
      .viewer.kycStatus as string

  it('sets the expected status, tells the partners who asked, and never why', async () => {
    const url = host.url('/status')
    await server.call(`${server.demo.apiUrl}/api/v1/webhooks`, {
      token: server.demo.apps[0]!.apiKey,
      body: { url, eventTypes: ['KYC_STATUS_CHANGED'] },
    })
    const variables = submissionVariables()
    const first = await submit(0, variables)
    const { userId } = user(0)
    const answer = await correct(userId, { expectedStatus: 'PASS', status: 'UNVERIFIED', reason: 'CANARY forged' })
    expect([answer.status, answer.json]).toEqual([
      200,
      {
        userId,
        correctionId: expect.any(String),
        previous: 'PASS',
        status: 'UNVERIFIED',
        source: 'OPERATOR',
        at: expect.stringMatching(/Z$/),
      },
    ])
    expect(await statusOf(0)).toBe('UNVERIFIED')
    const told = await host.arrived('/status', 2)
    const events = told.map(({ body }) => JSON.parse(body) as Record<string, unknown>)
    expect(events.find(({ source }) => source === 'OPERATOR')).toMatchObject({
      eventType: 'KYC_STATUS_CHANGED',
      userId,
      previous: 'PASS',
      next: 'UNVERIFIED',
      verificationId: null,
    })
    expect(await submit(0, variables)).toEqual(first)
    expect(await statusOf(0)).toBe('UNVERIFIED')
    expect((await submit(0)).status).toBe('VERIFIED')
    expect(await statusOf(0)).toBe('PASS')

    const evidence = await server.call(
      `${server.demo.internalUrl}/internal/v1/verifications/${first.verificationId}/evidence`,
      { body: { purpose: 'p' }, token: file.tokens.Ada },
    )
    expect(evidence.json.corrections).toEqual([
      {
        correctionId: answer.json.correctionId as string,
        previous: 'PASS',
        next: 'UNVERIFIED',
        at: answer.json.at as string,
        actor: 'operator:Ada',
        reason: 'CANARY forged',
      },
    ])
    const partner = await server.graphql(
      'api',
      { query: '{ kycVerifications { nodes { statusLog { previous next } checks { name } } } viewer { kycStatus } }' },
      { token: user(0).accessToken },
    )
    expect(partner.text).not.toContain('CANARY')
    expect(told.map(({ body }) => body).join('')).not.toContain('CANARY')
    expect(server.logLines.join('')).not.toContain('CANARY')
  })

  it('answers 409 STATUS_CHANGED if it moved meanwhile, and corrects once of 8 at once', async () => {
    await submit(1)
    const { userId } = user(1)
    const wrong = await correct(userId, { expectedStatus: 'UNVERIFIED', status: 'PASS', reason: 'r' })
    expect([wrong.status, wrong.json.code]).toEqual([409, 'STATUS_CHANGED'])
    const body = { expectedStatus: 'PASS', status: 'PASS_INTERNATIONAL', reason: 'r' }
    const all = await Promise.all(Array.from({ length: 8 }, () => correct(userId, body)))
    expect(all.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 7 }, () => 409)])
    expect(await statusOf(1)).toBe('PASS_INTERNATIONAL')
  })

  it.each([
    ['no reason', { expectedStatus: 'PASS', status: 'UNVERIFIED' }],
    ['no expected status', { status: 'UNVERIFIED', reason: 'r' }],
    ['a status that does not exist', { expectedStatus: 'PASS', status: 'REJECTED', reason: 'r' }],
    ['no change', { expectedStatus: 'PASS', status: 'PASS', reason: 'r' }],
    ['an actor of the operator’s own', { expectedStatus: 'PASS', status: 'UNVERIFIED', reason: 'r', actor: 'Bob' }],
  ])('refuses %s', async (_name, body) => {
    expect((await correct(user(2).userId, body)).status).toBe(400)
  })

  it('lists the other statuses for no change', async () => {
    const { json } = await correct(user(2).userId, { expectedStatus: 'PASS', status: 'PASS', reason: 'r' })
    const message = 'Not an allowed value. Allowed: UNVERIFIED, PASS_INTERNATIONAL.'
    expect(json.violations).toEqual([{ pointer: '/status', code: 'ENUM', message }])
  })

  it('needs the right, and a user who exists', async () => {
    const body = { expectedStatus: 'UNVERIFIED', status: 'PASS', reason: 'r' }
    expect((await correct(user(2).userId, body, file.tokens.Eve)).status).toBe(403)
    const unknown = await correct('7a000000-0000-4000-8000-000000000001', body)
    expect([unknown.status, unknown.json.detail]).toEqual([404, 'USER_UNKNOWN'])
    expect((await correct('nonsense', body)).status).toBe(404)
    expect(await statusOf(2)).toBe('UNVERIFIED')
  })
})
