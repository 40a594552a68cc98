import type { Socket } from 'node:net'
import { Client, type Dispatcher } from 'undici'
import type { AttemptCause } from '../delivery/webhook-store.js'
import { AttemptFailure } from './guarded-connection.js'

/** So many informational answers that no honest server sends them. */
const maxInformational = 32

/**
 * One request over an open connection, which is closed afterwards whatever happens.
 *
 * @param request `path` is that of `url`. Nothing is decompressed.
 * @param read Takes what it needs of the answer; the connection is gone when it has settled.
 * @throws AttemptFailure with the cause when the answer did not come or broke off while it was read
 */
export async function exchangeOnce(
  url: URL,
  socket: Socket,
  request: {
    readonly method: 'GET' | 'POST'
    readonly headers: Readonly<Record<string, string>>
    readonly body: Uint8Array | null
  },
  signal: AbortSignal,
  read: (response: Dispatcher.ResponseData) => Promise<void>,
): Promise<void> {
  const client = new Client(url.origin, {
    // Not at once: the client is in the middle of its own work when it asks.
    connect: (_options, callback) => queueMicrotask(() => callback(null, socket)),
    // One request per connection, announced by `Connection: close`.
    pipelining: 0,
    allowH2: false,
    maxHeaderSize: 16_384,
    // The one deadline is the signal's; these count per chunk and would mislead.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const tooManyInformational = new AbortController()
  let informational = 0
  try {
    const response = await client.request({
      method: request.method,
      path: `${url.pathname}${url.search}`,
      headers: { ...request.headers, 'accept-encoding': 'identity' },
      body: request.body,
      signal: AbortSignal.any([signal, tooManyInformational.signal]),
      onInfo: () => {
        informational += 1
        if (informational > maxInformational) tooManyInformational.abort()
      },
    })
    await read(response)
  } catch (error) {
    if (error instanceof AttemptFailure) throw error
    throw new AttemptFailure(causeOfExchange(error, signal, tooManyInformational.signal))
  } finally {
    socket.destroy()
    void client.destroy().catch(() => {})
  }
}

/** Names of undici's errors about what a server said, in contrast to a connection that broke. */
const invalidAnswerErrors: ReadonlySet<string> = new Set([
  'HTTPParserError',
  'HeadersOverflowError',
  'ResponseContentLengthMismatchError',
])

function causeOfExchange(error: unknown, deadline: AbortSignal, informational: AbortSignal): AttemptCause {
  if (informational.aborted) return 'INVALID_RESPONSE'
  if (deadline.aborted) return 'TIMEOUT'
  return error instanceof Error && invalidAnswerErrors.has(error.name) ? 'INVALID_RESPONSE' : 'CONNECTION_LOST'
}
