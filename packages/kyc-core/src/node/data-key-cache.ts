/** Unwrapped data keys in memory, the most recently used ones. */
export interface DataKeyCache {
  get(name: string): Buffer | undefined
  /** Keeps the key; the least recently used ones beyond the limit are dropped. */
  set(name: string, key: Buffer): void
  /** Overwrites and drops every key whose name begins so. */
  evict(prefix: string): void
  readonly size: number
}

/** @param limit Most keys to keep, integer of 0 or more. */
export function createDataKeyCache(limit: number): DataKeyCache {
  // A Map keeps the order of insertion, so its first entry is the one that was not used for longest.
  const keys = new Map<string, Buffer>()
  return {
    get(name) {
      const key = keys.get(name)
      if (key) {
        keys.delete(name)
        keys.set(name, key)
      }
      return key
    },
    set(name, key) {
      keys.set(name, key)
      for (const oldest of keys.keys()) {
        if (keys.size <= limit) break
        keys.delete(oldest)
      }
    },
    evict(prefix) {
      for (const [name, key] of keys) {
        if (!name.startsWith(prefix)) continue
        key.fill(0)
        keys.delete(name)
      }
    },
    get size() {
      return keys.size
    },
  }
}
