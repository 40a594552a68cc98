import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  startPostgres,
  type PostgresServer,
} from '../../../../packages/storage-drizzle/test/engine/postgres/postgres-server.js'
import { parseEnv } from '../../src/env.js'
import { createLog } from '../../src/operations/log.js'
import { startServer } from '../../src/server.js'
import { startTestServer } from '../running-server.js'

let postgres: PostgresServer
let dataDir: string

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'kyc-relay-test-'))
  postgres = await startPostgres()
})
afterAll(async () => {
  await postgres.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

const ports = { PORT: '0', INTERNAL_PORT: '0', SECURE_PORT: '0' }

test('while migrations wait for their lock, every listener answers probes, and the log tells of the wait', async () => {
  const url = await postgres.createDatabase()
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  // Another process that migrates.
  await other.query('BEGIN')
  await other.query(`SELECT pg_advisory_xact_lock(hashtextextended('public' || 'kyc_relay_migrations', 0))`)
  const lines: Record<string, unknown>[] = []
  let onWait: () => void = () => undefined
  const waits = new Promise<void>((resolve) => (onWait = resolve))
  const write = (line: string) => {
    lines.push(JSON.parse(line) as Record<string, unknown>)
    if (line.includes('migration waits for a lock')) onWait()
  }
  const variables = { ...ports, DATA_DIR: dataDir, DATABASE_URL: url, TLS_TERMINATED_UPSTREAM: '1' }
  const starting = startServer(parseEnv(variables), createLog({ logLevel: 'info' }, { write }))
  try {
    await Promise.race([waits, starting])
    const listening = lines.filter(({ msg }) => msg === 'listening')
    expect(listening.map(({ listener }) => listener)).toEqual(['api', 'internal', 'secure'])
    for (const { port } of listening) {
      const health = await fetch(`http://127.0.0.1:${String(port)}/healthz`)
      expect([health.status, await health.json()]).toEqual([200, { status: 'ok' }])
      const ready = await fetch(`http://127.0.0.1:${String(port)}/readyz`)
      expect([ready.status, await ready.json()]).toEqual([503, { status: 'not_ready', parts: { server: 'starting' } }])
      const asked = await fetch(`http://127.0.0.1:${String(port)}/api/v1/graphql`, { method: 'POST', body: '{}' })
      expect([asked.status, asked.headers.get('retry-after')]).toEqual([503, '5'])
      expect(await asked.text()).toContain('UNAVAILABLE')
    }
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'migration waits for a lock', job: 'migrate stores' }))
  } finally {
    await other.query('COMMIT')
    await other.end()
  }
  const server = await starting
  const ready = await fetch(`http://127.0.0.1:${server.ports.api}/readyz`)
  expect(await ready.json()).toMatchObject({ status: 'ready' })
  await server.stop('TEST_ENDED')
})

test.each([
  ['DATABASE_URL', 'up --own-tables portal_=apps/reference-server/migrations/postgres', []],
  ['VAULT_DATABASE_URL', 'up --vault', ['DATABASE_URL']],
])('a start that must not migrate says how to migrate %s', async (name, said, migrated) => {
  const urls = { DATABASE_URL: await postgres.createDatabase(), VAULT_DATABASE_URL: await postgres.createDatabase() }
  const folder = fileURLToPath(new URL('../../migrations/postgres', import.meta.url))
  const command = fileURLToPath(
    new URL('../../../../packages/storage-drizzle/bin/kyc-relay-migrate.js', import.meta.url),
  )
  if (migrated.length > 0) {
    execFileSync(process.execPath, [command, 'up', '--own-tables', `portal_=${folder}`, urls.DATABASE_URL])
  }
  const variables = { ...ports, DATA_DIR: dataDir, ...urls, DATABASE_MIGRATIONS: 'require' }
  await expect(startServer(parseEnv(variables), createLog({ logLevel: 'silent' }))).rejects.toThrow(
    `${name}: The database needs migrations. Run kyc-relay-migrate ${said}, or set DATABASE_MIGRATIONS=apply. (SCHEMA_OUTDATED)`,
  )
})

test('a start that must not migrate is refused on a database that lacks migrations, and leaves no listener', async () => {
  const url = await postgres.createDatabase()
  const lines: string[] = []
  const variables = { ...ports, DATA_DIR: dataDir, DATABASE_URL: url, DATABASE_MIGRATIONS: 'require' }
  const log = createLog({ logLevel: 'info' }, { write: (line: string) => void lines.push(line) })
  const opening = startServer(parseEnv(variables), log)
  await expect(opening).rejects.toMatchObject({
    code: 'DATABASE_NOT_OPENED',
    message: expect.stringMatching(/^DATABASE_URL: .*needs migrations.*\(SCHEMA_OUTDATED\)$/),
  })
  const [api] = lines
    .map((line) => JSON.parse(line) as { listener?: string; port?: number })
    .filter(({ listener }) => listener === 'api')
  await expect(fetch(`http://127.0.0.1:${api?.port}/healthz`)).rejects.toThrow()
})

test.each(['database', 'vault'])(
  'a %s that takes no writes makes the server not ready',
  async (part) => {
    const urls = { DATABASE_URL: await postgres.createDatabase(), VAULT_DATABASE_URL: await postgres.createDatabase() }
    const url = part === 'database' ? urls.DATABASE_URL : urls.VAULT_DATABASE_URL
    const server = await startTestServer(urls)
    const admin = new pg.Client({ connectionString: url })
    await admin.connect()
    const readiness = async () => (await server.call(`${server.demo.apiUrl}/readyz`)).json as unknown
    expect(await readiness()).toMatchObject({ status: 'ready' })
    const name = new URL(url).pathname.slice(1)
    await admin.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
    // Sessions have the setting of when they began.
    await admin.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()',
      [name],
    )
    await expect
      .poll(readiness, { timeout: 5_000 })
      .toMatchObject({ status: 'not_ready', parts: { [part]: 'failing' } })
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    expect(await readiness()).toMatchObject({ status: 'not_ready', parts: { [part]: 'failing' } })
    await admin.query('SET default_transaction_read_only = off')
    await admin.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`)
    await admin.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()',
      [name],
    )
    await expect.poll(readiness, { timeout: 5_000 }).toMatchObject({ status: 'ready' })
    await admin.end()
    await server.stop()
  },
  30_000,
)
