import { readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startOwnPostgres } from '../../packages/storage-drizzle/test/engine/postgres/own-postgres.ts'

const deadlock = '40P01'
const mostTries = 10

function isRunning(pid) {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const settings = [
  'max_connections=200',
  'wal_writer_delay=10s',
  'wal_level=replica',
  'hot_standby=on',
  'max_wal_senders=5',
]
/** How soon a standby looks for its primary again. */
const standbySettings = ['wal_retrieve_retry_interval=100ms']

/** A primary that commits only what its standby has, and that standby. */
async function startPair() {
  const primary = await startOwnPostgres([...settings, ...standbySettings])
  await primary.ask('CREATE DATABASE kyc')
  await primary.halt()
  const standby = await primary.makeStandby()
  await primary.start()
  await standby.start()
  // Not a setting of both: a promoted standby has no standby of its own, and would wait for one.
  await primary.ask(`ALTER SYSTEM SET synchronous_standby_names = '*'`)
  await primary.ask('SELECT pg_reload_conf()')
  return { primary, standby }
}

/** A PostgreSQL of its own with one database and a synchronous standby, which the campaign breaks and asks. */
export async function startDatabase() {
  const { primary, standby } = await startPair()
  let current = primary
  const ask = (statement) => current.ask(statement, 'kyc')
  async function untilSynchronous() {
    for (;;) {
      const [row] = await primary.ask('SELECT sync_state FROM pg_stat_replication')
      if (row?.sync_state === 'sync') return
      await sleep(20)
    }
  }
  await untilSynchronous()
  return {
    /** Names both: a server looks for the one that writes. */
    url: `postgres://postgres:postgres@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/kyc?target_session_attrs=read-write`,
    /** Runs one SELECT. */
    ask,
    askVault: ask,
    /** Runs statements in one transaction. A deadlock with a server ends the one or the other: then it runs them again. */
    async run(statements) {
      const client = new pg.Client({ connectionString: current.url({ database: 'kyc' }) })
      await client.connect()
      try {
        for (let tries = 1; ; tries += 1) {
          try {
            await client.query(statements.join(';'))
            return
          } catch (error) {
            if (error.code !== deadlock || tries === mostTries) throw error
          }
        }
      } finally {
        await client.end()
      }
    },
    /** Ends the sessions of the database that `choose` takes. Resolves with how many. */
    async endSessions(choose) {
      const sessions = await ask(
        `SELECT pid FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
      )
      const pids = sessions.map(({ pid }) => pid).filter(choose)
      if (pids.length > 0) await ask(`SELECT ${pids.map((pid) => `pg_terminate_backend(${pid})`).join(', ')}`)
      return pids.length
    },
    /** An immediate shutdown: each process of the database stops where it is. It recovers at the next start. */
    async crash() {
      const [postmaster] = readFileSync(path.join(current.dataDir, 'postmaster.pid'), 'utf8').split('\n').map(Number)
      process.kill(postmaster, 'SIGQUIT')
      while (isRunning(postmaster)) await sleep(10)
    },
    isPromoted: () => current === standby,
    /** Kills the primary and promotes its standby: once, because there is no other. */
    async promote() {
      await untilSynchronous()
      await primary.kill()
      current = standby
      await standby.ask('SELECT pg_promote()')
    },
    start: () => current.start(),
    stop: () => primary.stop(),
  }
}

/** Where the two engines keep the same facts in other places. */
export const postgresQueries = {
  events: `SELECT e.event_id, s.source_event_id, e.app_id
    FROM kyc_relay_events e LEFT JOIN kyc_relay_event_sources s USING (app_id, event_id)`,
}
