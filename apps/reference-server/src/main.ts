import { isatty, type WriteStream } from 'node:tty'
import { setFlagsFromString } from 'node:v8'
import { parseEnv } from './env.js'
import { heapGrowth } from './operations/heap-growth.js'
import { createLog, type Terminal } from './operations/log.js'
import { startFailureLine } from './start/start-failure.js'
import { startServer, type RunningServer } from './server.js'
import { addresses } from './start/start-guide.js'
import { flushSpans } from './operations/tracing/flush-spans.js'

/** `EX_SOFTWARE` of sysexits.h: a supervisor should restart the server, which recovers all commits. */
const storeFailedExitCode = 70
const shutdownGraceMs = 35_000
const logTimeoutMs = 1_000
const spanTimeoutMs = 2_000
/** Under npm one Ctrl-C arrives twice: from the terminal and from npm. */
const sameSignalMs = 1_000

/** `EX_USAGE` of sysexits.h. */
const usageExitCode = 64
const usage = `The reference server takes no arguments: its settings are environment variables, such as PORT and DATA_DIR.
apps/reference-server/.env.example lists them with their defaults, docs/operate.md says how to run it.
`

/** Arguments are refused, because an ignored argument would look like an applied setting. */
function refuseArguments(given: readonly string[]): void {
  const asked = given.every((argument) => argument === '--help' || argument === '-h')
  const stream = asked ? process.stdout : process.stderr
  stream.write(usage)
  process.exitCode = asked ? 0 : usageExitCode
}

/** Null if the stream is not a terminal. `NO_COLOR` and `FORCE_COLOR` apply. */
function terminalOf(stream: Pick<WriteStream, 'isTTY' | 'hasColors'>): Terminal | null {
  return stream.isTTY ? { coloured: stream.hasColors() } : null
}

async function main(): Promise<void> {
  // The server continues when the reader of its output has gone.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  const given = process.argv.slice(2)
  if (given.length > 0) return refuseArguments(given)
  setFlagsFromString(heapGrowth)
  const env = parseEnv(process.env)
  const log = createLog(env, undefined, terminalOf(process.stdout))
  /** Flushes the last log lines and spans, with a time limit. */
  const end = (code: number) =>
    void Promise.all([log.flush(logTimeoutMs), flushSpans(spanTimeoutMs)]).finally(() => process.exit(code))
  let server: RunningServer | null = null
  let stoppingSinceMs: number | null = null
  const stop = (signal: string) => {
    if (stoppingSinceMs !== null) {
      if (performance.now() - stoppingSinceMs > sameSignalMs) process.exit(1)
      return
    }
    stoppingSinceMs = performance.now()
    if (server === null) {
      log.info('stopping', { signal })
      return end(0)
    }
    setTimeout(() => {
      log.error('not stopped in time; ending', { signal })
      end(1)
    }, shutdownGraceMs).unref()
    server.stop(signal).then(
      () => end(0),
      () => end(1),
    )
  }
  // Before the start: the first process of a container gets only signals that it listens to.
  process.on('SIGINT', () => stop('SIGINT'))
  process.on('SIGTERM', () => stop('SIGTERM'))
  // Node forgets that nohup ignored the signal. Nohup leaves no terminal, so without one it is ignored. A terminal that
  // closes may send it again, from the system and from its shell.
  const hasTerminal = [0, 1, 2].some(isatty)
  process.on('SIGHUP', () => {
    if (hasTerminal && stoppingSinceMs === null) stop('SIGHUP')
  })
  server = await startServer(env, log, ({ code, setting }) => {
    const what = code === 'FILES_REPLACED' ? 'the database files were removed or replaced' : 'the database failed'
    log.error(`${what}; ending`, { detail: setting, code })
    end(storeFailedExitCode)
  })
  if (!env.production) process.stdout.write(server.guide)
  else if (process.stdout.isTTY) process.stdout.write(addresses(env, server.ports))
  log.info('started', { role: env.role })
}

main().catch((error: unknown) => {
  process.stderr.write(
    startFailureLine(error, {
      production: process.env.NODE_ENV === 'production',
      terminal: terminalOf(process.stderr),
      at: new Date(),
    }),
  )
  process.exitCode = 1
})
