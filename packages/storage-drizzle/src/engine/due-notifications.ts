/** Tells workers that a delivery became due. It is only a hint. */
export interface DueNotifications {
  /** Wakes listeners of this process at once, and those of other processes after the interval. */
  notify(): void
  /** Calls `wake` until the returned function is called. */
  listen(wake: () => void): Promise<() => Promise<void>>
  close(): Promise<void>
}

/** Wakes only this process: for SQLite, and for a proxy or database without `NOTIFY`. */
export function createLocalNotifications(): DueNotifications {
  const listeners = new Set<() => void>()
  return {
    notify() {
      for (const wake of listeners) wake()
    },
    listen(wake) {
      listeners.add(wake)
      return Promise.resolve(() => Promise.resolve(void listeners.delete(wake)))
    },
    close() {
      listeners.clear()
      return Promise.resolve()
    },
  }
}
