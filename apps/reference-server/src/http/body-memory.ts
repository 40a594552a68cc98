/** First bytes of a body that are not counted, so that ordinary requests go on while large bodies use all of the room. */
const uncountedBytes = 16 * 1024

/** Limits the bytes of large bodies that clients are still sending, over all listeners of a process. */
export interface BodyMemory {
  /** Opens the share of one body. */
  openShare(): BodyShare
}

/** Room that one body takes. */
export interface BodyShare {
  /** Sets the bytes that the body has so far. False, and no change, when the others leave too little room. */
  growTo(bytes: number): boolean
  /** Gives the room back. Repeating this has no effect. */
  close(): void
}

/** Large bodies use all of their room. A later retry can succeed. */
export class BodyMemoryError extends Error {
  readonly code = 'OVERLOADED'
}

/** Creates the limit of `maxBytes`. `onRefused` is called for each body that finds no room. */
export function createBodyMemory(maxBytes: number, onRefused?: () => void): BodyMemory {
  let taken = 0
  return {
    openShare() {
      let counted = 0
      return {
        growTo(bytes) {
          const more = Math.max(0, bytes - uncountedBytes) - counted
          if (taken + more > maxBytes) {
            onRefused?.()
            return false
          }
          taken += more
          counted += more
          return true
        },
        close() {
          taken -= counted
          counted = 0
        },
      }
    },
  }
}
