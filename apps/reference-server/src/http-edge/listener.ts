import { randomUUID } from 'node:crypto'
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import type { Hono } from 'hono'
import { errorCatalogue, type Refusal } from './error-catalogue.js'
import { refuseAmbiguousRequest } from './request-filter.js'

/** What handlers find in Hono's context: Node's own request and response, and, once an API key was checked, its app. */
export interface EdgeEnv {
  Bindings: HttpBindings
  Variables: { appId: string }
}

/** Shape of an error body: GraphQL's, or problem details (RFC 9457). */
export type ErrorBody = (refusal: Refusal, requestId: string) => { readonly contentType: string; readonly body: string }

/** A started listener. */
export interface Listener {
  readonly port: number
  /** Stops accepting, lets running requests end, closes idle connections. */
  close(): Promise<void>
}

/**
 * Starts one listener: every request passes the filter for ambiguous requests before it is routed.
 *
 * Time-outs: 10 s for the head, 15 s for the whole request. At most 16 KiB of headers.
 */
export async function startListener(options: {
  readonly app: Hono<EdgeEnv>
  readonly host: string
  readonly port: number
  readonly tls: { readonly cert: string; readonly key: string } | null
  readonly errorBody: ErrorBody
}): Promise<Listener> {
  const handle = getRequestListener(options.app.fetch, { overrideGlobalObjects: false })
  const onRequest: RequestListener = (request, response) => {
    const requestId = randomUUID()
    response.setHeader('x-request-id', requestId)
    requestIds.set(request, requestId)
    const refusal = refuseAmbiguousRequest({
      method: request.method ?? '',
      target: request.url ?? '',
      httpVersion: request.httpVersion,
      rawHeaders: request.rawHeaders,
    })
    if (refusal === null) void handle(request, response)
    else answerRefusal(response, refusal, requestId, options.errorBody)
  }
  const limits = {
    maxHeaderSize: 16 * 1024,
    headersTimeout: 10_000,
    requestTimeout: 15_000,
    connectionsCheckingInterval: 1000,
  }
  const server: Server =
    options.tls === null
      ? createHttpServer(limits, onRequest)
      : createHttpsServer({ ...limits, ...options.tls, minVersion: 'TLSv1.2' }, onRequest)
  server.maxRequestsPerSocket = 10_000
  // Without a listener Node closes the socket; with one the refusal says why.
  server.on('connect', (_request: IncomingMessage, socket) =>
    socket.end('HTTP/1.1 405 Method Not Allowed\r\nAllow: POST\r\nConnection: close\r\n\r\n'),
  )
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, options.host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeIdleConnections()
      }),
  }
}

const requestIds = new WeakMap<IncomingMessage, string>()

/** The id given to this request when it arrived. */
export function requestIdOf(request: IncomingMessage): string {
  return requestIds.get(request) ?? 'unknown'
}

function answerRefusal(response: ServerResponse, refusal: Refusal, requestId: string, errorBody: ErrorBody): void {
  const { body, contentType } = errorBody(refusal, requestId)
  response.writeHead(refusal.status ?? errorCatalogue[refusal.code].status, {
    'content-type': contentType,
    'cache-control': 'no-store',
    connection: 'close',
    ...(refusal.code === 'METHOD_NOT_ALLOWED' ? { allow: 'POST' } : {}),
  })
  response.end(body)
}
