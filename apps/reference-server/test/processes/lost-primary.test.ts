import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { debianPrograms } from '../../../../packages/storage-drizzle/test/engine/postgres/debian-postgres.js'
import {
  startOwnPostgres,
  type OwnPostgres,
} from '../../../../packages/storage-drizzle/test/engine/postgres/own-postgres.js'
import {
  pgbouncerProgram,
  startPgbouncer,
} from '../../../../packages/storage-drizzle/test/engine/postgres/pgbouncer.js'
import { startReceiver } from '../local-receiver.js'
import { callsTo } from '../operations/server-calls.js'
import { startServerProcess } from './server-process.js'

/** A primary that commits only what its standby has, and that standby. */
async function startPair(): Promise<{ primary: OwnPostgres; standby: OwnPostgres }> {
  const settings = ['wal_level=replica', 'hot_standby=on', 'max_wal_senders=5']
  const primary = await startOwnPostgres(settings, debianPrograms)
  onTestFinished(() => primary.stop())
  for (const name of ['kyc', 'vault']) await primary.ask(`CREATE DATABASE ${name}`)
  await primary.halt()
  const standby = await primary.makeStandby()
  await primary.start()
  await standby.start()
  // Not a setting of both: a promoted standby has no standby of its own, and would wait for one.
  await primary.ask(`ALTER SYSTEM SET synchronous_standby_names = '*'`)
  await primary.ask('SELECT pg_reload_conf()')
  const state = () => primary.ask('SELECT sync_state FROM pg_stat_replication')
  await expect.poll(state, { timeout: 10_000 }).toEqual([{ sync_state: 'sync' }])
  return { primary, standby }
}

/**
 * Kills the primary when it has written more than its standby has: what was acknowledged in between would be lost. So
 * nothing may be, and the writes wait for the standby.
 */
async function killAhead(primary: OwnPostgres, acknowledged: () => number): Promise<void> {
  const [{ pid } = {}] = await primary.ask('SELECT pid FROM pg_stat_replication')
  process.kill(Number(pid), 'SIGSTOP')
  const before = acknowledged()
  const waits = `SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'`
  // Several of the acknowledged: the last answers from before may be on their way.
  const isAhead = async () => (await primary.ask(waits)).length >= 4 || acknowledged() > before + 40
  await expect.poll(isAhead, { timeout: 20_000 }).toBe(true)
  await primary.kill()
  process.kill(Number(pid), 'SIGKILL')
}

/** The URL of a database with both hosts, each behind a PgBouncer of its own if it says so. */
async function urlOf(database: string, hosts: readonly OwnPostgres[], pooled: boolean): Promise<string> {
  const ports = await Promise.all(
    hosts.map(async (host) => {
      if (!pooled) return `127.0.0.1:${host.port}`
      const pooler = await startPgbouncer(host.url({ database }), 10)
      onTestFinished(() => pooler.stop())
      return new URL(pooler.connectionString).host
    }),
  )
  return `postgres://postgres:postgres@${ports.join(',')}/${database}?target_session_attrs=read-write`
}

const ways = pgbouncerProgram === null ? ['directly'] : ['directly', 'through PgBouncer in transaction mode']
if (debianPrograms === null)
  console.warn("SKIPPED: Debian's PostgreSQL is not installed, so the failover is tested with the PostgreSQL of npm.")
if (pgbouncerProgram === null) console.warn('SKIPPED: pgbouncer is not installed, so no failover is tested behind it.')

it.each(ways)(
  'the primary is killed under load and its standby promoted: nothing acknowledged is lost, %s',
  async (way) => {
    const { primary, standby } = await startPair()
    const pooled = way !== 'directly'
    const dataDir = mkdtempSync(join(tmpdir(), 'kyc-relay-primary-'))
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
    const server = await startServerProcess(dataDir, {
      DATABASE_URL: await urlOf('kyc', [primary, standby], pooled),
      VAULT_DATABASE_URL: await urlOf('vault', [primary, standby], pooled),
      DATABASE_TRANSACTION_POOLER: pooled ? '1' : '0',
      LOG_LEVEL: 'info',
    })
    onTestFinished(async () => void (await server.end('SIGKILL')))
    const receiver = await startReceiver(server.demo)
    onTestFinished(() => receiver.close())
    const { register, submit, publish } = callsTo(server)
    expect((await register(receiver.url('/kept'))).status).toBe(201)

    const acknowledged = { submissions: new Set<string>(), events: new Set<string>() }
    let going = true
    /** Sends until it may stop; what fails is sent again as it is, as a client does. */
    async function load(
      kept: Set<string>,
      send: (id: string) => Promise<{ status: number; text: string }>,
    ): Promise<void> {
      for (let id = randomUUID(); going;) {
        const answer = await send(id).catch(() => null)
        const isTaken = answer !== null && answer.status < 300 && !answer.text.includes('"errors"')
        if (isTaken) kept.add(id)
        if (isTaken) id = randomUUID()
        else await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
    const clients = Array.from({ length: 4 }, () => [
      load(acknowledged.submissions, (externalVerificationId) => submit({ externalVerificationId })),
      load(acknowledged.events, (sourceEventId) => publish(sourceEventId)),
    ]).flat()
    const more = async (count: number) => {
      const goals = [acknowledged.submissions.size + count, acknowledged.events.size + count]
      const isReached = () =>
        acknowledged.submissions.size >= (goals[0] ?? 0) && acknowledged.events.size >= (goals[1] ?? 0)
      await expect.poll(isReached, { timeout: 20_000, interval: 10 }).toBe(true)
    }
    await more(40)
    const before = [acknowledged.submissions.size, acknowledged.events.size]
    await killAhead(primary, () => acknowledged.submissions.size + acknowledged.events.size)
    await standby.ask('SELECT pg_promote()')
    const promotedAtMs = performance.now()
    await more(40)
    const backAfterMs = performance.now() - promotedAtMs
    going = false
    await Promise.all(clients)
    expect(backAfterMs).toBeLessThan(10_000)
    expect(before.every((count) => count >= 40)).toBe(true)

    const idsOf = async (table: string, column: string) =>
      new Set((await standby.ask(`SELECT ${column} AS id FROM kyc_relay_${table}`, 'kyc')).map(({ id }) => String(id)))
    const recorded = await idsOf('verifications', 'external_verification_id')
    expect([...acknowledged.submissions].filter((id) => !recorded.has(id))).toEqual([])
    const published = await idsOf('event_sources', 'source_event_id')
    expect([...acknowledged.events].filter((id) => !published.has(id))).toEqual([])
    // Each event arrives, also those that were under way: at least once, under one id. A claim whose answer was lost with
    // the primary waits until its lease of 45 s ends.
    const waiting = `SELECT attempts_made, due_at, lease_until FROM kyc_relay_delivery_queue`
    await expect.poll(() => standby.ask(waiting, 'kyc'), { timeout: 60_000 }).toEqual([])
    const undelivered = `SELECT count(*)::int AS count FROM kyc_relay_deliveries WHERE state <> 'DELIVERED'`
    expect(await standby.ask(undelivered, 'kyc')).toEqual([{ count: 0 }])
    expect(new Set(receiver.received.map(({ headers }) => headers['x-event-id'])).size).toBe(published.size)
  },
  120_000,
)
