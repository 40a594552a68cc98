import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.js'

/** Where it is installed; null: what needs it is skipped. */
export const pgbouncerProgram: string | null =
  ['/usr/sbin/pgbouncer', 'pgbouncer'].find((path) => spawnSync(path, ['--version']).status === 0) ?? null

/** A PgBouncer of this test before one database, in transaction mode. */
export interface Pgbouncer {
  readonly connectionString: string
  stop(): Promise<void>
}

/**
 * @param poolSize Sessions on the server: fewer than clients, so that these share them.
 * @param moreSettings Further lines of its settings.
 */
export async function startPgbouncer(connectionString: string, poolSize = 3, moreSettings = ''): Promise<Pgbouncer> {
  const { hostname, port, username, password, pathname } = new URL(connectionString)
  const folder = mkdtempSync(join(tmpdir(), 'kyc-relay-pgbouncer-'))
  const listenPort = await freePort()
  const settings = join(folder, 'pgbouncer.ini')
  const users = join(folder, 'users.txt')
  writeFileSync(users, `"${decodeURIComponent(username)}" "${decodeURIComponent(password)}"\n`)
  writeFileSync(
    settings,
    `[databases]
* = host=${hostname} port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 200
server_reset_query_always = 0
query_wait_timeout = 3
${moreSettings}
`,
  )
  // It does not run as root.
  const isRoot = process.getuid?.() === 0
  if (isRoot)
    for (const [path, mode] of [
      [folder, 0o755],
      [settings, 0o644],
      [users, 0o644],
    ] as const)
      chmodSync(path, mode)
  const child = spawn(pgbouncerProgram ?? '', [...(isRoot ? ['-u', 'nobody'] : []), settings], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')))
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  for (let tries = 0; !(await answers(listenPort)); tries += 1) {
    if (tries === 500 || child.exitCode !== null) throw new Error(`pgbouncer did not start: ${output}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return {
    connectionString: `postgres://${username}:${password}@127.0.0.1:${listenPort}${pathname}`,
    async stop() {
      child.kill('SIGINT')
      const late = setTimeout(() => child.kill('SIGKILL'), 3_000)
      await ended
      clearTimeout(late)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
