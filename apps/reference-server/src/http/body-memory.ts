/** First bytes of a body that are not counted, so that ordinary requests go on when large ones fill the memory. */
export const uncountedBodyBytes = 16 * 1024

/** Limits the memory of large bodies that clients are still sending. */
export interface BodyMemory {
  /** @throws BodyMemoryError when too little is left */
  take(bytes: number): void
  giveBack(bytes: number): void
}

/** Large bodies use all of their memory. A later retry can succeed. */
export class BodyMemoryError extends Error {
  readonly code = 'OVERLOADED'
}

/** Creates the limit of `maxBytes` for all listeners of a process. */
export function createBodyMemory(maxBytes: number, onRefused?: () => void): BodyMemory {
  let taken = 0
  return {
    take(bytes) {
      if (taken + bytes > maxBytes) {
        onRefused?.()
        throw new BodyMemoryError()
      }
      taken += bytes
    },
    giveBack(bytes) {
      taken -= bytes
    },
  }
}
