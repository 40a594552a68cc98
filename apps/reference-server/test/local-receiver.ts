import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { EventEmitter } from 'node:events'
import type { DemoFile } from '../src/start/demo-file.js'

/** One request as it arrived. */
export interface ReceivedRequest {
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string
}

/** How a receiver answers at one path: a status, or a whole answer. */
export type ReceiverAnswer =
  number | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string | Buffer }

/** An HTTPS receiver on loopback with a certificate of the local CA. */
export interface LocalReceiver {
  readonly received: readonly ReceivedRequest[]
  url(path: string): string
  /** Answers of a path in order; afterwards 200. A function answers every request. */
  answer(path: string, ...answers: ReceiverAnswer[]): void
  answerBy(path: string, answer: (request: ReceivedRequest) => ReceiverAnswer): void
  /** Resolves once `count` requests have come to a path. */
  arrived(path: string, count: number): Promise<readonly ReceivedRequest[]>
  close(): Promise<void>
}

export async function startReceiver(demo: DemoFile): Promise<LocalReceiver> {
  const received: ReceivedRequest[] = []
  const queues = new Map<string, ReceiverAnswer[]>()
  const functions = new Map<string, (request: ReceivedRequest) => ReceiverAnswer>()
  const arrivals = new EventEmitter().setMaxListeners(100)
  const server = createServer(
    { cert: readFileSync(demo.receiverCertFile), key: readFileSync(demo.receiverKeyFile) },
    (incoming, response) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('end', () => {
        const path = incoming.url ?? '/'
        const headers: Record<string, string> = {}
        for (let index = 0; index < incoming.rawHeaders.length; index += 2) {
          headers[(incoming.rawHeaders[index] ?? '').toLowerCase()] = incoming.rawHeaders[index + 1] ?? ''
        }
        const request = { path, headers, body: Buffer.concat(chunks).toString('utf8') }
        received.push(request)
        const chosen = functions.get(path)?.(request) ?? queues.get(path)?.shift() ?? 200
        const answer = typeof chosen === 'number' ? { status: chosen } : chosen
        response.writeHead(answer.status, answer.headers).end(answer.body)
        arrivals.emit('arrived')
      })
    },
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const at = (path: string) => received.filter((request) => request.path === path)
  return {
    received,
    url: (path) => `https://localhost:${port}${path}`,
    answer: (path, ...answers) => void queues.set(path, answers),
    answerBy: (path, answer) => void functions.set(path, answer),
    async arrived(path, count) {
      while (at(path).length < count) await once(arrivals, 'arrived')
      return at(path)
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
