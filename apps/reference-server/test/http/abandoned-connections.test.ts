import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sized } from '../../../../scripts/test-sizes.js'
import { openRaw, type RawTarget } from './raw-connection.js'
import { startTestServer, submissionDocument, submissionVariables, type RunningTestServer } from '../running-server.js'

let server: RunningTestServer
let target: RawTarget

/** A request of the demo's first user, with further header lines. */
function request(body: string, lines: readonly string[]): string {
  const head = [
    'POST /api/v1/graphql HTTP/1.1',
    'host: localhost',
    `authorization: Bearer ${server.demo.users[0]?.accessToken}`,
    'content-type: application/json',
    ...(lines.length > 0 ? lines : [`content-length: ${body.length}`]),
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

const query = (...lines: string[]) => request('{"query":"{ viewer { userId } }"}', lines)

/** New submissions: the server works on them for some turns of its event loop, and after their client has gone. */
function submissions(count: number): string {
  const bodies = Array.from({ length: count }, () =>
    JSON.stringify({ query: submissionDocument, variables: submissionVariables() }),
  )
  return bodies.map((body) => request(body, [])).join('')
}

/** A connection that reads nothing yet, and survives whatever the server does to it. */
interface Client {
  readonly socket: Socket
  /** Ends the connection with a reset. */
  reset(): void
}

function connect(): Promise<Client> {
  return new Promise((resolve, reject) => {
    const { port, ca } = target
    const tcp = connectTcp({ port, host: '127.0.0.1' })
    const socket = ca === undefined ? tcp : connectTls({ socket: tcp, ca, servername: 'localhost' })
    for (const one of [tcp, socket]) one.on('error', reject)
    socket.once(ca === undefined ? 'connect' : 'secureConnect', () =>
      resolve({ socket, reset: () => void tcp.resetAndDestroy() }),
    )
  })
}

/** Resolves when the system has the bytes and the server has had the turns to read them, or the connection is over. */
const written = async (socket: Socket, bytes: string) => {
  await new Promise<void>((resolve) => {
    socket.write(bytes, () => resolve())
  })
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

/** Resolves with the first bytes of an answer, or when there will be none. */
const firstBytes = (socket: Socket) =>
  new Promise<void>((resolve) => {
    socket.once('data', () => resolve())
    socket.once('close', () => resolve())
  })

const heldOpen: Socket[] = []

/** What a client does before it is gone. `chunk` stands in the middle of a body that comes in pieces. */
const ways: Record<string, (client: Client) => Promise<void>> = {
  async 'pipelines and hangs up'({ socket }) {
    await written(socket, submissions(10))
    socket.destroy()
  },
  async 'reads half of its answers and hangs up'({ socket }) {
    const first = firstBytes(socket)
    await written(socket, submissions(10))
    await first
    socket.destroy()
  },
  async 'never reads'({ socket }) {
    heldOpen.push(socket)
    await written(socket, submissions(10))
    if (heldOpen.length >= 100) for (const one of heldOpen.splice(0)) one.destroy()
  },
  async 'resets in the middle of a body'({ socket, reset }) {
    await written(socket, query('content-length: 1000'))
    reset()
  },
}

const rarerWays: Record<string, (client: Client) => Promise<void>> = {
  async 'pipelines and resets'({ socket, reset }) {
    await written(socket, submissions(10))
    reset()
  },
  async 'hangs up while its second body is on the way'({ socket }) {
    await written(socket, submissions(1) + query('content-length: 1000'))
    socket.destroy()
  },
  async 'resets in the middle of a chunk'({ socket, reset }) {
    await written(socket, query('transfer-encoding: chunked').replace('{', '100\r\n{'))
    reset()
  },
  async 'resets in the middle of the trailers'({ socket, reset }) {
    const chunked = query('transfer-encoding: chunked').replace(/\{.*$/, (body) => `21\r\n${body}\r\n0\r\nx-trailer: `)
    await written(socket, chunked)
    reset()
  },
  async 'asks to be told to send its body, and resets'({ socket, reset }) {
    const told = firstBytes(socket)
    await written(socket, query('content-length: 1000', 'expect: 100-continue').split('{')[0] ?? '')
    await told
    reset()
  },
  async 'asks for something else, and resets'({ socket, reset }) {
    await written(socket, query('content-length: 1000', 'expect: something-else'))
    reset()
  },
  async 'asks for a tunnel, and resets'({ socket, reset }) {
    await written(socket, 'CONNECT example.com:443 HTTP/1.1\r\nhost: example.com:443\r\n\r\n')
    reset()
  },
  async 'asks for a tunnel behind queries, and resets'({ socket, reset }) {
    await written(socket, `${submissions(10)}CONNECT example.com:443 HTTP/1.1\r\nhost: example.com:443\r\n\r\n`)
    reset()
  },
  async 'asks for an upgrade, and resets'({ socket, reset }) {
    await written(socket, query('content-length: 33', 'connection: upgrade', 'upgrade: websocket'))
    reset()
  },
  async 'sends garbage behind queries, and resets'({ socket, reset }) {
    await written(socket, `${submissions(10)}not http at all\r\n\r\n`)
    reset()
  },
  async 'is refused in the middle of a body, and hangs up'({ socket }) {
    await written(socket, query('content-length: 1000', 'content-encoding: gzip'))
    socket.destroy()
  },
  async 'closes its side and never reads'({ socket }) {
    heldOpen.push(socket)
    await written(socket, submissions(10))
    socket.end()
    if (heldOpen.length >= 10) for (const one of heldOpen.splice(0)) one.destroy()
  },
  async 'hangs up in the middle of a head'({ socket }) {
    await written(socket, query().slice(0, 30))
    socket.destroy()
  },
}

const rarestWays: Record<string, (client: Client) => Promise<void>> = {
  async 'pipelines as many as may be open and hangs up'({ socket }) {
    await written(socket, submissions(64))
    socket.destroy()
  },
}

/** So many times, fifty clients at once. */
async function repeat(count: number, way: (client: Client) => Promise<void>): Promise<void> {
  let left = count
  const client = async () => {
    for (; left > 0;) {
      left -= 1
      await way(await connect())
    }
  }
  await Promise.all(Array.from({ length: 50 }, client))
  for (const socket of heldOpen.splice(0)) socket.destroy()
}

/** What the server says that it works on, and what answers are not with their clients. The scrape itself is one of each. */
async function inFlight(): Promise<unknown[]> {
  const { text } = await server.call(`${server.demo.internalUrl}/metrics`)
  return ['in_flight', 'unanswered'].map(
    (name) => new RegExp(`^kyc_relay_requests_${name} (\\d+)$`, 'm').exec(text)?.[1],
  )
}

async function expectServed(): Promise<void> {
  // Connections are accepted in their order: when this one is answered, all that are gone were seen.
  const { socket } = await connect()
  const answered = firstBytes(socket)
  await written(socket, 'GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n')
  await answered
  socket.destroy()
  // Node learns of some resets only when it gives up to write.
  await expect.poll(inFlight).toEqual(['1', '1'])
  const clients = await Promise.all(Array.from({ length: 64 }, () => openRaw(target)))
  for (const client of clients) client.send(query())
  const answers = await Promise.all(clients.map((client) => client.answer()))
  for (const client of clients) client.socket.destroy()
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
}

describe.each([
  ['plain', false, 100],
  ['with TLS', true, 50],
])('a client that is gone takes nothing with it, %s', (_name, tls, usual) => {
  beforeAll(async () => {
    server = await startTestServer(tls ? {} : { TLS_TERMINATED_UPSTREAM: '1' })
    target = { port: Number(new URL(server.demo.secureUrl).port), ...(tls ? { ca: server.ca } : {}) }
  })
  afterAll(() => server.stop())

  const often = sized(usual, 1_000)
  const rarely = sized(20, 50)

  it.each(Object.entries(ways))(`${often} times: %s`, async (_way, way) => {
    await repeat(often, way)
    await expectServed()
  })

  it.each(Object.entries(rarerWays))(`${rarely} times: %s`, async (_way, way) => {
    await repeat(rarely, way)
    await expectServed()
  })

  it.each(Object.entries(rarestWays))('5 times: %s', async (_way, way) => {
    await repeat(5, way)
    await expectServed()
  })
})
