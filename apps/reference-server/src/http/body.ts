import { createReceivedBody } from '@kyc-relay/webhooks/internal'
import { BodyMemoryError } from './body-memory.js'
import { endOfTurn } from './end-of-turn.js'
import type { BoundContext } from './request-context.js'

/**
 * Reads a body up to a limit. Bodies that end in the same turn of the event loop are returned together.
 *
 * @returns The bytes, or the reason of the failure: more than `maxBytes`, or the client stopped in the middle.
 * @throws BodyMemoryError when other large bodies use all of their room
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
  const { incoming: request, bodyMemory } = c.env
  return new Promise((resolve, reject) => {
    // A client that has already gone emits no further event.
    if (request.destroyed) {
      resolve('cut_off')
      return
    }
    const body = createReceivedBody(maxBytes)
    const share = bodyMemory.openShare()
    let size = 0
    const end = (settle: () => void) => {
      request.off('data', onData)
      share.close()
      settle()
    }
    const stop = (settle: () => void) => {
      request.pause()
      end(settle)
    }
    const onData = (chunk: Buffer) => {
      size += chunk.byteLength
      if (!body.add(chunk)) stop(() => resolve('too_large'))
      else if (!share.growTo(size)) stop(() => reject(new BodyMemoryError()))
    }
    request.on('data', onData)
    request.once('end', () => end(() => resolve(body.bytes())))
    request.once('error', () => end(() => resolve('cut_off')))
    request.once('close', () => end(() => resolve('cut_off')))
  })
}
