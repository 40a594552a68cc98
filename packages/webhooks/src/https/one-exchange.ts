import { request as startRequest, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { addAbortSignal } from 'node:stream'
import type { AttemptCause } from '../delivery/webhook-store.js'
import { AttemptFailure } from './guarded-connection.js'

/** Limit of informational (1xx) responses; regular servers send fewer. */
const maxInformational = 32

/** A response whose body has not been read. Nothing is decompressed. */
export interface ExchangeResponse {
  readonly status: number
  /** Values by name in lower case. */
  readonly headers: Readonly<Record<string, readonly string[]>>
  readonly body: AsyncIterable<Uint8Array>
}

/**
 * Sends one request over an open connection and then always closes it.
 *
 * @param request `path` is that of `url`.
 * @param signal The only deadline.
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
  read: (response: ExchangeResponse) => Promise<void>,
): Promise<void> {
  addAbortSignal(signal, socket)
  // The first failure tells the cause. A later one says only that the connection closed.
  let failure: Error | null = null
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const fail = (error: Error) => {
        failure ??= error
        reject(failure)
      }
      let informational = 0
      startRequest({
        createConnection: () => socket,
        method: request.method,
        path: `${url.pathname}${url.search}`,
        headers: {
          host: url.host,
          connection: 'close',
          ...request.headers,
          'accept-encoding': 'identity',
          ...(request.body === null ? {} : { 'content-length': request.body.length }),
        },
        maxHeaderSize: 16_384,
        // Set explicitly, so that --insecure-http-parser has no effect.
        insecureHTTPParser: false,
      })
        .on('information', () => {
          informational += 1
          if (informational > maxInformational) fail(new AttemptFailure('INVALID_RESPONSE'))
        })
        .once('response', resolve)
        .on('error', fail)
        // Some ends have no error, such as a switch to another protocol.
        .once('close', () => fail(new Error('The connection closed.')))
        .end(request.body)
    })
    await read({ status: Number(response.statusCode), headers: headersOf(response.rawHeaders), body: response })
  } catch (error) {
    throw attemptFailureOf(failure ?? error, signal)
  } finally {
    socket.destroy()
  }
}

/** Reads names and values in turn. Node reads them as Latin-1; most senders of other characters mean UTF-8. */
function headersOf(raw: readonly string[]): Record<string, string[]> {
  const headers = Object.create(null) as Record<string, string[]>
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const value = Buffer.from(raw[index + 1] ?? '', 'latin1').toString('utf8')
    ;(headers[(raw[index] ?? '').toLowerCase()] ??= []).push(value)
  }
  return headers
}

function attemptFailureOf(error: unknown, deadline: AbortSignal): AttemptFailure {
  if (error instanceof AttemptFailure) return error
  return new AttemptFailure(deadline.aborted ? 'TIMEOUT' : causeOf(error))
}

/** Codes of Node's parser begin with `HPE_`. Any other error is one of the connection. */
function causeOf(error: unknown): AttemptCause {
  const { code } = error as { readonly code?: unknown }
  return typeof code === 'string' && code.startsWith('HPE_') ? 'INVALID_RESPONSE' : 'CONNECTION_LOST'
}
