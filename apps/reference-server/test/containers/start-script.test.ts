import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startPostgres } from '../../../../packages/storage-drizzle/test/engine/postgres/postgres-server.js'
import { settings } from '../../src/settings.js'
import { app, makeSecrets, read } from './container-files.js'
import { runStartScript } from './start-script.js'

const start = join(app, 'docker/start.sh')

let secrets: string
beforeAll(() => {
  secrets = makeSecrets()
})
afterAll(() => rmSync(secrets, { recursive: true, force: true }))

describe('start.sh', () => {
  const run = (variables: Record<string, string>) => runStartScript(start, secrets, variables)
  const probe = (port: number, variables: Record<string, string> = {}) =>
    new Promise<number | null>((resolve) => {
      const env = { INTERNAL_PORT: String(port), ...variables }
      spawn(process.execPath, [join(app, 'docker/probe.mjs')], { env }).once('close', resolve)
    })

  it('reads every secret setting from a file', () => {
    const [, names = ''] = /for name in (.+); do/.exec(read(start)) ?? []
    const secret = /TOKEN$|DATABASE_URL$|PROXY$|ACCESS_KEY|SECRET|PASSWORD/
    expect(names.split(' ').sort()).toEqual(
      Object.keys(settings)
        .filter((name) => secret.test(name))
        .sort(),
    )
  })

  it('reads secrets from files, hands its place to the server, and the server gets the signal', async () => {
    const databaseUrl = join(mkdtempSync(join(tmpdir(), 'kyc-relay-url-')), 'database-url')
    onTestFinished(() => rmSync(join(databaseUrl, '..'), { recursive: true, force: true }))
    writeFileSync(databaseUrl, `file:${join(databaseUrl, '../from-the-file.db')}\n`)
    const server = run({ DATABASE_URL_FILE: databaseUrl })
    const port = await server.internalPort()
    expect(existsSync(join(databaseUrl, '../from-the-file.db'))).toBe(true)
    expect(await probe(port)).toBe(0)
    server.child.kill('SIGTERM')
    expect(await server.ended).toBe(0)
    expect(await probe(port)).toBe(1)
    expect(server.output()).not.toContain(read(join(secrets, 'internal-token')).trim())
  })

  it.each([
    ['a file that is not there', { INTERNAL_TOKEN_FILE: '/nowhere/canary' }, 'INTERNAL_TOKEN_FILE'],
    ['a file that is empty', { DATABASE_URL_FILE: '/dev/null' }, 'DATABASE_URL_FILE'],
    [
      'an S3 key that cannot be read',
      { PHOTO_S3_SECRET_ACCESS_KEY_FILE: '/nowhere' },
      'PHOTO_S3_SECRET_ACCESS_KEY_FILE',
    ],
    ['a setting given twice', { INTERNAL_TOKEN: 'canary-canary-canary' }, 'INTERNAL_TOKEN'],
  ])('refuses %s by name', async (_name, variables, told) => {
    const server = run(variables)
    expect(await server.ended).toBe(78)
    expect(server.output()).toContain(told)
    expect(server.output()).not.toContain('canary')
  })

  it.each(['0.0.0.0', '::', '127.0.0.3', '::1'])('the probe finds a worker at OPERATIONS_HOST=%s', async (host) => {
    const variables = { ROLE: 'worker', OPERATIONS_HOST: host }
    const server = run(variables)
    expect(await probe(await server.internalPort(), variables)).toBe(0)
    server.child.kill('SIGTERM')
    expect(await server.ended).toBe(0)
  })

  it('the probe finds the internal API on the loopback of the family of HOST', async () => {
    const variables = { ROLE: 'api', HOST: '::1', OPERATIONS_HOST: '192.0.2.1' }
    const server = run(variables)
    expect(await probe(await server.internalPort(), variables)).toBe(0)
  })

  it('migrate adds the tables of the portal for the engine of the database that is named last', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kyc-relay-migrate-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const postgres = await startPostgres()
    onTestFinished(() => postgres.stop())
    const databases = [join(folder, 'kyc.db'), await postgres.createDatabase()]
    for (const [named, set] of [databases, databases.toReversed()]) {
      const env = { PATH: process.env['PATH'], DATABASE_URL: set }
      const up = spawnSync(start, ['migrate', 'up', named ?? ''], { env, encoding: 'utf8' })
      expect([up.status, up.stdout]).toEqual([
        0,
        'applied  0001_create_tables (kyc_relay_)\napplied  0001_create_tables (portal_)\n',
      ])
    }
  })
})
