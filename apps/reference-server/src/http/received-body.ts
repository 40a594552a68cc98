import { uncountedBodyBytes, type BodyMemory } from './body-memory.js'

/**
 * Collects a body in one growing buffer. A list of chunks would need some hundred bytes for each chunk, however small a
 * client makes it.
 */
export interface ReceivedBody {
  /**
   * Adds a chunk. Returns false when the body exceeds its limit.
   *
   * @throws BodyMemoryError when other bodies use all of the memory
   */
  add(chunk: Uint8Array): boolean
  bytes(): Uint8Array
  /** Gives the memory back. Repeating this has no effect. */
  giveBack(): void
}

/** Creates a body of at most `maxBytes`. */
export function createReceivedBody(maxBytes: number, memory: BodyMemory): ReceivedBody {
  let buffer = Buffer.alloc(0)
  let size = 0
  let counted = 0
  return {
    add(chunk) {
      const end = size + chunk.byteLength
      if (end > maxBytes) return false
      if (end > buffer.byteLength) {
        const larger = Math.min(maxBytes, Math.max(end, 2 * buffer.byteLength))
        const more = Math.max(0, larger - uncountedBodyBytes) - counted
        memory.take(more)
        counted += more
        buffer = Buffer.concat([buffer], larger)
      }
      buffer.set(chunk, size)
      size = end
      return true
    },
    bytes: () => buffer.subarray(0, size),
    giveBack() {
      memory.giveBack(counted)
      counted = 0
    },
  }
}
