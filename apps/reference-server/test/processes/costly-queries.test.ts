import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { submissionDocument, submissionVariables } from '../running-server.js'
import { startServerProcess, type ServerProcess } from './server-process.js'

// A whole server in a small heap, whose user has 100 verifications with 200 checks each: a query that may ask for all of
// them again and again ends the process.

const dataDir = mkdtempSync(join(tmpdir(), 'kyc-relay-costly-'))
let server: ServerProcess
let agent: Agent

beforeAll(async () => {
  server = await startServerProcess(dataDir, { NODE_OPTIONS: '--max-old-space-size=200' })
  agent = new Agent({ connect: { ca: readFileSync(server.demo.caFile, 'utf8') } })
  const checks = (section: string) =>
    Array.from({ length: 100 }, (_, at) => ({ name: `${section}_${at}_${'x'.repeat(80)}`, status: 'PASSED' }))
  for (let row = 0; row < 100; row += 1) {
    const ssn = { verificationId: 'ssn-1', status: 'PASSED', source: 'TIN_DATABASE', checks: checks('ssn') }
    const database = { verificationId: 'db-1', status: 'PASSED', checks: checks('database') }
    const variables = submissionVariables({ verifications: { ssn, database } })
    const { json } = await post('secure', { query: submissionDocument, variables })
    expect(json.data?.postKycVerification?.status).toMatch(/VERIFIED/)
  }
})

afterAll(async () => {
  await server.end('SIGKILL')
  await agent.close()
  rmSync(dataDir, { recursive: true, force: true })
})

async function post(host: 'secure' | 'api', body: unknown) {
  const { apiUrl, secureUrl, users } = server.demo
  const answer = await request(`${host === 'secure' ? secureUrl : apiUrl}/api/v1/graphql`, {
    dispatcher: agent,
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${users[0]?.accessToken}` },
    body: JSON.stringify(body),
  })
  const text = await answer.body.text()

  return { status: answer.statusCode, bytes: Buffer.byteLength(text), json: JSON.parse(text) }
}

/** What another client reads, who tries again when the server is busy. */
async function readStatus(): Promise<unknown> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const { status, json } = await post('api', { query: '{ viewer { kycStatus } }' })
    if (status === 200) return json.data?.viewer?.kycStatus
    await setTimeout(50)
  }
  return 'never'
}

const repeat = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ')
const checks = (count: number) => repeat(count, (at) => `c${at}: checks { section name status }`)
const long = 'x'.repeat(200)

it.each([
  [
    'aliases of connections with aliases of children',
    `{ ${repeat(12, (at) => `k${at}: kycVerifications(first: 200) { nodes { ${checks(8)} } }`)} }`,
    'ONE_CONNECTION_ONLY',
  ],
  ['a page of 200', '{ kycVerifications(first: 200) { nodes { status } } }', 'PAGE_TOO_LARGE'],
  [
    'aliases of pages with aliases of children',
    `{ kycVerifications(first: 100) { ${repeat(10, (at) => `n${at}: nodes { ${checks(8)} }`)} } }`,
    'QUERY_TOO_COSTLY',
  ],
  [
    'checks of a full page, more than one may expect',
    `{ kycVerifications(first: 100) { nodes { ${checks(3)} } } }`,
    'ANSWER_TOO_LARGE',
  ],
  [
    'codes, names and nothing that may be null',
    `{ kycVerifications(first: 100) { nodes { ${repeat(24, (at) => `${long}${at}: checks { name }`)
      .slice(0, 7000)
      .replace(/[^}]*$/, '')} } } }`,
    'QUERY_TOO_COSTLY',
  ],
  [
    'long aliases in a long list',
    `{ kycVerifications(first: 100) { nodes { checks { ${repeat(9, (at) => `${long}${at}: status`)} } } } }`,
    'ANSWER_TOO_LARGE',
  ],
  [
    'long aliases of what may be null',
    `{ kycVerifications(first: 100) { nodes { ${repeat(35, (at) => `${long}${at}: photos { lastFailure }`)
      .slice(0, 7000)
      .replace(/[^}]*$/, '')} } } }`,
    'QUERY_TOO_COSTLY',
  ],
  [
    'lookups by the hundred',
    `query ($id: ID!) { ${repeat(40, (at) => `v${at}: kycVerification(verificationId: $id) { ${checks(1)} }`)} }`,
    'TOO_MANY_ROOT_FIELDS',
  ],
])(
  '%s: refused again and again, and others are served',
  async (_what, query, detail) => {
    const variables = query.includes('$id') ? { id: '00000000-0000-7000-8000-000000000000' } : {}
    let refused = 0
    for (let wave = 0; wave < 3; wave += 1) {
      const answers = await Promise.all(Array.from({ length: 8 }, () => post('api', { query, variables })))
      for (const { status, json, bytes } of answers) {
        // A wave may meet the limit of what is under way: such a refusal says so, and is none of a query's cost.
        if (status === 503) continue
        expect([status, json.errors?.[0]?.extensions]).toMatchObject([400, { code: 'LIMIT_EXCEEDED', detail }])
        expect(bytes).toBeLessThan(1000)
        refused += 1
      }
      expect(await readStatus()).toBe('PASS')
    }
    expect(refused).toBeGreaterThan(0)
    expect(server.process.exitCode).toBeNull()
  },
  60_000,
)

it('a full page of what a client needs is served', async () => {
  const query = `query ($n: Int!) { kycVerifications(first: $n) { edges { cursor node { verificationId status message
    sections { section status } statusLog { previous next at } photos { side state } } } pageInfo { endCursor } } }`
  const full = await post('api', { query, variables: { n: 100 } })
  expect(full.json.data.kycVerifications.edges).toHaveLength(100)
  const costly = await post('api', { query, variables: { n: 101 } })
  expect(costly.json.errors[0].extensions).toMatchObject({ code: 'LIMIT_EXCEEDED', detail: 'PAGE_TOO_LARGE' })
})
