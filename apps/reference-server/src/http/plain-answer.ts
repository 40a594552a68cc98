import type { IncomingMessage, ServerResponse } from 'node:http'

/** A complete response without Hono, for a request refused before routing. */
export interface PlainAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Unread bodies up to this size are read and dropped, which costs less than a new connection. */
const maxDroppedBytes = 64 * 1024

/**
 * Checks whether the client may still be sending a large body. The connection must then close after the response. A
 * body of unknown length, or one with `Expect`, counts as large.
 */
export function hasLargeUnreadBody(request: IncomingMessage): boolean {
  if (request.complete) return false
  const { 'content-length': length, 'transfer-encoding': encoding, expect } = request.headers
  return encoding !== undefined || expect !== undefined || Number(length ?? 0) > maxDroppedBytes
}

/**
 * Drops the rest of a body. Resolves when the client has sent all of it or the connection is closed. The request
 * time-out limits the wait.
 */
function dropBody(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    if (request.complete || request.destroyed) {
      resolve()
      return
    }
    request.once('end', resolve)
    request.once('close', resolve)
    request.resume()
  })
}

/**
 * Sends a response and closes the connection after the client has stopped sending. Closing a socket with unread bytes
 * resets it, and the reset can overtake the response (RFC 9112 §9.6).
 */
export function sendAndClose(response: ServerResponse, answer: PlainAnswer): void {
  if (response.headersSent || response.destroyed) return
  writeHead(response, answer, { connection: 'close' })
  response.write(answer.body)
  void dropBody(response.req).then(() => response.end())
}

/** Sends a response and keeps the connection, unless a large body is still arriving. */
export function send(response: ServerResponse, answer: PlainAnswer): void {
  if (hasLargeUnreadBody(response.req)) {
    sendAndClose(response, answer)
    return
  }
  response.req.resume()
  writeHead(response, answer)
  response.end(answer.body)
}

function writeHead(
  response: ServerResponse,
  { status, headers, body }: PlainAnswer,
  more: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { ...headers, ...more, 'content-length': Buffer.byteLength(body) })
}

/**
 * Does the same for the response of a handler: its body, and then the connection, ends after the client has stopped
 * sending.
 */
export async function closeAfterBody(response: Response, request: IncomingMessage): Promise<Response> {
  const bytes = new Uint8Array(await response.arrayBuffer())
  const headers = new Headers(response.headers)
  headers.set('connection', 'close')
  headers.set('content-length', String(bytes.byteLength))
  const body = new ReadableStream({
    async start(controller) {
      controller.enqueue(bytes)
      await dropBody(request)
      controller.close()
    },
  })
  return new Response(body, { status: response.status, headers })
}
