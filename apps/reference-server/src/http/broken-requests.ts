import { randomUUID } from 'node:crypto'
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Refusal } from './error-catalogue.js'
import { sendAndClose, type PlainAnswer } from './plain-answer.js'
import { securityHeaders } from './security-headers.js'

/** What Node's parser or its time-outs found wrong, or null where nothing can be answered (TLS, a vanished client). */
export function refusalOfParserError(code: string | undefined): Refusal | null {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { code: 'BAD_REQUEST', detail: 'REQUEST_TIMEOUT', status: 408 }
    case 'HPE_HEADER_OVERFLOW':
      return { code: 'BAD_REQUEST', detail: 'HEADERS_TOO_LARGE', status: 431 }
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return { code: 'PAYLOAD_TOO_LARGE' }
    case 'HPE_INVALID_EOF_STATE':
      return { code: 'BAD_REQUEST', detail: 'BODY_CUT_OFF' }
    default:
      return code?.startsWith('HPE_') === true ? { code: 'BAD_REQUEST', detail: 'HTTP_SYNTAX' } : null
  }
}

/**
 * Answers where there is no request to answer: a connection that does not speak HTTP, or speaks it too slowly, is told so
 * once and closed.
 */
export function createBrokenRequests(options: {
  /** Shapes a refusal as this listener does. */
  readonly present: (refusal: Refusal, requestId: string) => PlainAnswer
  readonly onRefused: (refusal: Refusal, requestId: string) => void
  /** The answer to the latest request on a connection. */
  readonly latestOn: (socket: Duplex) => ServerResponse | undefined
  /** Time for a client to read why its connection ends, before it is cut. */
  readonly farewellMs: number
}): {
  /** For the server's `clientError`. */
  readonly onClientError: (error: NodeJS.ErrnoException, socket: Duplex) => void
  /** For the server's `connect`: the connection is no tunnel, and is closed. */
  readonly onConnect: (request: IncomingMessage, socket: Duplex) => void
} {
  const refused = new WeakSet<Duplex>()

  function refuseConnection(socket: Duplex, refusal: Refusal): void {
    if (!socket.writable) {
      socket.destroy()
      return
    }
    const requestId = randomUUID()
    options.onRefused(refusal, requestId)
    const { status, headers, body } = options.present(refusal, requestId)
    const lines = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
      ...Object.entries({ ...headers, ...securityHeaders }).map(([name, value]) => `${name}: ${value}`),
      `x-request-id: ${requestId}`,
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
    ]
    socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`)
    const timer = setTimeout(() => socket.destroy(), options.farewellMs)
    socket.once('close', () => clearTimeout(timer))
  }

  /** Answers to requests that came before, and are still worked on, go first. */
  function refuseAfterAnswers(socket: Duplex, refusal: Refusal): void {
    const latest = options.latestOn(socket)
    if (latest === undefined || latest.writableFinished) refuseConnection(socket, refusal)
    else latest.once('close', () => refuseConnection(socket, refusal))
  }

  function onConnect(_request: IncomingMessage, socket: Duplex): void {
    // Node has taken its own listeners off this connection: without one, a reset would end the process.
    socket.on('error', () => socket.destroy())
    // What comes behind is dropped, so that the end of the connection is seen.
    socket.resume()
    refuseAfterAnswers(socket, { code: 'METHOD_NOT_ALLOWED' })
  }

  /** A request whose body breaks off: its handler may run already, or have answered. */
  function refuseBody(response: ServerResponse, refusal: Refusal): void {
    if (response.writableFinished) {
      response.req.socket.destroy()
      return
    }
    // Whoever reads the body, now or later, must learn that no more will come: Node forgets an answered request.
    response.once('close', () => response.req.destroy())
    if (!response.headersSent) {
      const requestId = String(response.getHeader('x-request-id'))
      options.onRefused(refusal, requestId)
      sendAndClose(response, options.present(refusal, requestId))
    }
    response.end()
  }

  function onClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
    const refusal = refusalOfParserError(error.code)
    if (refusal === null) {
      socket.destroy()
      return
    }
    // The parser complains again about every further piece.
    if (refused.has(socket)) return
    refused.add(socket)
    const latest = options.latestOn(socket)
    if (latest === undefined || latest.req.complete) refuseAfterAnswers(socket, refusal)
    else refuseBody(latest, refusal)
  }

  return { onClientError, onConnect }
}
