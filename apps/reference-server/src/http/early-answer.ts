import type { IncomingMessage, ServerResponse } from 'node:http'
import { requestIdOf } from './request-id.js'
import { securityHeaders } from './security-headers.js'

/** A complete answer. */
export interface PlainAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const securityLines = Object.entries(securityHeaders).flat()

/**
 * Writes the head of a complete answer, with the id of its request. Node takes a list as it is; it would look at each
 * header of an object, and at each that was set before.
 */
export function writeHead(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: PlainAnswer,
  connection?: 'close',
): void {
  const lines = [
    'x-request-id',
    requestIdOf(request),
    'content-length',
    String(Buffer.byteLength(body)),
    ...securityLines,
  ]
  for (const name of Object.keys(headers)) lines.push(name, headers[name] as string)
  if (connection !== undefined) lines.push('connection', connection)
  response.writeHead(status, lines)
}

/** Whether the client may still be sending a body that nobody will read. */
export function hasUnreadBody(request: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  return !request.complete && (encoding !== undefined || (length !== undefined && Number(length) > 0))
}

/**
 * Answers, and closes the connection once the client has stopped sending: a socket that is closed with unread bytes in
 * it is reset, and the reset can overtake the answer (RFC 9112 §9.6). What still comes in is dropped unread; the
 * listener's request time-out bounds the wait.
 */
export function answerAndClose(request: IncomingMessage, response: ServerResponse, answer: PlainAnswer): void {
  if (response.headersSent || response.destroyed) return
  writeHead(request, response, answer, 'close')
  response.write(answer.body)
  const end = () => response.end()
  if (request.complete || request.destroyed) {
    end()
    return
  }
  request.once('end', end)
  request.once('close', end)
  request.resume()
}

/** A body up to this size is dropped sooner than a connection is made anew. */
const mostDroppedBytes = 64 * 1024

/**
 * Answers and keeps the connection: a client that is refused in a hurry would otherwise come back over a new one, and a
 * TLS handshake costs more than the refusal. A large body, one of unknown size, or one that is sent only when asked for
 * (`Expect`) is not waited for.
 */
export function answerAndGoOn(request: IncomingMessage, response: ServerResponse, answer: PlainAnswer): void {
  const { 'content-length': length, 'transfer-encoding': encoding, expect } = request.headers
  if (encoding !== undefined || expect !== undefined || Number(length ?? 0) > mostDroppedBytes) {
    answerAndClose(request, response, answer)
    return
  }
  request.resume()
  writeHead(request, response, answer)
  response.end(answer.body)
}
