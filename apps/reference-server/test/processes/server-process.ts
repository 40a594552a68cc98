import { spawn, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { DemoFile } from '../../src/start/demo-file.js'

/** The built server as a process of its own. */
export interface ServerProcess {
  /** Addresses of this process; apps and users are those of the shared data folder. */
  readonly demo: DemoFile
  readonly process: ChildProcess
  readonly output: () => string
  /** Sends the signal and resolves with how the process ended. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<{ code: number | null; signal: NodeJS.Signals | null }>
}

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

/** Starts the built server (`npm test` builds first) on ephemeral ports and resolves once it serves. */
export async function startServerProcess(
  dataDir: string,
  variables: Readonly<Record<string, string>> = {},
  /** A command of the shell that limits the process, as `ulimit -n 256`. */
  limit = ':',
  /** The program: that of another version, for instance. */
  program = main,
): Promise<ServerProcess> {
  const child = spawn('sh', ['-c', `${limit}; exec "$0" "$1"`, process.execPath, program], {
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'development',
      PORT: '0',
      INTERNAL_PORT: '0',
      SECURE_PORT: '0',
      DATA_DIR: dataDir,
      ALLOW_LOOPBACK_RECEIVERS: '1',
      DELIVERY_RETRY_BASE_MS: '10',
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal })),
  )
  await new Promise<void>((resolve, reject) => {
    const onData = (chunk: Buffer) => {
      output += chunk.toString('utf8')
      if (output.includes('"msg":"started"')) resolve()
    }
    child.stdout.on('data', onData)
    child.stderr.on('data', onData)
    void ended.then(() => reject(new Error(`the server ended before it served: ${output}`)))
  })
  return {
    demo: JSON.parse(readFileSync(`${dataDir}/demo.json`, 'utf8')) as DemoFile,
    process: child,
    output: () => output,
    end(signal) {
      child.kill(signal)
      return ended
    },
  }
}
