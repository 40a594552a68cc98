import { randomUUID } from 'node:crypto'
import { createServer as createHttpServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getRequestListener, RequestError, type HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Hono } from 'hono'
import type { Log, LogFields } from '../operations/log.js'
import { createBrokenRequests } from './broken-requests.js'
import { limitConnections, type ConnectionLimits } from './connection-limits.js'
import { errorCatalogue, type Refusal } from './error-catalogue.js'
import { retryAfterOverload, type LoadShedding } from './load-shedding/load-shedding.js'
import { trackOpenResponses } from './load-shedding/open-responses.js'
import { closeAfterBody, hasLargeUnreadBody, send, sendAndClose, type PlainAnswer } from './plain-answer.js'
import type { EdgeEnv } from './request-context.js'
import { maxHeaderLines, refuseRequestHead } from './request-filter.js'
import { securityHeaders } from './security-headers.js'
import type { ServesHost } from './served-hosts.js'

/** Format of error bodies: GraphQL, or problem details (RFC 9457). */
export type ErrorBody = (refusal: Refusal, requestId: string) => { readonly contentType: string; readonly body: string }

/** Time limits for clients. */
export interface ListenerTimeouts {
  /** For a TLS handshake, for the head of a request, and for closing after a broken request. Default 10 s. */
  readonly headMs: number
  /** For a whole request with head and body. Default 15 s. */
  readonly requestMs: number
  /** For reading a response, after it and earlier ones on the connection are complete. Default 15 s. */
  readonly answerMs: number
  /** Interval of checking the three limits. Default 1 s. */
  readonly checkMs: number
}

const defaultTimeouts: ListenerTimeouts = { headMs: 10_000, requestMs: 15_000, answerMs: 15_000, checkMs: 1_000 }

/** Cipher suites: those of TLS 1.3, and AEAD suites with forward secrecy of TLS 1.2 (no CBC). */
const ciphers = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':')

/**
 * Header limit in bytes. A wrong access token of 16 KiB still gets an error response; 20 KiB of headers are not read.
 */
const maxHeaderBytes = 18 * 1024

/** Longer than the idle time of load balancers (60 s), so that they never write to a closing connection. */
const idleConnectionMs = 65_000

/** Accept queue of the listener. With Node's default of 511, further simultaneous connections waited for seconds. */
const longestBacklog = 4_096

/** Interval of closing connections that became idle while the listener closes. */
const idleCheckMs = 50

/** A started listener. */
export interface Listener {
  readonly port: number
  /** Stops accepting connections, waits for running requests, closes idle connections, and those that send too slowly. */
  close(): Promise<void>
}

/** Starts one listener. It refuses ambiguous requests before routing. */
export async function startListener(options: {
  readonly app: Pick<Hono<EdgeEnv>, 'fetch'>
  readonly host: string
  readonly port: number
  readonly tls: { readonly cert: string; readonly key: string } | null
  readonly servesHost: ServesHost
  readonly errorBody: ErrorBody
  readonly name: NonNullable<LogFields['listener']>
  readonly log: Log
  readonly loadShedding: LoadShedding
  readonly connections: ConnectionLimits
  readonly timeouts?: Partial<ListenerTimeouts>
}): Promise<Listener> {
  const { log, name } = options
  const timeouts = { ...defaultTimeouts, ...options.timeouts }
  let closing = false

  const present = (refusal: Refusal, requestId: string): PlainAnswer => {
    const { body, contentType } = options.errorBody(refusal, requestId)
    return {
      status: statusOf(refusal),
      headers: {
        'content-type': contentType,
        'cache-control': 'no-store',
        ...(refusal.code === 'METHOD_NOT_ALLOWED' ? { allow: 'POST' } : {}),
        ...(refusal.code === 'UNAVAILABLE' ? { 'retry-after': '2' } : {}),
      },
      body,
    }
  }
  const onRefused = (refusal: Refusal, requestId: string) =>
    log.info('request refused', {
      requestId,
      listener: name,
      status: statusOf(refusal),
      code: refusal.code,
      ...(refusal.detail === undefined ? {} : { detail: refusal.detail }),
    })
  const fetch = async (request: Request, env: HttpBindings) => {
    const { incoming, outgoing } = env
    const response = await options.app.fetch(request, {
      ...env,
      requestId: requestIdOf(outgoing),
      bodyMemory: options.loadShedding.bodyMemory,
    })
    // The connection broke while the handler ran. Hono has nothing to send.
    if (outgoing.headersSent) return RESPONSE_ALREADY_SENT
    return hasLargeUnreadBody(incoming) ? closeAfterBody(response, incoming) : response
  }
  const handle = getRequestListener((request, env) => fetch(request, env as HttpBindings), {
    errorHandler: (error) => {
      // Hono does not report which request failed, so the response gets a new id.
      const requestId = randomUUID()
      const refusal: Refusal =
        error instanceof RequestError ? { code: 'BAD_REQUEST', detail: 'REQUEST_TARGET' } : { code: 'INTERNAL' }
      onRefused(refusal, requestId)
      const { status, headers, body } = present(refusal, requestId)
      return new Response(body, { status, headers: { ...headers, 'x-request-id': requestId } })
    },
  })
  const refuse = (response: ServerResponse, refusal: Refusal) => {
    onRefused(refusal, requestIdOf(response))
    sendAndClose(response, present(refusal, requestIdOf(response)))
  }
  /** Refuses a request without a log line and keeps the connection: a new TLS handshake would cost more. */
  const refuseForOverload = (response: ServerResponse) => {
    const { status, headers, body } = present({ code: 'UNAVAILABLE', detail: 'OVERLOADED' }, requestIdOf(response))
    const retryAfter = String(retryAfterOverload(Math.random()))
    send(response, { status, headers: { ...headers, 'retry-after': retryAfter }, body })
  }
  const begin = (response: ServerResponse) => {
    response.setHeader('x-request-id', randomUUID())
    for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value)
    // A client that never pauses would keep its connection, and so the server, open without end.
    if (isLastOn(response.req.socket) || closing) response.shouldKeepAlive = false
  }

  const onRequest: RequestListener = (request, response) => {
    // Drops pipelined requests of a lost connection: their result could not be sent.
    if (request.socket.destroyed) return
    begin(response)
    const head = {
      method: request.method ?? '',
      target: request.url ?? '',
      httpVersion: request.httpVersion,
      rawHeaders: request.rawHeaders,
    }
    const refusal = refuseRequestHead(head, options.servesHost)
    if (refusal !== null) {
      void openResponses.track(response)
      refuse(response, refusal)
      return
    }
    const isRunning = options.loadShedding.run(response, openResponses, () => handle(request, response))
    if (!isRunning) refuseForOverload(response)
  }

  const limits = {
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: timeouts.headMs,
    requestTimeout: timeouts.requestMs,
    connectionsCheckingInterval: timeouts.checkMs,
    keepAliveTimeout: idleConnectionMs,
    // The filter refuses this request with an error body.
    requireHostHeader: false,
  }
  const server: Server =
    options.tls === null
      ? createHttpServer(limits, onRequest)
      : createHttpsServer(
          { ...limits, ...options.tls, ciphers, minVersion: 'TLSv1.2', handshakeTimeout: timeouts.headMs },
          onRequest,
        )
  server.maxHeadersCount = maxHeaderLines
  // A client may close its side after its last request. By default Node would then drop the response.
  Object.assign(server, { httpAllowHalfOpen: true })
  const isLastOn = limitConnections(server, options.connections)
  const openResponses = trackOpenResponses(server, { maxMs: timeouts.answerMs, checkMs: timeouts.checkMs })

  // By default Node sends 100 before any check, and a refused client would send its body needlessly.
  server.on('checkContinue', (request, response) => {
    request.once('resume', () => {
      if (!response.headersSent) response.writeContinue()
    })
    onRequest(request, response)
  })
  server.on('checkExpectation', (request, response) => {
    if (request.socket.destroyed) return
    begin(response)
    void openResponses.track(response)
    refuse(response, { code: 'BAD_REQUEST', detail: 'EXPECTATION', status: 417 })
  })
  const broken = createBrokenRequests({
    present,
    onRefused,
    latestOn: openResponses.latestOn,
    closeTimeoutMs: timeouts.headMs,
  })
  server.on('clientError', broken.onClientError)
  server.on('connect', broken.onConnect)

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port: options.port, host: options.host, backlog: longestBacklog }, () => {
      server.off('error', reject)
      resolve()
    })
  })
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        closing = true
        const close = () => {
          const closedAt = performance.now()
          // Node closes connections that are idle now, but not those that become idle later.
          const idle = setInterval(() => {
            server.closeIdleConnections()
            openResponses.endUnsent(performance.now() - closedAt, timeouts.requestMs)
          }, idleCheckMs)
          server.close(() => {
            clearInterval(idle)
            resolve()
          })
          server.closeIdleConnections()
        }
        // Requests on paused connections are read first, which takes a turn of the event loop.
        setImmediate(() => setImmediate(close))
      }),
  }
}

/** Returns the id that the request received on arrival. */
function requestIdOf(response: ServerResponse): string {
  return String(response.getHeader('x-request-id'))
}

function statusOf(refusal: Refusal): number {
  return refusal.status ?? errorCatalogue[refusal.code].status
}
