import { readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startOwnPostgres } from '../../packages/storage-drizzle/test/engine/postgres/own-postgres.ts'

function isRunning(pid) {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** A PostgreSQL of its own with one database, which the campaign breaks and asks. */
export async function startDatabase() {
  const server = await startOwnPostgres(['max_connections=200', 'wal_writer_delay=10s'])
  await server.ask('CREATE DATABASE kyc')
  const url = server.url({ database: 'kyc' })
  const ask = (statement) => server.ask(statement, 'kyc')
  return {
    url,
    /** Runs one SELECT. */
    ask,
    askVault: ask,
    async run(statements) {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      try {
        await client.query(statements.join(';'))
      } finally {
        await client.end()
      }
    },
    /** Ends the sessions of the database that `choose` takes. Resolves with how many. */
    async endSessions(choose) {
      const sessions = await ask(
        'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      )
      const pids = sessions.map(({ pid }) => pid).filter(choose)
      if (pids.length > 0) await ask(`SELECT ${pids.map((pid) => `pg_terminate_backend(${pid})`).join(', ')}`)
      return pids.length
    },
    /** An immediate shutdown: each process of the database stops where it is. It recovers at the next start. */
    async crash() {
      const [postmaster] = readFileSync(path.join(server.dataDir, 'postmaster.pid'), 'utf8').split('\n').map(Number)
      process.kill(postmaster, 'SIGQUIT')
      while (isRunning(postmaster)) await sleep(10)
    },
    start: () => server.start(),
    stop: () => server.stop(),
  }
}

/** Where the two engines keep the same facts in other places. */
export const postgresQueries = {
  transitions: `SELECT l.user_id, l.previous, l.next, v.decision, v.country_code, v.result_status
    FROM kyc_relay_kyc_status_log l JOIN kyc_relay_verifications v USING (user_id, verification_id) ORDER BY v.position`,
  events: `SELECT e.event_id, s.source_event_id, e.app_id
    FROM kyc_relay_events e LEFT JOIN kyc_relay_event_sources s USING (app_id, event_id)`,
}
