import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import {
  startPostgres,
  type PostgresServer,
} from '../../../../packages/storage-drizzle/test/engine/postgres/postgres-server.js'
import { startReceiver } from '../local-receiver.js'
import { startServerProcess, type ServerProcess } from '../processes/server-process.js'
import { callsTo } from './server-calls.js'

// Processes of the built server, of this version and of a next one, on one PostgreSQL.
vi.setConfig({ testTimeout: 180_000 })
const polling = { timeout: 60_000 }

const repository = fileURLToPath(new URL('../../../../', import.meta.url))

let postgres: PostgresServer
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kyc-relay-versions-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function start(dataDir: string, variables: Record<string, string>, program?: string): Promise<ServerProcess> {
  const server = await startServerProcess(dataDir, { LOG_LEVEL: 'info', ...variables }, undefined, program)
  onTestFinished(async () => void (await server.end('SIGKILL')))
  return server
}

async function query<Row extends pg.QueryResultRow>(connectionString: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  const { rows } = await client.query<Row>(text)
  await client.end()
  return rows
}

const laterSchema = `ALTER TABLE kyc_relay_verifications ADD COLUMN later text COLLATE "C";
ALTER TABLE kyc_relay_events ADD COLUMN later text COLLATE "C";
ALTER TABLE kyc_relay_deliveries ADD COLUMN later integer NOT NULL DEFAULT 0;
CREATE TABLE kyc_relay_later (delivery bigint NOT NULL PRIMARY KEY, note text COLLATE "C");
CREATE INDEX kyc_relay_verifications_later ON kyc_relay_verifications (later);
`

/** This server as a next version would be: built, in a folder of its own, with one migration more, which only adds. */
function buildNextVersion(): { program: string; migration: string } {
  const folder = testFolder()
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'))
  for (const part of ['dist', 'migrations', 'package.json']) {
    cpSync(join(repository, 'apps/reference-server', part), join(folder, part), { recursive: true })
  }
  const number = readdirSync(join(repository, 'packages/storage-drizzle/migrations/postgres')).length + 1
  const migration = `${String(number).padStart(4, '0')}_add_what_comes_later`
  // The build holds the migrations, of each engine in the file that its driver is loaded with.
  const history = '_MIGRATIONS_default = { postgres: { '
  const files = readdirSync(join(folder, 'dist')).filter((name) => name.startsWith('postgres-'))
  const [built, ...others] = files.filter((name) => readFileSync(join(folder, 'dist', name), 'utf8').includes(history))
  if (built === undefined || others.length > 0) throw new Error('the build holds its migrations elsewhere')
  const code = readFileSync(join(folder, 'dist', built), 'utf8')
  const later = `${history}"${migration}.sql": ${JSON.stringify(laterSchema)}, `
  writeFileSync(join(folder, 'dist', built), code.replace(history, later))
  return { program: join(folder, 'dist/main.js'), migration }
}

it('two versions work side by side while the next one migrates, and the former starts no more afterwards', async () => {
  const dataDir = testFolder()
  const DATABASE_URL = await postgres.createDatabase()
  const before = await start(dataDir, { DATABASE_URL })
  const { demo } = before
  const receiver = await startReceiver(demo)
  onTestFinished(() => receiver.close())
  const old = callsTo(before)
  expect((await old.register(receiver.url('/versions'))).status).toBe(201)

  const answers: number[] = []
  let published = 0
  let going = true
  const traffic = async (calls: ReturnType<typeof callsTo>) => {
    while (going) {
      answers.push((await calls.submit()).status, (await calls.publish()).status)
      published += 1
    }
  }
  const ofOld = traffic(old)
  const next = buildNextVersion()
  const after = await start(dataDir, { DATABASE_URL }, next.program)
  expect(after.output()).toContain(`"migration":"${next.migration}"`)
  const ofNext = traffic(callsTo(after))
  const both = published + 10
  await expect.poll(() => published, polling).toBeGreaterThan(both)

  // The next version goes, the former one works on: a rollback that needs no restart.
  going = false
  await Promise.all([ofOld, ofNext])
  expect(await after.end('SIGTERM')).toEqual({ code: 0, signal: null })
  expect((await old.submit()).status).toBe(200)
  expect((await old.publish()).status).toBe(202)
  expect([...new Set(answers)].sort()).toEqual([200, 202])
  const count = (table: string, where = 'true') =>
    query<{ count: number }>(DATABASE_URL, `SELECT count(*)::int AS count FROM kyc_relay_${table} WHERE ${where}`)
  await expect.poll(() => count('deliveries', `state <> 'DELIVERED'`), polling).toEqual([{ count: 0 }])
  expect(await count('verifications')).toEqual([{ count: published + 1 }])
  expect(await count('deliveries', 'attempts_made = 1')).toEqual([{ count: published + 1 }])
  const ids = receiver.received.map(({ headers }) => headers['x-event-id'])
  expect([ids.length, new Set(ids).size]).toEqual([published + 1, published + 1])

  // Started anew it refuses, with a text of its own, and changes nothing; the next version goes on.
  expect(await before.end('SIGTERM')).toEqual({ code: 0, signal: null })
  const ledger = () => query(DATABASE_URL, 'SELECT * FROM kyc_relay_migrations ORDER BY number')
  const migrated = await ledger()
  await expect(start(dataDir, { DATABASE_URL })).rejects.toThrow(
    'A newer version of the package has migrated the database',
  )
  expect(await ledger()).toEqual(migrated)
  const again = await start(dataDir, { DATABASE_URL }, next.program)
  expect((await callsTo(again).submit()).status).toBe(200)
})

it('after a restore of an older backup on PostgreSQL it works on; what was pending goes out under its old id', async () => {
  const dataDir = testFolder()
  const urls = { DATABASE_URL: await postgres.createDatabase(), VAULT_DATABASE_URL: await postgres.createDatabase() }
  const settings = { ...urls, DELIVERY_RETRY_BASE_MS: '1000' }
  const databases = Object.values(urls).map((url) => new URL(url).pathname.slice(1))
  const admin = new URL(urls.DATABASE_URL)
  admin.pathname = '/postgres'
  const ask = (text: string) => query(admin.href, text)

  const first = await start(dataDir, settings)
  const receiver = await startReceiver(first.demo)
  onTestFinished(() => receiver.close())
  receiver.answerBy('/restored', () => 500)
  await callsTo(first).register(receiver.url('/restored'))
  expect((await callsTo(first).publish('before')).status).toBe(202)
  const [pending] = await receiver.arrived('/restored', 1)
  const pendingId = pending?.headers['x-event-id'] ?? ''
  expect(await first.end('SIGTERM')).toEqual({ code: 0, signal: null })
  // A copy of a database that nobody is connected to is what a dump and its restore give.
  for (const name of databases) await ask(`CREATE DATABASE ${name}_backup TEMPLATE ${name}`)
  onTestFinished(async () => {
    for (const name of databases) await ask(`DROP DATABASE IF EXISTS ${name}_backup WITH (FORCE)`)
  })

  const second = await start(dataDir, settings)
  const afterBackup = { externalVerificationId: 'after-the-backup' }
  expect((await callsTo(second).submit(afterBackup)).text).toContain('VERIFIED')
  expect((await callsTo(second).publish('after')).status).toBe(202)
  const lostIds = () => receiver.received.map(({ headers }) => headers['x-event-id']).filter((id) => id !== pendingId)
  await expect.poll(() => new Set(lostIds()).size, polling).toBe(1)
  const [lost] = lostIds()
  await second.end('SIGKILL')
  for (const name of databases) {
    await ask(`DROP DATABASE ${name} WITH (FORCE)`)
    await ask(`CREATE DATABASE ${name} TEMPLATE ${name}_backup`)
  }

  receiver.answerBy('/restored', () => 200)
  const third = await start(dataDir, settings)
  const states = () => query(urls.DATABASE_URL, 'SELECT state, x_event_id FROM kyc_relay_deliveries ORDER BY position')
  await expect.poll(states, polling).toEqual([{ state: 'DELIVERED', x_event_id: pendingId }])
  // What came after the backup is not known any more: told again it is new, as docs/operate.md says.
  const again = callsTo(third)
  const submitted = await again.submit(afterBackup)
  expect(submitted.text).toContain('VERIFIED')
  expect(submitted.text).not.toContain('"replayed":true')
  expect((await again.publish('after')).status).toBe(202)
  await expect
    .poll(async () => (await states()).map(({ state }) => state as string), polling)
    .toEqual(['DELIVERED', 'DELIVERED'])
  const newest = receiver.received.at(-1)?.headers['x-event-id']
  expect([pendingId, lost]).not.toContain(newest)
  const ids = new Set(receiver.received.map(({ headers }) => headers['x-event-id']))
  expect(ids).toEqual(new Set([pendingId, lost, newest]))
})
