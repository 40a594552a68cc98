import { type RawTarget } from './raw-connection.js'
import { startTestServer, submissionDocument, submissionVariables, type RunningTestServer } from '../running-server.js'

export let server: RunningTestServer
export let secure: RawTarget
export let api: RawTarget
export let token: string

/** Before all tests of a file. */
export async function startServer(): Promise<void> {
  server = await startTestServer()
  secure = { port: Number(new URL(server.demo.secureUrl).port), ca: server.ca }
  api = { port: Number(new URL(server.demo.apiUrl).port) }
  token = server.demo.users[0]?.accessToken ?? ''
}

/** After all tests of a file. */
export const stopServer = () => server.stop()

export const path = '/api/v1/graphql'
export const submission = (changes?: Record<string, unknown>) =>
  JSON.stringify({ query: submissionDocument, variables: submissionVariables(changes) })

/** A good request for a submission, with parts changed. A header of null is left out, an array is sent repeatedly. */
export function request(
  changes: {
    readonly method?: string
    readonly target?: string
    readonly version?: string
    readonly headers?: Readonly<Record<string, string | readonly string[] | null>>
    readonly body?: string | Buffer
  } = {},
): Buffer {
  const body = Buffer.from(changes.body ?? submission())
  const headers: Record<string, string | readonly string[] | null> = {
    host: 'localhost',
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': String(body.length),
    ...changes.headers,
  }
  const lines = Object.entries(headers).flatMap(([name, values]) =>
    values === null ? [] : [values].flat().map((value) => `${name}: ${value}`),
  )
  const { method = 'POST', target = path, version = 'HTTP/1.1' } = changes
  return Buffer.concat([Buffer.from(`${method} ${target} ${version}\r\n${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body])
}

export const recordedIds = async (accessToken = token): Promise<string[]> => {
  const { json } = await server.graphql(
    'api',
    { query: '{ kycVerifications(first: 100) { nodes { externalVerificationId } } }' },
    { token: accessToken },
  )
  const nodes = json.data.kycVerifications.nodes as { externalVerificationId: string }[]
  return nodes.map((node) => node.externalVerificationId)
}
