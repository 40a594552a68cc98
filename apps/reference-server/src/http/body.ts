import type { BoundContext } from './request-context.js'

/**
 * Reads a bounded body. Hono's `bodyLimit` would put a web stream around every body, and leave a client that sends too
 * much without an answer.
 *
 * @returns The bytes, or why there are none: more than `maxBytes`, or the client stopped in the middle.
 */
export function readBody(c: BoundContext, maxBytes: number): Promise<Uint8Array | 'too_large' | 'cut_off'> {
  const request = c.env.incoming
  return new Promise((resolve) => {
    // A client that is gone already will not say so again.
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
