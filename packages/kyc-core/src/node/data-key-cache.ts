/** Keeps the most recently used data keys unwrapped in memory. */
export interface DataKeyCache {
  get(name: string): Buffer | undefined
  /** Adds a key; drops the least recently used keys beyond the limit. */
  set(name: string, key: Buffer): void
  /** Overwrites and drops every key whose name starts with this prefix. */
  evict(prefix: string): void
  readonly size: number
}

/** @param limit Most keys to keep, integer of 0 or more. */
export function createDataKeyCache(limit: number): DataKeyCache {
  // A Map keeps the order of insertion, so its first entry is the least recently used.
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
