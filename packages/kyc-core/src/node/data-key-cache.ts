import type { SealContext } from '../tokenization/pii-cipher.js'

/** Keeps the data keys that were unwrapped last. */
export interface DataKeyCache {
  /** Returns the key of wrapped bytes, if it was unwrapped with the same context. */
  get(wrapped: string, context: SealContext): Buffer | undefined
  /** Adds a key; drops the oldest keys beyond the limit. */
  set(wrapped: string, context: SealContext, key: Buffer): void
  /** Overwrites and drops the key of wrapped bytes. */
  evict(wrapped: string): void
  readonly size: number
}

/** @param limit Most keys to keep, integer of 0 or more. */
export function createDataKeyCache(limit: number): DataKeyCache {
  // A Map keeps the order of insertion, so its first entry is the oldest.
  const keys = new Map<string, { readonly context: SealContext; readonly key: Buffer }>()
  return {
    get(wrapped, context) {
      const found = keys.get(wrapped)
      return found !== undefined && isSameContext(found.context, context) ? found.key : undefined
    },
    set(wrapped, context, key) {
      keys.set(wrapped, { context, key })
      for (const oldest of keys.keys()) {
        if (keys.size <= limit) break
        keys.delete(oldest)
      }
    },
    evict(wrapped) {
      keys.get(wrapped)?.key.fill(0)
      keys.delete(wrapped)
    },
    get size() {
      return keys.size
    },
  }
}

function isSameContext(one: SealContext, other: SealContext): boolean {
  const names = Object.keys(one)
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name])
}
