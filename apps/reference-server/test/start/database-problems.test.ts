import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  startOwnPostgres,
  type OwnPostgres,
} from '../../../../packages/storage-drizzle/test/engine/postgres/own-postgres.js'
import { parseEnv } from '../../src/env.js'
import { createLog } from '../../src/operations/log.js'
import { startServer } from '../../src/server.js'
import { startTestServer, submissionDocument, submissionVariables } from '../running-server.js'

let postgres: OwnPostgres
let dataDir: string

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'kyc-relay-test-'))
  postgres = await startOwnPostgres()
  await postgres.ask('CREATE DATABASE kyc')
  await postgres.ask('CREATE DATABASE vault')
})
afterAll(async () => {
  await postgres.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

const logged: string[] = []
const log = createLog({ logLevel: 'trace' }, { write: (line) => void logged.push(line) })

/** What a start with these settings is refused with. */
async function refusalOf(variables: Record<string, string>): Promise<unknown> {
  const ports = { PORT: '0', INTERNAL_PORT: '0', SECURE_PORT: '0', DATA_DIR: dataDir }
  return startServer(parseEnv({ ...ports, ...variables }), log).catch((error: unknown) => error)
}

test('a start says which database does not open, why, and with which code', async () => {
  const wrong = postgres.url({ user: 'canary', password: 'canary', database: 'kyc' })
  const refusals = [
    await refusalOf({ DATABASE_URL: wrong }),
    await refusalOf({
      DATABASE_URL: postgres.url({ database: 'kyc' }),
      VAULT_DATABASE_URL: postgres.url({ database: 'canary' }),
    }),
  ]
  expect(refusals).toMatchObject([
    {
      code: 'DATABASE_NOT_OPENED',
      message: expect.stringMatching(/^DATABASE_URL: .+ \(DATABASE_UNUSABLE, LOGIN_REFUSED, 28P01\)$/),
    },
    {
      code: 'DATABASE_NOT_OPENED',
      message: expect.stringMatching(/^VAULT_DATABASE_URL: .+ \(DATABASE_UNUSABLE, DATABASE_NOT_FOUND, 3D000\)$/),
    },
  ])
  expect(String(refusals) + logged.join('')).not.toContain('canary')
})

test.each([
  ['in no folder', 'nowhere/kyc.db', 'ENOENT', 'The folder of the database file does not exist. Create it'],
  ['that is a folder', '', 'EISDIR', 'The path names a folder. Set it to a file in it.'],
  ['below a file', 'a-file/kyc.db', 'ENOTDIR', 'A part of the path is a file. Correct the setting.'],
])('a first start says what to do about a database file %s', async (_name, path, code, text) => {
  rmSync(join(dataDir, 'keys.json'), { force: true })
  writeFileSync(join(dataDir, 'a-file'), '')
  expect(await refusalOf({ DATABASE_URL: `file:${join(dataDir, path)}` })).toMatchObject({
    code: 'DATABASE_NOT_OPENED',
    message: expect.stringMatching(
      new RegExp(`^DATABASE_URL \\(default: kyc.db in DATA_DIR\\): ${text}.*\\(DATABASE_UNUSABLE, ${code}\\)$`),
    ),
  })
})

test('a start says that another process locks a database file', async () => {
  const path = join(dataDir, 'locked.db')
  const locked = new Database(path)
  locked.exec('CREATE TABLE one (id); BEGIN EXCLUSIVE')
  const refused = await refusalOf({ DATABASE_URL: `file:${path}` })
  locked.close()
  expect(refused).toMatchObject({
    message: expect.stringMatching(
      /: The database file cannot be written\. .*read-only.*\(STORE_UNAVAILABLE, SQLITE_BUSY\)$/,
    ),
  })
})

test('a start names the database whose worker lock cannot be opened', async () => {
  const path = join(dataDir, 'unlockable.db')
  mkdirSync(`${path}.worker`)
  expect(await refusalOf({ DATABASE_URL: `file:${path}` })).toMatchObject({
    code: 'DATABASE_NOT_OPENED',
    message: expect.stringMatching(/^DATABASE_URL .* a file beside it.*\(STORE_UNAVAILABLE, SQLITE_CANTOPEN\)$/),
  })
})

test('while it serves, a request that the database refuses is answered 503, and logged with cause and SQLSTATE', async () => {
  await postgres.ask(`CREATE ROLE kyc LOGIN PASSWORD 'kyc'`)
  for (const database of ['served', 'served_vault']) await postgres.ask(`CREATE DATABASE ${database} OWNER kyc`)
  const server = await startTestServer({
    DATABASE_URL: postgres.url({ user: 'kyc', database: 'served' }),
    VAULT_DATABASE_URL: postgres.url({ user: 'kyc', database: 'served_vault' }),
  })
  let failures = 0
  const submit = async () => {
    const answer = await server.graphql('secure', { query: submissionDocument, variables: submissionVariables() })
    if (answer.status === 503) failures += 1
    return answer
  }
  expect((await submit()).json).toMatchObject({ data: { postKycVerification: { status: 'VERIFIED' } } })
  await postgres.ask('ALTER TABLE kyc_relay_verifications OWNER TO postgres', 'served')
  const denied = await submit()
  await postgres.ask(`ALTER ROLE kyc PASSWORD 'another'`)
  await postgres.ask(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'kyc'`)
  const causes = () =>
    server.logLines.map((line) => JSON.parse(line) as Record<string, unknown>).filter((line) => 'driverCode' in line)
  let refused = denied
  // The session that was ended is met first.
  await expect
    .poll(async () => {
      refused = await submit()
      return causes()
    })
    .toContainEqual(expect.objectContaining({ level: 50, cause: 'LOGIN_REFUSED', driverCode: '28P01' }))
  // Also those whose token could not be looked up.
  const { text } = await server.call(`${server.demo.internalUrl}/metrics`)
  expect(text).toContain(`kyc_relay_submissions_total{outcome="ERROR"} ${failures}\n`)
  await server.stop()
  expect(causes()[0]).toMatchObject({ code: 'DATABASE_UNUSABLE', cause: 'PERMISSION_MISSING', driverCode: '42501' })
  for (const answer of [denied, refused]) {
    expect(answer.json).toMatchObject({ errors: [{ extensions: { code: 'UNAVAILABLE', retryable: true } }] })
  }
})
