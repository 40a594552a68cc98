import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import { parseEnv } from '../src/env.js'
import { readDemoFile, type DemoFile } from '../src/start/demo-file.js'
import { createLog } from '../src/operations/log.js'
import { startServer } from '../src/server.js'

export { submissionDocument, submissionVariables } from './submission-variables.js'

/** An answer with its body as text and, where it is JSON, parsed. */
export interface Answer {
  readonly status: number
  readonly headers: Record<string, string | string[] | undefined>
  readonly text: string
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- answers are asserted on, not worked with
  readonly json: any
}

/** A server of this test alone: ephemeral ports, a temporary folder, its log lines collected. */
export interface RunningTestServer {
  readonly demo: DemoFile
  readonly dataDir: string
  readonly logLines: readonly string[]
  readonly ca: string
  call(url: string, options?: CallOptions): Promise<Answer>
  graphql(host: 'secure' | 'api', body: unknown, options?: { token?: string | null }): Promise<Answer>
  /** Bytes of every file under the data folder, by name. */
  files(): Map<string, Buffer>
  stop(): Promise<void>
}

export interface CallOptions {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'DELETE' | 'PATCH' | 'PUT'
  readonly token?: string | null
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

/** Starts the whole server in this process, with real listeners, real TLS and real SQLite. */
export async function startTestServer(variables: Record<string, string> = {}): Promise<RunningTestServer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'kyc-relay-test-'))
  const logLines: string[] = []
  const env = parseEnv({
    PORT: '0',
    INTERNAL_PORT: '0',
    SECURE_PORT: '0',
    DATA_DIR: dataDir,
    ALLOW_LOOPBACK_RECEIVERS: '1',
    DELIVERY_RETRY_BASE_MS: '10',
    ...variables,
  })
  const server = await startServer(env, createLog({ logLevel: 'trace' }, { write: (line) => void logLines.push(line) }))
  const demo = await readDemoFile(dataDir)
  if (demo === null) throw new Error('the demo was not seeded')
  const ca = readFileSync(demo.caFile, 'utf8')
  const agent = new Agent({ connect: { ca } })

  async function call(url: string, options: CallOptions = {}): Promise<Answer> {
    const body =
      options.body === undefined
        ? null
        : typeof options.body === 'string' || Buffer.isBuffer(options.body)
          ? options.body
          : JSON.stringify(options.body)
    const answer = await request(url, {
      dispatcher: agent,
      method: options.method ?? (body === null ? 'GET' : 'POST'),
      headers: {
        ...(body === null ? {} : { 'content-type': 'application/json' }),
        ...(options.token == null ? {} : { authorization: `Bearer ${options.token}` }),
        ...options.headers,
      },
      body,
    })
    const text = await answer.body.text()
    const isJson = String(answer.headers['content-type'] ?? '').includes('json')
    return {
      status: answer.statusCode,
      headers: answer.headers,
      text,
      json: isJson && text !== '' ? (JSON.parse(text) as unknown) : undefined,
    }
  }

  return {
    demo,
    dataDir,
    logLines,
    ca,
    call,
    graphql: (host, body, options = {}) =>
      call(`${host === 'secure' ? demo.secureUrl : demo.apiUrl}/api/v1/graphql`, {
        body,
        token: options.token === undefined ? (demo.users[0]?.accessToken ?? null) : options.token,
      }),
    files: () => filesUnder(dataDir),
    async stop() {
      await agent.close()
      await server.stop('TEST_ENDED')
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

function filesUnder(folder: string): Map<string, Buffer> {
  const files = new Map<string, Buffer>()
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name)
    if (statSync(path).isFile()) files.set(name, readFileSync(path))
  }
  return files
}
