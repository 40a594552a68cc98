// What: reports once a second, from a second connection, that a migration waits for a lock.
// Why: a migration waits behind long transactions without a sign, and the start looks stuck.
// Cost: one connection, opened only after the first second.
// Without it: an operator cannot tell a waiting start from a hanging one.

import type { PostgresConnection } from './pool.js'

/** Time between two checks for a waiting migration, in milliseconds. */
const lookEveryMs = 1_000
/** A wait is reported by the first check that finds it, and then by every tenth check. */
const tellEveryLooks = 10

/** Watches whether one session waits for a lock. */
export interface LockWatch {
  /** Sets the id of the session whose transaction has started; null when it has ended. */
  began(pid: number | null): void
  stop(): Promise<void>
}

/**
 * Checks every second whether a session waits for a lock. It opens a separate connection at the first check, so fast
 * work needs none.
 *
 * @param onWaiting Receives the milliseconds since the transaction started.
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
      // A failure of the server also fails the migration; the next check connects again.
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
