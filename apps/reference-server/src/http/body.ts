import { endOfTurn } from './end-of-turn.js'
import type { BoundContext } from './request-context.js'

/**
 * Reads a body up to a limit. Bodies that end in the same turn of the event loop are returned together.
 *
 * @returns The bytes, or the reason of the failure: more than `maxBytes`, or the client stopped in the middle.
 */
export async function readBody(c: BoundContext, maxBytes: number): Promise<Uint8Array | 'too_large' | 'cut_off'> {
  const body = await receiveBody(c, maxBytes)
  await endOfTurn()
  return body
}

/**
 * Receives the chunks of a body. Hono's `bodyLimit` would wrap every body in a web stream, and would not answer a client
 * that sends too much.
 */
function receiveBody(c: BoundContext, maxBytes: number): Promise<Uint8Array | 'too_large' | 'cut_off'> {
  const request = c.env.incoming
  return new Promise((resolve) => {
    // A client that has already gone emits no further event.
    if (request.destroyed) {
      resolve('cut_off')
      return
    }
    const chunks: Buffer[] = []
    let size = 0
    const onData = (chunk: Buffer) => {
      size += chunk.byteLength
      if (size > maxBytes) {
        request.off('data', onData)
        request.pause()
        resolve('too_large')
        return
      }
      chunks.push(chunk)
    }
    request.on('data', onData)
    request.once('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)))
    request.once('error', () => resolve('cut_off'))
    request.once('close', () => resolve('cut_off'))
  })
}
