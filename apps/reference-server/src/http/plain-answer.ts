import type { IncomingMessage, ServerResponse } from 'node:http'

/** A complete answer that is written without Hono: the request was refused before it was routed. */
export interface PlainAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A body up to this size is read and dropped: that costs less than a new connection. */
const maxDroppedBytes = 64 * 1024

/**
 * Whether the client may still be sending a large body that nobody will read: the connection must close after the answer.
 * A body of unknown length, and one that is sent only when asked for (`Expect`), count as large.
 */
export function hasLargeUnreadBody(request: IncomingMessage): boolean {
  if (request.complete) return false
  const { 'content-length': length, 'transfer-encoding': encoding, expect } = request.headers
  return encoding !== undefined || expect !== undefined || Number(length ?? 0) > maxDroppedBytes
}

/** Drops the rest of a body. Resolves when the client has sent all of it or is gone; the request time-out bounds that. */
export function dropBody(request: IncomingMessage): Promise<void> {
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
 * Sends an answer and closes the connection once the client has stopped sending. A socket that is closed with unread bytes
 * is reset, and the reset can overtake the answer (RFC 9112 §9.6).
 */
export function sendAndClose(response: ServerResponse, answer: PlainAnswer): void {
  if (response.headersSent || response.destroyed) return
  writeHead(response, answer, { connection: 'close' })
  response.write(answer.body)
  void dropBody(response.req).then(() => response.end())
}

/** Sends an answer and keeps the connection, unless a large body is on its way. */
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

/** The same for the answer of a handler: its body ends when the client has stopped sending, and with it the connection. */
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
