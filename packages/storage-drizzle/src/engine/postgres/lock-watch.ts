import type { PostgresConnection } from './pool.js'

/** Between two looks at whether a migration waits, in milliseconds. */
const lookEveryMs = 1_000
/** A wait is told at the first look that finds it, and then after this many looks each. */
const tellEveryLooks = 10

/** Watches one session for waiting for a lock. */
export interface LockWatch {
  /** A transaction began in the session with this id; null: it has ended. */
  began(pid: number | null): void
  stop(): Promise<void>
}

/**
 * Looks every second whether a session waits for a lock, on a connection of its own that is opened at the first look:
 * work that is done sooner costs nothing.
 *
 * @param onWaiting Is given the milliseconds since the transaction began.
 */
export function watchForLocks(
  newClient: PostgresConnection['newClient'],
  onWaiting: (waitedMs: number) => void,
): LockWatch {
  let session: { readonly pid: number; readonly sinceMs: number; looks: number } | null = null
  let observer: ReturnType<PostgresConnection['newClient']> | null = null
  let looking: Promise<void> | null = null

  async function look(): Promise<void> {
    const watched = session
    if (watched === null) return
    try {
      if (observer === null) {
        observer = newClient({})
        observer.on('error', () => undefined)
        await observer.connect()
      }
      const { rows } = await observer.query<{ waits: boolean }>(
        `SELECT wait_event_type = 'Lock' AS waits FROM pg_catalog.pg_stat_activity WHERE pid = $1`,
        [watched.pid],
      )
      if (rows[0]?.waits !== true || session !== watched) return
      if (watched.looks % tellEveryLooks === 0) onWaiting(Math.round(performance.now() - watched.sinceMs))
      watched.looks += 1
    } catch {
      // The migration itself meets what is wrong with the server; the next look connects anew.
      await closeObserver()
    }
  }

  async function closeObserver(): Promise<void> {
    const client = observer
    observer = null
    await client?.end().catch(() => undefined)
  }

  const timer = setInterval(() => {
    looking ??= look().finally(() => (looking = null))
  }, lookEveryMs)

  return {
    began(pid) {
      session = pid === null ? null : { pid, sinceMs: performance.now(), looks: 0 }
    },
    async stop() {
      clearInterval(timer)
      session = null
      await looking
      await closeObserver()
    },
  }
}
