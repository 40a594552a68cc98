// What: `NOTIFY` and `LISTEN`, so that workers of other processes learn at once that a delivery is due.
// Why: otherwise a delivery waits for the next poll of an idle worker.
// Cost: one connection per process, and at most 40 notifications a second of each process.
// Without it (`notify: false`, or behind a pooler): deliveries start up to one poll interval later.

import type pg from 'pg'
import type { DueNotifications } from '../due-notifications.js'
import type { PostgresConnection } from './pool.js'

const channel = 'kyc_relay_due'
/** Minimum time between two notifications of one process, in milliseconds. */
const notifyEveryMs = 25
/** Time until a lost listening connection is reopened, in milliseconds. Polling continues meanwhile. */
const reconnectAfterMs = 1_000

/**
 * Wakes the workers of all processes. The first listener opens the listening connection.
 *
 * `NOTIFY` takes a lock that blocks every other committing transaction with a `NOTIFY`. So it is sent in a separate
 * statement, at most once per interval, and never inside a write transaction.
 */
export function createDueNotifications({
  pool,
  newClient,
}: Pick<PostgresConnection, 'pool' | 'newClient'>): DueNotifications {
  const listeners = new Set<() => void>()
  let listening: pg.Client | null = null
  let notifyTimer: NodeJS.Timeout | null = null
  let reconnectTimer: NodeJS.Timeout | null = null
  let closed = false

  function wakeAll(): void {
    for (const wake of listeners) wake()
  }

  async function connect(): Promise<void> {
    if (closed || listening !== null || listeners.size === 0) return
    // No query_timeout: this connection only waits.
    const client = newClient({ statement_timeout: 0, query_timeout: 0 })
    listening = client
    client.on('notification', wakeAll)
    client.on('error', () => lost(client))
    client.on('end', () => lost(client))
    try {
      await client.connect()
      await client.query(`LISTEN ${channel}`)
      // Deliveries may have become due while the connection was closed.
      wakeAll()
    } catch {
      lost(client)
    }
  }

  function lost(client: pg.Client): void {
    if (listening !== client) return
    listening = null
    void client.end().catch(() => undefined)
    if (closed || listeners.size === 0) return
    reconnectTimer = setTimeout(() => void connect(), reconnectAfterMs)
    reconnectTimer.unref()
  }

  async function disconnect(): Promise<void> {
    const client = listening
    listening = null
    if (reconnectTimer !== null) clearTimeout(reconnectTimer)
    await client?.end().catch(() => undefined)
  }

  return {
    notify() {
      wakeAll()
      if (closed || notifyTimer !== null) return
      notifyTimer = setTimeout(() => {
        notifyTimer = null
        if (!closed) void pool.query(`NOTIFY ${channel}`).catch(() => undefined)
      }, notifyEveryMs)
      notifyTimer.unref()
    },
    async listen(wake) {
      listeners.add(wake)
      await connect()
      return async () => {
        listeners.delete(wake)
        if (listeners.size === 0) await disconnect()
      }
    },
    async close() {
      closed = true
      listeners.clear()
      if (notifyTimer !== null) clearTimeout(notifyTimer)
      await disconnect()
    },
  }
}
