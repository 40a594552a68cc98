import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { startEmbeddedServer } from './embedded-server.js'

export { emptyTables } from './empty-tables.js'

/** A real PostgreSQL for one test file: that of TEST_POSTGRES_URL, the one of this run, or one of its own. */
export interface PostgresServer {
  /** Makes an empty database, or a copy of `template` that nobody is connected to; answers its connection string. */
  createDatabase(options?: { readonly template?: string }): Promise<string>
  /**
   * Ends the server at once, without a shutdown, and starts it again: resolves while it recovers. Only for a server of
   * the file's own. With TEST_POSTGRES_URL, every session on our databases is ended instead.
   */
  crash(): Promise<void>
  /** Drops the databases that were made here, and stops the server if it is the file's own. */
  stop(): Promise<void>
}

export interface PostgresServerOptions {
  /**
   * Starts a server for this file alone, which takes about 3 s. For tests that crash the server, or that read or change
   * what all its databases share: settings, roles, all sessions. Default: false, the server of the whole run.
   */
  readonly own?: boolean
}

/** Answers a PostgreSQL. All test files of a run share one, unless the file asks for its own. */
export async function startPostgres(options: PostgresServerOptions = {}): Promise<PostgresServer> {
  const made: string[] = []
  const server = await findServer(options, made)
  return {
    async createDatabase({ template } = {}) {
      const name = `kyc_relay_test_${randomUUID().replaceAll('-', '')}`
      const copied = template === undefined ? '' : ` TEMPLATE ${new URL(template).pathname.slice(1)}`
      await ask(server.url, `CREATE DATABASE ${name}${copied}`)
      made.push(name)
      const url = new URL(server.url)
      url.pathname = `/${name}`
      return url.href
    },
    crash: () => server.crash(),
    async stop() {
      await untilSessionsLeft(server.url, made)
      for (const name of made) await ask(server.url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
      await server.stop()
    },
  }
}

async function findServer({ own = false }: PostgresServerOptions, made: readonly string[]) {
  const given = process.env['TEST_POSTGRES_URL']
  if (given !== undefined && given !== '')
    return { url: given, crash: () => endSessions(given, made), stop: async () => undefined }
  if (own) return startEmbeddedServer()
  const answer = await fetch(inject('postgresUrlFrom'))
  if (!answer.ok) throw new Error(`the PostgreSQL of this run did not start: ${await answer.text()}`)
  return {
    url: await answer.text(),
    crash: () =>
      Promise.reject(new Error('other files use this server: startPostgres({ own: true }) starts one to crash')),
    stop: async () => undefined,
  }
}

async function ask(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(text)
  await client.end()
}

/**
 * The end of a pool resolves before the server has ended its sessions. Dropping a database ends them with an error that
 * nobody listens to any more, which ends the whole process.
 */
async function untilSessionsLeft(url: string, databases: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  for (let look = 0; look < 200; look += 1) {
    const { rowCount } = await client.query('SELECT FROM pg_stat_activity WHERE datname = ANY($1)', [databases])
    if (rowCount === 0) break
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  await client.end()
}

async function endSessions(url: string, databases: readonly string[]): Promise<void> {
  for (const name of databases)
    await ask(url, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`)
}
