import { once } from 'node:events'
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** One request as it came. Header names are in lower case. */
export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly receivedAt: Date
}

/** An answer to one request. */
export interface PlannedAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
}

/** A receiver of this process. */
export interface LocalReceiver {
  readonly url: string
  /** Sets the answers at a path, in order; 200 after them. */
  plan(path: string, answers: readonly PlannedAnswer[]): void
  at(path: string): readonly ReceivedRequest[]
  close(): Promise<void>
}

/** A receiver could not be started. */
export class CannotListen extends Error {
  override readonly name = 'CannotListen'

  /** @param reason Code of the system's error; null when certificate and key are refused. */
  constructor(readonly reason: string | null) {
    super('The receiver cannot listen.')
  }
}

/**
 * Starts a receiver. With a certificate it takes HTTPS, else HTTP. `publicUrl` is where senders reach it.
 *
 * @throws CannotListen
 */
export async function startLocalReceiver(options: {
  readonly host: string
  readonly port: number
  readonly now: () => Date
  readonly publicUrl?: string
  readonly tls?: { readonly cert: string; readonly key: string }
}): Promise<LocalReceiver> {
  const received: ReceivedRequest[] = []
  const planned = new Map<string, PlannedAnswer[]>()

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname: path } = new URL(incoming.url ?? '/', 'http://localhost')
    const { status, headers } = planned.get(path)?.shift() ?? { status: 200 }
    const body = await buffer(incoming)
    const given = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)] as const)
    const method = incoming.method ?? ''
    received.push({ method, path, headers: Object.fromEntries(given), body, receivedAt: options.now() })
    response.writeHead(status, { ...headers }).end()
  }

  const listener = (incoming: IncomingMessage, response: ServerResponse) => {
    // A request that breaks off is no request.
    answer(incoming, response).catch(() => response.destroy())
  }
  const server = serverOf(options.tls, listener)
  server.listen(options.port, options.host)
  await once(server, 'listening').catch((error: unknown) => {
    throw new CannotListen(error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason')
  })
  const { port } = server.address() as AddressInfo
  const own = `${options.tls ? 'https' : 'http'}://localhost:${port}`
  return {
    url: (options.publicUrl ?? own).replace(/\/$/, ''),
    plan: (path, answers) => void planned.set(path, [...answers]),
    at: (path) => received.filter((request) => request.path === path),
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

function serverOf(tls: { readonly cert: string; readonly key: string } | undefined, listener: RequestListener) {
  if (tls === undefined) return createHttpServer(listener)
  try {
    return createHttpsServer({ ...tls }, listener)
  } catch {
    throw new CannotListen(null)
  }
}
