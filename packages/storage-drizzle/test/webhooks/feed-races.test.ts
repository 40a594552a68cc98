import { readFeed, type GrantLookup } from '@kyc-relay/webhooks/delivery'
import type { ReadFeedDeps } from '@kyc-relay/webhooks/internal'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { propertyRuns } from '../../../../scripts/test-sizes.js'
import * as onPostgres from '../../src/postgres/index.js'
import * as onSqlite from '../../src/sqlite/index.js'
import { emptyTables, startPostgres, type PostgresServer } from '../engine/postgres/postgres-server.js'
import { event, startOfTests, uuid } from '../samples.js'

const writers = 4
const appId = uuid('app')
const grants: GrantLookup = {
  find: (pairs) =>
    Promise.resolve(
      pairs.map(({ userId }) => ({
        appId,
        userId,
        appName: 'App',
        accountId: uuid('account'),
        externalReferenceId: 'r',
        scopes: ['LIST_PAYMENT', 'LIST_PURCHASES'],
      })),
    ),
}

/** What one of the writers does, or a look of the poller. */
const steps = fc.array(
  fc.oneof(
    fc.record({ writer: fc.nat(writers - 1), does: fc.constantFrom('write', 'write', 'commit', 'roll back') }),
    fc.constant({ writer: -1, does: 'poll' }),
  ),
  { minLength: 20, maxLength: 40 },
)

/** A transaction of one writer. */
interface Writer {
  begin(): Promise<void>
  write(name: string): Promise<void>
  end(how: 'COMMIT' | 'ROLLBACK'): Promise<void>
}

/** An engine with writers whose transactions overlap as far as it lets them. */
interface Engine {
  readonly stores: Pick<ReadFeedDeps, 'feed' | 'webhooks'>
  readonly writers: readonly Writer[]
  /** Waits for transactions of others. */
  settle(): Promise<void>
  /** Ids of events after a place that a naive poller remembers, in its order, with the place of each. */
  naive(after: number): Promise<readonly { readonly eventId: string; readonly place: number }[]>
  empty(): Promise<void>
}

/** Runs the steps. Returns what was committed, and what each of two pollers saw. */
async function run(engine: Engine, plan: readonly { readonly writer: number; readonly does: string }[]) {
  await engine.empty()
  const open = new Map<number, string[]>()
  const committed: string[] = []
  const seen: string[] = []
  /** What a poller saw that began in the middle. */
  const seenLate: string[] = []
  const seenByNaive: string[] = []
  const cursors: { early: string | null; late: string | null } = { early: null, late: null }
  let place = 0
  let number = 0

  async function readNext(who: 'early' | 'late', into: string[]): Promise<number> {
    const request = { appId, after: cursors[who], eventTypes: null, keptSince: new Date(0), limit: 3 }
    const { feed, webhooks } = engine.stores
    const page = await readFeed({ feed, webhooks, grants }, request)
    if (page.outcome !== 'page') throw new Error(page.outcome)
    cursors[who] = page.nextCursor
    into.push(...page.items.map(({ eventId }) => eventId))
    return page.items.length
  }

  async function poll(late = true): Promise<void> {
    const items = (await readNext('early', seen)) + (late ? await readNext('late', seenLate) : 0)
    for (const found of await engine.naive(place)) {
      seenByNaive.push(found.eventId)
      place = Math.max(place, found.place)
    }
    if (items > 0) await poll(late)
  }

  async function end(index: number, how: 'COMMIT' | 'ROLLBACK') {
    await engine.writers[index]!.end(how)
    if (how === 'COMMIT') committed.push(...(open.get(index) ?? []))
    open.delete(index)
  }

  await poll(false)
  for (const [step, { writer, does }] of plan.entries()) {
    if (does === 'poll') await poll(step > plan.length / 2)
    else if (does === 'write') {
      if (!open.has(writer)) await engine.writers[writer]!.begin()
      const name = `event ${(number += 1)}`
      await engine.writers[writer]!.write(name)
      open.set(writer, [...(open.get(writer) ?? []), event(name, []).eventId])
    } else if (open.has(writer)) await end(writer, does === 'commit' ? 'COMMIT' : 'ROLLBACK')
  }
  for (const index of [...open.keys()]) await end(index, 'COMMIT')
  await engine.settle()
  await poll()
  return { committed, seen, seenLate, seenByNaive }
}

async function checkRaces(engine: Engine) {
  let lostByNaive = 0
  const property = fc.asyncProperty(steps, async (plan) => {
    const { committed, seen, seenLate, seenByNaive } = await run(engine, plan)
    for (const one of [seen, seenLate]) expect(one.toSorted()).toEqual(committed.toSorted())
    lostByNaive += committed.filter((eventId) => !seenByNaive.includes(eventId)).length
  })
  await fc.assert(property, { ...propertyRuns(22, 20), endOnFailure: true })
  return lostByNaive
}

describe('the feed of events that racing transactions write', () => {
  let server: PostgresServer
  let folder: string
  beforeAll(async () => {
    server = await startPostgres()
    folder = await mkdtemp(path.join(tmpdir(), 'kyc-relay-feed-'))
  })
  afterAll(async () => {
    await server.stop()
    await rm(folder, { recursive: true })
  })

  test('never skips one on PostgreSQL; a cursor of positions does', async () => {
    const connectionString = await server.createDatabase()
    const stores = await onPostgres.createPostgresStorage({ connectionString }, { notify: false })
    const pool = new pg.Pool({ connectionString, max: writers + 1 })
    const clients = await Promise.all(Array.from({ length: writers }, () => pool.connect()))
    const lost = await checkRaces({
      stores,
      writers: clients.map((client) => ({
        begin: async () => void (await client.query('BEGIN')),
        write: async (name) => void (await onPostgres.insertEvent(client, event(name, []))),
        end: async (how) => void (await client.query(how)),
      })),
      async settle() {
        while (((await stores.feed.measureLag()) ?? 0) > 0);
      },
      naive: async (after) =>
        (
          await pool.query<{ eventId: string; place: number }>(
            'SELECT event_id AS "eventId", position::int AS place FROM kyc_relay_events WHERE position > $1',
            [after],
          )
        ).rows,
      empty: () => emptyTables(pool),
    })
    expect(lost).toBeGreaterThan(0)
    for (const client of clients) client.release()
    await pool.end()
    await stores.close()
  })

  test('goes on after a dump into another PostgreSQL, with the statement of docs/operate.md', async () => {
    const connectionString = await server.createDatabase()
    const stores = await onPostgres.createPostgresStorage({ connectionString }, { notify: false })
    const pool = new pg.Pool({ connectionString, max: 1 })
    const made = event('before the dump', [])
    await stores.webhooks.insertEvent(made)
    await pool.query(`UPDATE kyc_relay_events SET transaction_id = '123456789012'`)
    const read = async (after: string | null) => {
      while (((await stores.feed.measureLag()) ?? 0) > 0);
      const { feed, webhooks } = stores
      const request = { appId, after, eventTypes: null, keptSince: new Date(0), limit: 3 }
      return readFeed({ feed, webhooks, grants }, request)
    }
    expect(await read(null)).toMatchObject({ items: [] })
    const guide = await readFile(new URL('../../../../docs/operate.md', import.meta.url), 'utf8')
    await pool.query(/^ *UPDATE kyc_relay_events .*;$/m.exec(guide)?.[0] ?? '')
    expect(await read(null)).toMatchObject({ items: [{ eventId: made.eventId }] })
    await pool.end()
    await stores.close()
  })

  test('never skips one on SQLite, which has one writer; a cursor of times does', async () => {
    const file = path.join(folder, 'feed.db')
    const stores = await onSqlite.createSqliteStorage({ path: file })
    const clients = Array.from({ length: writers }, () => new Database(file, { timeout: 0 }))
    const waiting = new Map<number, string[]>()
    // Each event has the time at which its writer wanted to write it; SQLite lets it write later.
    const lost = await checkRaces({
      stores,
      writers: clients.map((client, index) => ({
        begin: () => Promise.resolve(void waiting.set(index, [])),
        write: (name) => Promise.resolve(void waiting.get(index)?.push(name)),
        end: (how) => {
          client.exec('BEGIN IMMEDIATE')
          for (const name of waiting.get(index) ?? []) {
            const wanted = new Date(startOfTests.getTime() + Number(name.replace('event ', '')))
            onSqlite.insertEvent(client, event(name, []), wanted)
          }
          client.exec(how)
          return Promise.resolve()
        },
      })),
      settle: () => Promise.resolve(),
      naive: (after) =>
        Promise.resolve(
          clients[0]!
            .prepare<[number], { eventId: string; place: number }>(
              'SELECT event_id AS eventId, created_at AS place FROM kyc_relay_events WHERE created_at > ?',
            )
            .all(after),
        ),
      empty: () => Promise.resolve(void clients[0]!.exec('DELETE FROM kyc_relay_events')),
    })
    expect(lost).toBeGreaterThan(0)
    for (const client of clients) client.close()
    await stores.close()
  })
})
