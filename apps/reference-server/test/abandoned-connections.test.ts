import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sized } from '../../../scripts/test-sizes.js'
import { openRaw } from './raw-connection.js'
import { startTestServer, type RunningTestServer } from './running-server.js'

let server: RunningTestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const listeners = [
  ['plain', 'api'],
  ['with TLS', 'secure'],
] as const
type ListenerName = (typeof listeners)[number][1]

const portOf = (name: ListenerName) => Number(new URL(name === 'api' ? server.demo.apiUrl : server.demo.secureUrl).port)

/** A query of the demo's first user, with further header lines. */
function query(...lines: string[]): string {
  const body = '{"query":"{ viewer { userId } }"}'
  const head = [
    'POST /api/v1/graphql HTTP/1.1',
    'host: localhost',
    `authorization: Bearer ${server.demo.users[0]?.accessToken}`,
    'content-type: application/json',
    ...(lines.length > 0 ? lines : [`content-length: ${body.length}`]),
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

/** A connection that reads nothing yet, and survives whatever the server does to it. */
interface Client {
  readonly socket: Socket
  /** Ends the connection with a reset. */
  reset(): void
}

function connect(name: ListenerName): Promise<Client> {
  return new Promise((resolve, reject) => {
    const tcp = connectTcp({ port: portOf(name), host: '127.0.0.1' })
    const socket = name === 'api' ? tcp : connectTls({ socket: tcp, ca: server.ca, servername: 'localhost' })
    for (const one of [tcp, socket]) one.on('error', reject)
    socket.once(name === 'api' ? 'connect' : 'secureConnect', () =>
      resolve({ socket, reset: () => void tcp.resetAndDestroy() }),
    )
  })
}

/** Resolves a turn after the bytes are with the system, or the connection is over. */
const written = (socket: Socket, bytes: string) =>
  new Promise<void>((resolve) => {
    socket.write(bytes, () => setImmediate(resolve))
  })

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
    await written(socket, query().repeat(3))
    socket.destroy()
  },
  async 'reads half of its answers and hangs up'({ socket }) {
    const first = firstBytes(socket)
    await written(socket, query().repeat(3))
    await first
    socket.destroy()
  },
  async 'never reads'({ socket }) {
    heldOpen.push(socket)
    await written(socket, query().repeat(3))
    if (heldOpen.length >= 100) for (const one of heldOpen.splice(0)) one.destroy()
  },
  async 'resets in the middle of a body'({ socket, reset }) {
    await written(socket, query('content-length: 1000'))
    reset()
  },
}

const rarerWays: Record<string, (client: Client) => Promise<void>> = {
  async 'pipelines and resets'({ socket, reset }) {
    await written(socket, query().repeat(3))
    reset()
  },
  async 'pipelines hundreds and hangs up'({ socket }) {
    await written(socket, query().repeat(300))
    socket.destroy()
  },
  async 'hangs up while its second body is on the way'({ socket }) {
    await written(socket, query() + query('content-length: 1000'))
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
    await written(socket, `${query().repeat(3)}CONNECT example.com:443 HTTP/1.1\r\nhost: example.com:443\r\n\r\n`)
    reset()
  },
  async 'asks for an upgrade, and resets'({ socket, reset }) {
    await written(socket, query('content-length: 33', 'connection: upgrade', 'upgrade: websocket'))
    reset()
  },
  async 'sends garbage behind queries, and resets'({ socket, reset }) {
    await written(socket, `${query().repeat(3)}not http at all\r\n\r\n`)
    reset()
  },
  async 'is refused in the middle of a body, and hangs up'({ socket }) {
    await written(socket, query('content-length: 1000', 'content-encoding: gzip'))
    socket.destroy()
  },
  async 'closes its side and never reads'({ socket }) {
    heldOpen.push(socket)
    await written(socket, query().repeat(3))
    socket.end()
    if (heldOpen.length >= 10) for (const one of heldOpen.splice(0)) one.destroy()
  },
  async 'hangs up in the middle of a head'({ socket }) {
    await written(socket, query().slice(0, 30))
    socket.destroy()
  },
}

/** So many times, fifty clients at once. */
async function repeat(count: number, name: ListenerName, way: (client: Client) => Promise<void>): Promise<void> {
  let left = count
  const client = async () => {
    for (; left > 0;) {
      left -= 1
      await way(await connect(name))
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

async function expectServed(name: ListenerName): Promise<void> {
  // Connections are accepted in their order: when this one is answered, all that are gone were seen.
  const { socket } = await connect(name)
  const answered = firstBytes(socket)
  await written(socket, 'GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n')
  await answered
  socket.destroy()
  // Node learns of some resets only when it gives up to write.
  await expect.poll(inFlight).toEqual(['1', '1'])
  const target = { port: portOf(name), ...(name === 'secure' ? { ca: server.ca } : {}) }
  const clients = await Promise.all(Array.from({ length: 64 }, () => openRaw(target)))
  for (const client of clients) client.send(query())
  const answers = await Promise.all(clients.map((client) => client.answer()))
  for (const client of clients) client.socket.destroy()
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
}

describe.each(listeners)('F47 a client that is gone takes nothing with it, %s', (_name, listener) => {
  // A handshake takes most of the time.
  const often = listener === 'api' ? 1_000 : sized(250, 1_000)

  it.each(Object.entries(ways))(`${often} times: %s`, async (_way, way) => {
    await repeat(often, listener, way)
    await expectServed(listener)
  })

  it.each(Object.entries(rarerWays))('50 times: %s', async (_way, way) => {
    await repeat(50, listener, way)
    await expectServed(listener)
  })
})
