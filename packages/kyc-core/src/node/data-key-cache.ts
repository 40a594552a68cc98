import type { SealContext } from '../tokenization/pii-cipher.js'

/** Keeps the most recently used data keys unwrapped in memory. */
export interface DataKeyCache {
  /** Returns the key of wrapped bytes, if it was unwrapped with the same context. */
  get(wrapped: string, context: SealContext): Buffer | undefined
  /** Adds a key; drops the least recently used keys beyond the limit. */
  set(wrapped: string, context: SealContext, key: Buffer): void
  /** Overwrites and drops the key of wrapped bytes. */
  evict(wrapped: string): void
  readonly size: number
}

/** @param limit Most keys to keep, integer of 0 or more. */
export function createDataKeyCache(limit: number): DataKeyCache {
  // A Map keeps the order of insertion, so its first entry is the least recently used.
  const keys = new Map<string, { readonly context: SealContext; readonly key: Buffer }>()
  return {
    get(wrapped, context) {
      const found = keys.get(wrapped)
      if (found === undefined || !isSameContext(found.context, context)) return undefined
      keys.delete(wrapped)
      keys.set(wrapped, found)
      return found.key
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
