/**
 * Collects a body in one growing buffer. A list of chunks would need some hundred bytes for each chunk, however small a
 * client makes it.
 */
export interface ReceivedBody {
  /** Adds a chunk. Returns false when the body exceeds the limit; the chunk is then left out. */
  add(chunk: Uint8Array): boolean
  /** Returns the bytes so far. */
  bytes(): Uint8Array
}

/** Creates a body of at most `maxBytes`. */
export function createReceivedBody(maxBytes: number): ReceivedBody {
  let buffer = new Uint8Array(0)
  let size = 0
  return {
    add(chunk) {
      const end = size + chunk.byteLength
      if (end > maxBytes) return false
      if (end > buffer.byteLength) {
        const larger = new Uint8Array(Math.min(maxBytes, Math.max(end, 2 * buffer.byteLength)))
        larger.set(buffer)
        buffer = larger
      }
      buffer.set(chunk, size)
      size = end
      return true
    },
    bytes: () => buffer.subarray(0, size),
  }
}
