import { randomUUID } from 'node:crypto'
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Refusal } from './error-catalogue.js'
import { sendAndClose, type PlainAnswer } from './plain-answer.js'
import { securityHeaders } from './security-headers.js'

/**
 * Converts an error of Node's parser or time-outs to a refusal; null when no response is possible (TLS, lost
 * connection).
 */
function refusalOfParserError(code: string | undefined): Refusal | null {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { code: 'BAD_REQUEST', detail: 'REQUEST_TIMEOUT', status: 408 }
    case 'HPE_HEADER_OVERFLOW':
      return { code: 'BAD_REQUEST', detail: 'HEADERS_TOO_LARGE', status: 431 }
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return { code: 'PAYLOAD_TOO_LARGE' }
    // Over TLS, Node reports so that it paused a connection whose client sends more requests than it reads answers.
    case 'HPE_PAUSED':
      return { code: 'UNAVAILABLE', detail: 'OVERLOADED' }
    case 'HPE_INVALID_EOF_STATE':
      return { code: 'BAD_REQUEST', detail: 'BODY_CUT_OFF' }
    default:
      return code?.startsWith('HPE_') === true ? { code: 'BAD_REQUEST', detail: 'HTTP_SYNTAX' } : null
  }
}

/**
 * Handles connections without a valid request. It answers a connection with broken or too slow HTTP once and closes it.
 */
export function createBrokenRequests(options: {
  /** Creates the refusal in the listener's error format. */
  readonly present: (refusal: Refusal, requestId: string) => PlainAnswer
  readonly onRefused: (refusal: Refusal, requestId: string) => void
  /** Returns the response to the latest request on a connection. */
  readonly latestOn: (socket: Duplex) => ServerResponse | undefined
  /** Time for a client to read the response before its connection is closed, in milliseconds. */
  readonly closeTimeoutMs: number
}): {
  /** Handler of the server's event `clientError`. */
  readonly onClientError: (error: NodeJS.ErrnoException, socket: Duplex) => void
  /** Handler of the server's event `connect`: refuses the tunnel and closes the connection. */
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
    const timer = setTimeout(() => socket.destroy(), options.closeTimeoutMs)
    socket.once('close', () => clearTimeout(timer))
  }

  /** Responses to earlier requests that are still being handled go first. */
  function refuseAfterAnswers(socket: Duplex, refusal: Refusal): void {
    const latest = options.latestOn(socket)
    if (latest === undefined || latest.writableFinished) refuseConnection(socket, refusal)
    else latest.once('close', () => refuseConnection(socket, refusal))
  }

  function onConnect(_request: IncomingMessage, socket: Duplex): void {
    // Node has removed its listeners from this connection. Without an error listener, a reset would end the process.
    socket.on('error', () => socket.destroy())
    // Further bytes are dropped, so that the end of the connection is detected.
    socket.resume()
    refuseAfterAnswers(socket, { code: 'METHOD_NOT_ALLOWED' })
  }

  /** Handles a request whose body breaks off. Its handler may be running or may have responded. */
  function refuseBody(response: ServerResponse, refusal: Refusal): void {
    if (response.writableFinished) {
      response.req.socket.destroy()
      return
    }
    // Any reader of the body must see that it has ended: Node does not track an answered request.
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
    // The parser reports an error again for each further chunk.
    if (refused.has(socket)) return
    refused.add(socket)
    const latest = options.latestOn(socket)
    if (latest === undefined || latest.req.complete) refuseAfterAnswers(socket, refusal)
    else refuseBody(latest, refusal)
  }

  return { onClientError, onConnect }
}
