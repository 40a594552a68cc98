import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A server that was started by the script. */
export interface StartedScript {
  readonly child: ChildProcess
  /** Its exit code. */
  readonly ended: Promise<number | null>
  /** Standard output and standard error so far. */
  readonly output: () => string
  /** Resolves once the output holds the text; rejects when the process ends without it. */
  readonly told: (text: string) => Promise<void>
  /** The port of the internal listener, once the server has started. */
  readonly internalPort: () => Promise<number>
  readonly dataDir: string
  readonly env: Readonly<Record<string, string>>
}

/** Runs start.sh as the image does, in production, on files. The process and its data end with the test. */
export function runStartScript(script: string, secrets: string, variables: Record<string, string>): StartedScript {
  const dataDir = mkdtempSync(join(tmpdir(), 'kyc-relay-container-'))
  const env = {
    PATH: process.env['PATH'] ?? '',
    NODE_ENV: 'production',
    PORT: '0',
    INTERNAL_PORT: '0',
    SECURE_PORT: '0',
    DATA_DIR: dataDir,
    KEY_FILE: join(secrets, 'keys.json'),
    INTERNAL_TOKEN_FILE: join(secrets, 'internal-token'),
    TLS_CERT_FILE: join(secrets, 'tls.pem'),
    TLS_KEY_FILE: join(secrets, 'tls-key.pem'),
    ...variables,
  }
  const child = spawn(script, [], { env })
  let output = ''
  const looks = new Set<() => void>()
  const onData = (chunk: Buffer) => {
    output += chunk.toString()
    looks.forEach((look) => look())
  }
  child.stdout.on('data', onData)
  child.stderr.on('data', onData)
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  onTestFinished(() => {
    child.kill('SIGKILL')
    rmSync(dataDir, { recursive: true, force: true })
  })
  const told = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (output.includes(text)) resolve()
      }
      looks.add(look)
      void ended.then(() => reject(new Error(output)))
      look()
    })
  return {
    child,
    ended,
    output: () => output,
    told,
    async internalPort() {
      await told('"msg":"started"')
      const lines = output.split('\n')
      const listening = lines.find((line) => line.includes('"listening"') && line.includes('"internal"'))
      return (JSON.parse(listening ?? '{}') as { port: number }).port
    },
    dataDir,
    env,
  }
}
