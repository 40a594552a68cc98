import type { Socket } from 'node:net'
import type { Dispatcher } from 'undici'
import type { AttemptCause } from '../delivery/webhook-store.js'
import { AttemptFailure } from './guarded-connection.js'
import { Client } from './http-client.js'
import { readPastContinue } from './unasked-continue.js'

/** Limit of informational (1xx) responses; regular servers send fewer. */
const maxInformational = 32

/**
 * Sends one request over an open connection and then always closes it.
 *
 * @param request `path` is that of `url`. Nothing is decompressed.
 * @param read Reads the response. The connection closes when its promise has settled.
 * @throws AttemptFailure with the cause when the response did not arrive or broke off
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
  readPastContinue(socket)
  const client = new Client(url.origin, {
    // Deferred: the client calls this function in the middle of its own work.
    connect: (_options, callback) => queueMicrotask(() => callback(null, socket)),
    // One request per connection, with the header `Connection: close`.
    pipelining: 0,
    allowH2: false,
    maxHeaderSize: 16_384,
    // The signal is the only deadline. These time-outs apply to each chunk.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const tooManyInformational = new AbortController()
  let informational = 0
  let answered = false
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
    answered = true
    await read(response)
  } catch (error) {
    if (error instanceof AttemptFailure) throw error
    const cause = causeOfExchange(error, signal, tooManyInformational.signal)
    throw new AttemptFailure(answered && isCutOff(error) && cause === 'INVALID_RESPONSE' ? 'CONNECTION_LOST' : cause)
  } finally {
    socket.destroy()
    void client.destroy().catch(() => {})
  }
}

/** Names of undici's errors for an invalid response, in contrast to a broken connection. */
const invalidAnswerErrors: ReadonlySet<string> = new Set([
  'HTTPParserError',
  'HeadersOverflowError',
  'ResponseContentLengthMismatchError',
])

/**
 * Checks for the end of a body before its announced length or its last chunk. Two lengths in the head have the error of
 * the first case. For the second one, undici's parser gives the reason `Invalid EOF state`.
 */
function isCutOff(error: unknown): boolean {
  return (
    error instanceof Error &&
    (error.name === 'ResponseContentLengthMismatchError' || error.message.includes('Invalid EOF state'))
  )
}

function causeOfExchange(error: unknown, deadline: AbortSignal, informational: AbortSignal): AttemptCause {
  if (informational.aborted) return 'INVALID_RESPONSE'
  if (deadline.aborted) return 'TIMEOUT'
  return error instanceof Error && invalidAnswerErrors.has(error.name) ? 'INVALID_RESPONSE' : 'CONNECTION_LOST'
}
