import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { startPostgres } from '../../../../packages/storage-drizzle/test/engine/postgres/postgres-server.js'

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

it.each(['SIGTERM', 'SIGINT'] as const)('%s ends a server that waits for another to migrate', async (signal) => {
  const postgres = await startPostgres()
  onTestFinished(() => postgres.stop())
  const dataDir = mkdtempSync(join(tmpdir(), 'kyc-relay-signal-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const url = await postgres.createDatabase()
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  onTestFinished(() => other.end())
  await other.query('BEGIN')
  await other.query(`SELECT pg_advisory_xact_lock(hashtextextended('public' || 'kyc_relay_migrations', 0))`)
  const ports = { PORT: '0', INTERNAL_PORT: '0', SECURE_PORT: '0' }
  const child = spawn(process.execPath, [main], {
    env: { PATH: process.env['PATH'], ...ports, DATA_DIR: dataDir, DATABASE_URL: url },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdout.on('data', (chunk: Buffer) => {
    if (chunk.includes('migration waits for a lock')) child.kill(signal)
  })
  // A process that a signal ends does not listen to it: as the first of a container it would go on.
  const ended = await new Promise((resolve) => child.once('close', (code, by) => resolve({ code, by })))
  expect(ended).toEqual({ code: 0, by: null })
})
