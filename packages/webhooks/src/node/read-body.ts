import type { IncomingMessage } from 'node:http'
import { createReceivedBody } from '../receiver/received-body.js'

/** Reasons why a body was not read to its end. */
export type BodyFailure = 'TOO_LARGE' | 'TIMED_OUT' | 'ABORTED'

/**
 * Reads the unread body of a request.
 *
 * Bytes beyond the limit are discarded, so that the client can read the response. At sixteen times the limit the
 * connection is closed.
 */
export function readBody(
  request: IncomingMessage,
  maxBytes: number,
  timeoutMs: number,
): Promise<Uint8Array | BodyFailure> {
  return new Promise((resolve) => {
    const body = createReceivedBody(maxBytes)
    let size = 0
    const timer = setTimeout(() => settle('TIMED_OUT'), timeoutMs)
    const settle = (outcome: Uint8Array | BodyFailure) => {
      clearTimeout(timer)
      resolve(outcome)
    }
    request.on('data', (chunk: Uint8Array) => {
      size += chunk.byteLength
      if (!body.add(chunk)) settle('TOO_LARGE')
      if (size > 16 * maxBytes) request.destroy()
    })
    request.on('end', () => settle(body.bytes()))
    request.on('error', () => settle('ABORTED'))
    request.on('close', () => settle('ABORTED'))
    if (Number(request.headers['content-length']) > maxBytes) settle('TOO_LARGE')
  })
}
