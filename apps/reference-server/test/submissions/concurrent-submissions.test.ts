import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, it } from 'vitest'
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
const submit = (variables: Record<string, unknown>, token: string) =>
  server.graphql('secure', { query: submissionDocument, variables }, { token })

function count(statement: string, ...parameters: unknown[]): number {
  const database = new Database(`${server.dataDir}/kyc.db`, { readonly: true })
  const row = database.prepare<unknown[], { rows: number }>(`select count(*) as rows from ${statement}`).get(parameters)
  database.close()
  return row?.rows ?? -1
}

it('a hundred identical submissions make one record and a hundred equal answers', async () => {
  const { accessToken, userId } = user(0)
  const variables = submissionVariables()
  const answers = await Promise.all(Array.from({ length: 100 }, () => submit(variables, accessToken)))
  const [first] = answers
  expect(first?.json.data.postKycVerification.status).toBe('VERIFIED')
  for (const answer of answers) expect([answer.status, answer.json.data]).toEqual([200, first?.json.data])
  const replays = answers.filter((answer) => answer.json.extensions?.idempotency?.replayed === true)
  expect(replays.length).toBe(99)
  for (const { json } of replays) expect(json.extensions.idempotency.payloadMatches).toBe(true)
  expect(count('kyc_relay_verifications where user_id = ?', userId)).toBe(1)
  expect(count('kyc_relay_verifications where previous_status <> next_status and user_id = ?', userId)).toBe(1)
})

it('many users with one id under one app: one record, the others learn nothing', async () => {
  const variables = submissionVariables()
  const users = server.demo.users.filter((one) => one.appId === user(0).appId && one.scopes.includes('VERIFY_KYC'))
  const answers = await Promise.all(
    Array.from({ length: users.length * 8 }, (_, at) => submit(variables, users[at % users.length]?.accessToken ?? '')),
  )
  const recorded = answers.filter((answer) => answer.json.errors === undefined)
  const ids = new Set(recorded.map((answer) => answer.json.data.postKycVerification.verificationId as string))
  expect(ids.size).toBe(1)
  for (const answer of answers.filter((one) => one.json.errors !== undefined)) {
    expect(answer.json.errors[0].extensions.code).toBe('EXTERNAL_VERIFICATION_ID_CONFLICT')
    for (const id of ids) expect(answer.text).not.toContain(id)
  }
  expect(recorded.length).toBe(8)
  expect(count('kyc_relay_verifications where external_verification_id = ?', variables.externalVerificationId)).toBe(1)
})

it('two PASSED at once for one user make two records and one status change', async () => {
  const { accessToken } = user(3)
  const address = { streetLine1: 'Beispielweg 1', city: 'Berlin', postalCode: '10115', countryCode: 'DE' }
  const abroad = { ...(submissionVariables().person as object), address }
  const answers = await Promise.all([
    submit(submissionVariables(), accessToken),
    submit(submissionVariables({ person: abroad }), accessToken),
  ])
  const outcomes = answers.map((answer) => answer.json.data.postKycVerification.status as string)
  expect(outcomes.sort()).toEqual(['ALREADY_VERIFIED', 'VERIFIED'])
  const read = await server.graphql(
    'api',
    { query: '{ viewer { kycStatus } kycVerifications { nodes { countryCode statusLog { previous next } } } }' },
    { token: accessToken },
  )
  const { viewer, kycVerifications } = read.json.data
  const log = kycVerifications.nodes as { countryCode: string; statusLog: { previous: string; next: string } }[]
  expect(log.length).toBe(2)
  const changes = log.filter(({ statusLog }) => statusLog.previous !== statusLog.next)
  expect(changes.length).toBe(1)
  expect(viewer.kycStatus).toBe(changes[0]?.countryCode === 'US' ? 'PASS' : 'PASS_INTERNATIONAL')
})

it('twenty of each kind at once end in one change and forty records', async () => {
  const { accessToken } = user(4)
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, at) =>
      submit(submissionVariables({ decision: at % 2 === 0 ? 'PASSED' : 'FAILED' }), accessToken),
    ),
  )
  const outcomes = answers.map((answer) => answer.json.data.postKycVerification.status as string)
  const count = (status: string) => outcomes.filter((outcome) => outcome === status).length
  expect([count('VERIFIED'), count('ALREADY_VERIFIED'), count('DECLINED')]).toEqual([1, 19, 20])
})
