// What: a pg client that asks several hosts in order and connects to the one that accepts writes.
// Why: pg knows one host. libpq's `target_session_attrs` does not exist there.
// Cost: after a failover, one question to each host before the new primary, 2 s each at most.
// Without it: a promoted standby is found only after a restart with another URL.

import pg from 'pg'
import { StorageError } from '../../storage-error.js'
import { storageErrorOf } from './errors.js'

/** Time limit for one host during the search for the primary, in milliseconds. */
export const hostTimeoutMs = 2_000

/**
 * Creates a client class that connects to the primary of several hosts. Before each connection it queries the hosts in
 * order, starting with the last known primary.
 *
 * @param hosts Settings of a connection to each host; they differ in host and port only.
 */
export function createFailoverClient(hosts: readonly pg.ClientConfig[]): typeof pg.Client {
  let primary = 0
  let looking: Promise<number> | null = null

  async function look(): Promise<number> {
    const problems: StorageError[] = []
    for (const step of hosts.keys()) {
      const index = (primary + step) % hosts.length
      const problem = await problemOf(hosts[index])
      if (problem === null) return (primary = index)
      problems.push(problem)
    }
    const noPrimary = new StorageError('STORE_UNAVAILABLE', null, 'NO_PRIMARY')
    // Which error is reported: first that of a standby, then a temporary one, then any other.
    if (problems.some(({ cause }) => cause === 'NO_PRIMARY')) throw noPrimary
    throw problems.find((problem) => problem.retryable) ?? problems[0] ?? noPrimary
  }

  /** Concurrent connections share one search. */
  function findPrimary(): Promise<number> {
    looking ??= look().finally(() => (looking = null))
    return looking
  }

  return class FailoverClient extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      super(config)
      // The pool listens only after `connect`, and this one ends later than pg's: an error in between would end the process.
      this.on('error', () => undefined)
    }

    override connect(): Promise<pg.Client>
    override connect(callback: ((error: Error) => void) | ((error: null, client: pg.Client) => void)): void
    override connect(callback?: (error: never, client: pg.Client) => void): Promise<pg.Client> | void {
      const connected = findPrimary().then((index) => {
        const { host, port } = new pg.Client(hosts[index])
        // pg reads both when it connects.
        Object.assign(this, { host, port })
        return super.connect()
      })
      if (callback === undefined) return connected
      connected.then((client) => callback(null as never, client), callback as (error: unknown) => void)
    }
  }
}

/** Returns the reason why a host cannot be written to; null for the primary. */
async function problemOf(host: pg.ClientConfig | undefined): Promise<StorageError | null> {
  const client = new pg.Client({ ...host, connectionTimeoutMillis: hostTimeoutMs, query_timeout: hostTimeoutMs })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ writable: boolean }>(
      `SELECT NOT pg_is_in_recovery() AND current_setting('default_transaction_read_only') = 'off' AS writable`,
    )
    return rows[0]?.writable === true ? null : new StorageError('STORE_UNAVAILABLE', null, 'NO_PRIMARY')
  } catch (error) {
    return storageErrorOf(error)
  } finally {
    await client.end().catch(() => undefined)
  }
}
