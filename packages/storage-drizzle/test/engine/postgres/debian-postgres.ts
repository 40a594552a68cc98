import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const versions = '/usr/lib/postgresql'
const hasServer = (version: string) =>
  ['initdb', 'postgres'].every((name) => existsSync(join(versions, version, 'bin', name)))

/** Folder of the programs of Debian's newest PostgreSQL, which are not on the PATH; null where it is not installed. */
export const debianPrograms: string | null = newestPrograms()

function newestPrograms(): string | null {
  if (!existsSync(versions)) return null
  const newest = readdirSync(versions)
    .filter(hasServer)
    .sort((a, b) => Number(a) - Number(b))
    .at(-1)
  return newest === undefined ? null : join(versions, newest, 'bin')
}

/** What starts and ends a PostgreSQL: that of npm, or {@link createDebianServer}. */
export interface ServerPrograms {
  initialise(): Promise<void>
  /** Resolves once it takes connections that write. */
  start(): Promise<void>
  stop(): Promise<void>
}

export interface ServerOptions {
  readonly databaseDir: string
  readonly port: number
  /** Arguments of `initdb`. */
  readonly initdbFlags: readonly string[]
  /** Arguments of `postgres`. */
  readonly postgresFlags: readonly string[]
  onLog(message: string): void
}

/** Runs Debian's PostgreSQL in a folder of the test. The superuser is `postgres`, and so is its password. */
export function createDebianServer(programs: string, options: ServerOptions): ServerPrograms {
  const { databaseDir, port, initdbFlags, postgresFlags, onLog } = options
  const as = userOfServer()
  let running: ChildProcess | null = null

  async function run(program: string, flags: readonly string[], isReady?: (log: string) => boolean) {
    const child = spawn(join(programs, program), flags, { ...as, stdio: ['ignore', 'ignore', 'pipe'] })
    let log = ''
    const ready = new Promise<void>((resolve) =>
      child.stderr.on('data', (chunk: Buffer) => {
        const text = chunk.toString('utf8')
        log += text
        onLog(text)
        if (isReady?.(text) === true) resolve()
      }),
    )
    const ended = once(child, 'close').then(([code]) => {
      if (code !== 0 || isReady !== undefined) throw new Error(`${program} ended with ${String(code)}: ${log}`)
    })
    ended.catch(() => undefined)
    await Promise.race([ready, ended])
    return child
  }

  return {
    async initialise() {
      mkdirSync(databaseDir)
      const passwordFile = `${databaseDir}-password`
      writeFileSync(passwordFile, 'postgres\n')
      if ('uid' in as) for (const path of [databaseDir, passwordFile]) chownSync(path, as.uid, as.gid)
      const files = [`--pgdata=${databaseDir}`, `--pwfile=${passwordFile}`]
      await run('initdb', [...files, '--username=postgres', '--auth=scram-sha-256', ...initdbFlags])
      rmSync(passwordFile)
    },
    async start() {
      // Debian's folder for sockets belongs to the clusters of the machine.
      const address = ['-D', databaseDir, '-p', String(port), '-c', 'unix_socket_directories=']
      const isReady = (log: string) => log.includes('database system is ready to accept connections')
      running = await run('postgres', [...address, ...postgresFlags], isReady)
    },
    async stop() {
      const ending = running
      running = null
      if (ending === null || ending.exitCode !== null || ending.signalCode !== null) return
      const ended = once(ending, 'close')
      ending.kill('SIGINT')
      await ended
    },
  }
}

/** PostgreSQL does not run as root: the package has made a user for it. */
function userOfServer(): { uid: number; gid: number } | Record<string, never> {
  if (process.getuid?.() !== 0) return {}
  const idOf = (option: string) => Number(spawnSync('id', [option, 'postgres'], { encoding: 'utf8' }).stdout)
  return { uid: idOf('-u'), gid: idOf('-g') }
}
