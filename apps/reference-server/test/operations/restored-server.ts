import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import pg from 'pg'
import { expect, onTestFinished } from 'vitest'
import { parseEnv } from '../../src/env.js'
import type { DemoFile } from '../../src/start/demo-file.js'
import { readDemoFile } from '../../src/start/demo-file.js'
import { readCheckpoints } from '../../src/operations/audit/checkpoint-file.js'
import { runVerifyCommand } from '../../src/operations/audit/verify-command.js'
import { createLog } from '../../src/operations/log.js'
import { startServer } from '../../src/server.js'
import { openAuditLogs } from '../../src/wiring/audit-logs.js'
import type { PostgresServer } from '../../../../packages/storage-drizzle/test/engine/postgres/postgres-server.js'
import { submissionDocument, submissionVariables } from '../running-server.js'
import { clientOf } from './server-calls.js'

/** One of the two databases of an installation. */
export type DatabaseName = 'business' | 'vault'

/** Two databases, as an operator handles them while no server runs. */
export interface Databases {
  readonly urls: { readonly DATABASE_URL: string; readonly VAULT_DATABASE_URL: string }
  /** Copies a database, as a backup tool does. */
  backUp(database: DatabaseName, name: string): Promise<void>
  /** Puts a copy in the place of the database, as docs/operate.md says. */
  restore(database: DatabaseName, name: string): Promise<void>
  /** Takes a database away. */
  remove(database: DatabaseName): Promise<void>
  query<Row>(database: DatabaseName, sql: string): Promise<Row[]>
}

export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kyc-relay-restore-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Two SQLite files in a data folder. */
export function sqliteDatabases(dataDir: string): Databases {
  const files = { business: join(dataDir, 'kyc.db'), vault: join(dataDir, 'vault.db') }
  const backups = testFolder()
  function open<T>(path: string, work: (client: Database.Database) => T): T {
    const client = new Database(path)
    try {
      return work(client)
    } finally {
      client.close()
    }
  }
  const remove = (database: DatabaseName) => {
    const name = database === 'business' ? 'kyc.db' : 'vault.db'
    for (const file of readdirSync(dataDir)) if (file.startsWith(name)) rmSync(join(dataDir, file))
    return Promise.resolve()
  }
  return {
    urls: { DATABASE_URL: `file:${files.business}`, VAULT_DATABASE_URL: `file:${files.vault}` },
    async backUp(database, name) {
      const client = new Database(files[database], { readonly: true })
      await client.backup(join(backups, `${database}-${name}`))
      client.close()
    },
    async restore(database, name) {
      await remove(database)
      cpSync(join(backups, `${database}-${name}`), files[database])
    },
    remove,
    query: <Row>(database: DatabaseName, sql: string) =>
      Promise.resolve(
        open(files[database], (client) => {
          const statement = client.prepare<[], Row>(sql)
          if (statement.reader) return statement.all()
          statement.run()
          return []
        }),
      ),
  }
}

/** Two databases of a PostgreSQL server. A copy of one that nobody is connected to is what a dump and its restore give. */
export async function postgresDatabases(server: PostgresServer): Promise<Databases> {
  const urls = { business: await server.createDatabase(), vault: await server.createDatabase() }
  const nameOf = (database: DatabaseName) => new URL(urls[database]).pathname.slice(1)
  async function ask<Row extends pg.QueryResultRow>(connectionString: string, text: string): Promise<Row[]> {
    const client = new pg.Client({ connectionString })
    await client.connect()
    const { rows } = await client.query<Row>(text)
    await client.end()
    return rows
  }
  const admin = new URL(urls.business)
  admin.pathname = '/postgres'
  const made: string[] = []
  onTestFinished(async () => {
    for (const name of made) await ask(admin.href, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  })
  return {
    urls: { DATABASE_URL: urls.business, VAULT_DATABASE_URL: urls.vault },
    async backUp(database, name) {
      const copy = `${nameOf(database)}_${name}`
      made.push(copy)
      await ask(admin.href, `CREATE DATABASE ${copy} TEMPLATE ${nameOf(database)}`)
    },
    async restore(database, name) {
      await ask(admin.href, `DROP DATABASE IF EXISTS ${nameOf(database)} WITH (FORCE)`)
      await ask(admin.href, `CREATE DATABASE ${nameOf(database)} TEMPLATE ${nameOf(database)}_${name}`)
    },
    async remove(database) {
      await ask(admin.href, `DROP DATABASE ${nameOf(database)} WITH (FORCE)`)
      await ask(admin.href, `CREATE DATABASE ${nameOf(database)}`)
    },
    query: <Row>(database: DatabaseName, sql: string) => ask<pg.QueryResultRow>(urls[database], sql) as Promise<Row[]>,
  }
}

/** Runs `audit verify` on these databases and returns its exit code and what it printed. */
export async function verifyAudit(dataDir: string, variables: Record<string, string>) {
  const printed: string[] = []
  const print = (line: string) => void printed.push(line)
  const code = await runVerifyCommand(['verify'], {
    open: () => openAuditLogs({ DATA_DIR: dataDir, ...variables }),
    readCheckpoints,
    nowMs: () => 0,
    print,
    warn: print,
  })
  return { code, printed: printed.join('\n') }
}

/** A submission that was accepted. */
export interface Accepted {
  readonly appId: string
  readonly userId: string
  readonly externalVerificationId: string
}

/** Starts the whole server in this process on these databases; its log lines collected. */
export async function startOn(dataDir: string, variables: Record<string, string>) {
  const lines: string[] = []
  const ports = { PORT: '0', INTERNAL_PORT: '0', SECURE_PORT: '0', DATA_DIR: dataDir }
  const env = parseEnv({ ...ports, ...variables })
  const server = await startServer(env, createLog({ logLevel: 'info' }, { write: (line) => void lines.push(line) }))
  let stopped: Promise<void> | null = null
  const stop = () => (stopped ??= server.stop('TEST_ENDED'))
  onTestFinished(stop)
  const demo = (await readDemoFile(dataDir)) as DemoFile
  const call = clientOf(demo)
  const logged = (message: string) => lines.filter((line) => (JSON.parse(line) as { msg: string }).msg === message)
  return {
    demo,
    ports: server.ports,
    call,
    lines,
    stop,
    /** Resolves with the first line of the log that has this message. */
    async awaitLine(message: string): Promise<Record<string, unknown>> {
      await expect.poll(() => logged(message).length, { timeout: 60_000 }).toBeGreaterThan(0)
      return JSON.parse(logged(message)[0] ?? '') as Record<string, unknown>
    },
    async submit(user: number, externalVerificationId: string): Promise<Accepted> {
      const { accessToken, appId, userId } = demo.users[user] as DemoFile['users'][number]
      const { text } = await call(`${demo.secureUrl}/api/v1/graphql`, accessToken, {
        query: submissionDocument,
        variables: submissionVariables({ externalVerificationId }),
      })
      expect(text).toContain('VERIFIED')
      return { appId, userId, externalVerificationId }
    },
    /** What the vault reveals of a token. */
    async reveal({ appId, userId }: Accepted, token: string): Promise<unknown> {
      const body = { appId, userId, token, actor: 'operator', purpose: 'test of a restore' }
      const { text } = await call(`${demo.internalUrl}/internal/v1/vault/reveal`, demo.internalToken, body)
      return (JSON.parse(text) as { value?: unknown }).value
    },
    async readiness(): Promise<{ status: number; parts: Record<string, string> }> {
      const { status, text } = await call(`${demo.internalUrl}/readyz`, null)
      return { status, parts: (JSON.parse(text) as { parts: Record<string, string> }).parts }
    },
    async metric(name: string): Promise<number> {
      const { text } = await call(`${demo.internalUrl}/metrics`, null)
      const line = text.split('\n').find((each) => each.startsWith(`${name} `))
      return Number(line?.split(' ').at(-1))
    },
  }
}
