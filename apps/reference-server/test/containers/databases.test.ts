import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPostgresStorage, createPostgresVault } from '@kyc-relay/storage-drizzle/postgres'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  startEmbeddedServer,
  type EmbeddedServer,
} from '../../../../packages/storage-drizzle/test/engine/postgres/embedded-server.js'
import { ownTables } from '../../src/storage/server-stores.js'
import { parseEnv } from '../../src/env.js'
import { createLog } from '../../src/operations/log.js'
import { startServer } from '../../src/server.js'
import { app, makeSecrets, read, root } from './container-files.js'
import { cipher } from '../../../../packages/storage-drizzle/test/vault/any-cipher.js'

const hasPsql = spawnSync('psql', ['--version']).status === 0
if (!hasPsql) console.warn('NOT TESTED: docker/create-databases.sql, since psql is not installed')

/** Runs create-databases.sql the way compose.yaml does: start-postgres.sh, then the entrypoint of the image. */
function createDatabases(server: EmbeddedServer, variables: Record<string, string>) {
  const tools = mkdtempSync(join(tmpdir(), 'kyc-relay-entrypoint-'))
  const script = `exec psql -v ON_ERROR_STOP=1 --no-psqlrc -f "${join(app, 'docker/create-databases.sql')}" "$1"`
  writeFileSync(join(tools, 'docker-entrypoint.sh'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  try {
    return spawnSync(join(app, 'docker/start-postgres.sh'), [server.url], {
      env: { PATH: `${tools}:${process.env['PATH'] ?? ''}`, ...variables },
      encoding: 'utf8',
    })
  } finally {
    rmSync(tools, { recursive: true })
  }
}

/** Runs grant-rights.sh the way compose.yaml does. */
function grantRights(server: EmbeddedServer, secrets: string) {
  const { hostname, port } = new URL(server.url)
  return spawnSync(join(app, 'docker/grant-rights.sh'), {
    env: {
      PATH: process.env['PATH'] ?? '',
      PGHOST: hostname,
      PGPORT: port,
      KYC_PASSWORD_FILE: join(secrets, 'kyc-password'),
      VAULT_PASSWORD_FILE: join(secrets, 'vault-password'),
      RUNTIME_RIGHTS_SQL: join(root, 'packages/storage-drizzle/roles/postgres-runtime.sql'),
    },
    encoding: 'utf8',
  })
}

async function ask<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

describe.runIf(hasPsql)('the databases of compose.yaml', () => {
  let server: EmbeddedServer
  let secrets: string
  /** The connection strings that the containers get, to the server of this test. */
  let urls: Readonly<Record<'kyc' | 'vault' | 'kycOwner' | 'vaultOwner', string>>
  beforeAll(async () => {
    secrets = makeSecrets()
    server = await startEmbeddedServer()
    // As PostgreSQL 14 makes it: newer versions give it to the owner of the database, and nobody else may create tables.
    const template = new URL(server.url)
    template.pathname = '/template1'
    await ask(template.href, 'ALTER SCHEMA public OWNER TO postgres; GRANT CREATE ON SCHEMA public TO PUBLIC')
    const { status, stderr } = createDatabases(server, {
      KYC_PASSWORD_FILE: join(secrets, 'kyc-password'),
      VAULT_PASSWORD_FILE: join(secrets, 'vault-password'),
      KYC_APP_PASSWORD_FILE: join(secrets, 'kyc-app-password'),
      VAULT_APP_PASSWORD_FILE: join(secrets, 'vault-app-password'),
    })
    expect([status, stderr]).toEqual([0, ''])
    const here = (name: string) =>
      read(join(secrets, name))
        .trim()
        .replace('@postgres:5432', `@127.0.0.1:${new URL(server.url).port}`)
    urls = {
      kyc: here('database-url'),
      vault: here('vault-database-url'),
      kycOwner: here('database-owner-url'),
      vaultOwner: here('vault-database-owner-url'),
    }
    // As the services migrate and rights do.
    const options = { ownTables: ownTables('postgres') }
    await (await createPostgresStorage({ connectionString: urls.kycOwner }, options)).close()
    await (await createPostgresVault({ connectionString: urls.vaultOwner }, { cipher })).close()
    expect(grantRights(server, secrets)).toMatchObject({ status: 0, stderr: '' })
  })
  afterAll(async () => {
    await server.stop()
    rmSync(secrets, { recursive: true, force: true })
  })

  it('belong to roles that may do nothing outside of them', async () => {
    const rights = 'rolname, rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls'
    const roles = await ask(
      server.url,
      `SELECT ${rights} FROM pg_roles WHERE rolname ~ '^(kyc|vault)(_app)?$' ORDER BY 1`,
    )
    const none = {
      rolsuper: false,
      rolcreaterole: false,
      rolcreatedb: false,
      rolreplication: false,
      rolbypassrls: false,
    }
    expect(roles).toEqual([
      { rolname: 'kyc', ...none },
      { rolname: 'kyc_app', ...none },
      { rolname: 'vault', ...none },
      { rolname: 'vault_app', ...none },
    ])
    expect(await ask(urls.kyc, 'SELECT current_database() AS name')).toEqual([{ name: 'kyc' }])
    for (const [url, other] of [
      [urls.kyc, 'vault'],
      [urls.vault, 'kyc'],
      [urls.kyc, 'postgres'],
      [urls.kycOwner, 'vault'],
      [urls.vaultOwner, 'kyc'],
    ] as const) {
      const elsewhere = new URL(url)
      elsewhere.pathname = `/${other}`
      await expect(ask(elsewhere.href, 'SELECT 1')).rejects.toMatchObject({ code: '42501' })
    }
    for (const statement of [
      'CREATE TABLE another ()',
      'DROP TABLE kyc_relay_verifications',
      'DELETE FROM kyc_relay_audit_entries',
    ])
      await expect(ask(urls.kyc, statement)).rejects.toMatchObject({ code: '42501' })
    await expect(ask(urls.kyc, 'CREATE DATABASE another')).rejects.toMatchObject({ code: '42501' })
    await expect(ask(urls.kyc, "SELECT pg_read_file('/etc/passwd')")).rejects.toMatchObject({ code: '42501' })
  })

  it('are all that the three processes need, each with the secrets of its role alone', async () => {
    const shared = mkdtempSync(join(tmpdir(), 'kyc-relay-compose-'))
    const common = {
      NODE_ENV: 'production',
      PORT: '0',
      INTERNAL_PORT: '0',
      SECURE_PORT: '0',
      DATABASE_URL: urls.kyc,
      VAULT_DATABASE_URL: urls.vault,
      DATABASE_MIGRATIONS: 'require',
      KEY_FILE: join(secrets, 'keys.json'),
      METRICS_TOKEN: read(join(secrets, 'metrics-token')).trim(),
    }
    const data = { DATA_DIR: join(shared, 'data'), PHOTO_STORAGE: `file:${join(shared, 'data/photos')}` }
    const roles: Record<string, string>[] = [
      { ROLE: 'api', INTERNAL_TOKEN: read(join(secrets, 'internal-token')).trim(), ...data },
      {
        ROLE: 'secure',
        TLS_CERT_FILE: join(secrets, 'tls.pem'),
        TLS_KEY_FILE: join(secrets, 'tls-key.pem'),
        // A folder that nobody can make, not even root: this role writes no file.
        DATA_DIR: '/proc/nowhere',
      },
      { ROLE: 'worker', AUDIT_CHECKPOINTS: join(shared, 'audit/audit-checkpoints.jsonl'), ...data },
    ]
    mkdirSync(join(shared, 'audit'))
    const running = []
    try {
      for (const role of roles)
        running.push(await startServer(parseEnv({ ...common, ...role }), createLog({ logLevel: 'silent' })))
      for (const { ports } of running) {
        const port = ports.operations === 0 ? ports.internal : ports.operations
        const ready = await fetch(`http://127.0.0.1:${port}/readyz`)
        expect([ready.status, await ready.json()]).toEqual([200, expect.objectContaining({ status: 'ready' })])
      }
    } finally {
      for (const one of running) await one.stop('TEST_ENDED')
      rmSync(shared, { recursive: true, force: true })
    }
  })
})

it.each([
  ['is missing', { KYC_PASSWORD_FILE: '' }],
  ['is empty', { KYC_PASSWORD_FILE: '/dev/null' }],
  ['is not there', { KYC_PASSWORD_FILE: '/nowhere' }],
])('start-postgres.sh makes no database when a password %s', (_name, variables) => {
  const { status, stdout, stderr } = spawnSync(join(app, 'docker/start-postgres.sh'), ['postgres'], {
    env: { PATH: process.env['PATH'] ?? '', VAULT_PASSWORD_FILE: join(app, 'package.json'), ...variables },
    encoding: 'utf8',
  })
  expect([status, stdout, stderr]).toEqual([78, '', 'KYC_PASSWORD_FILE: the file cannot be read, or is empty\n'])
})

it.each([
  ['is missing', ''],
  ['is empty', '/dev/null'],
  ['is not there', '/nowhere'],
])('grant-rights.sh grants nothing when a password %s', (_name, path) => {
  const { status, stdout, stderr } = spawnSync(join(app, 'docker/grant-rights.sh'), {
    env: { PATH: process.env['PATH'] ?? '', KYC_PASSWORD_FILE: path, VAULT_PASSWORD_FILE: join(app, 'package.json') },
    encoding: 'utf8',
  })
  expect([status, stdout, stderr]).toEqual([
    78,
    '',
    'grant-rights.sh: the password of kyc cannot be read, or is empty\n',
  ])
})
