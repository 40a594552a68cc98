import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Fence } from '@kyc-relay/webhooks/internal'
import { createPostgresStorage, type PostgresStorage } from '../../src/postgres/index.js'
import { claimRequest, endpoint, event, report, uuid } from '../samples.js'
import { emptyTables, startPostgres, type PostgresServer } from '../engine/postgres/postgres-server.js'

// Two transactions, one of which stands still between two of its statements.

let server: PostgresServer
let pool: pg.Pool
let storage: PostgresStorage
let direct: pg.Pool
let connectionString: string

/** Stops the next statement of this name before it is sent; `go` lets it through. */
let hold: { readonly name: string; readonly reached: () => void; readonly go: Promise<void> } | null = null
/** The next statement of this name fails. */
let failing: string | null = null
const failures: string[] = []

const hook = endpoint('a')
const { appId, endpointId } = hook
const user = { appId, userId: uuid('user'), reason: 'x' }
const again = { state: 'PENDING', delayMs: 0 } as const

beforeAll(async () => {
  server = await startPostgres()
  connectionString = await server.createDatabase()
  pool = new pg.Pool({ connectionString, max: 5 })
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown> | undefined
    client.query = (async (config: { readonly name?: string }, ...rest: ((error: Error) => undefined)[]) => {
      const held = hold
      if (held !== null && config.name === `kyc_relay_${held.name}`) {
        hold = null
        held.reached()
        await held.go
      }
      if (failing !== null && config.name === `kyc_relay_${failing}`) {
        failing = null
        const callback = rest.find((each) => typeof each === 'function')
        if (callback === undefined) throw new Error('here')
        return callback(new Error('here'))
      }
      const note = (error: unknown) => void failures.push((error as pg.DatabaseError).code ?? 'unknown')
      // Asked by the pool itself it takes a callback, and answers nothing.
      const noted = rest.map((each) =>
        typeof each === 'function'
          ? (error: Error | undefined, ...answer: []) => {
              if (error) note(error)
              return each(error as Error, ...answer)
            }
          : each,
      )
      const answer = query(config, ...noted)
      answer?.catch(note)
      return answer
    }) as typeof client.query
  })
  storage = await createPostgresStorage({ pool }, { notify: false })
  direct = new pg.Pool({ connectionString, max: 2 })
})
afterAll(async () => {
  await storage.close()
  await Promise.all([pool.end(), direct.end()])
  await server.stop()
})
beforeEach(async () => {
  await emptyTables(direct)
  failures.length = 0
  await storage.webhooks.registerEndpoint(hook, 50)
})

/** Starts work and returns once it has stopped before the statement. */
async function stoppedBefore<T>(name: string, work: () => Promise<T>) {
  let go!: () => void
  let done!: Promise<T>
  await new Promise<void>((reached) => {
    hold = { name, reached, go: new Promise((resolve) => (go = resolve)) }
    done = work()
  })
  return {
    goOn: () => {
      go()
      return done
    },
  }
}

const waiting = `SELECT FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE NOT granted AND datname = current_database()`

/** Waits until a transaction waits for a lock of another one. */
const untilOneWaits = () =>
  expect.poll(async () => (await direct.query(waiting)).rowCount, { interval: 5 }).toBeGreaterThan(0)

async function claimOne() {
  const [claimed] = (await storage.webhooks.claimDue(claimRequest)).claimed
  if (claimed === undefined) throw new Error('nothing was due')
  return claimed
}

test('a retry recorded while its endpoint is removed is cancelled, not left waiting for an endpoint that is gone', async () => {
  const { webhooks } = storage
  await webhooks.insertEvent(event('one', [hook]))
  const { fence, deliveryId } = await claimOne()
  const removal = await stoppedBefore('refresh_next_due', () => webhooks.removeEndpoint({ appId, endpointId }))
  const recorded = webhooks.recordAttemptResults([{ fence, attempt: { state: 'FAILED', report }, next: again }])
  await untilOneWaits()
  expect(await removal.goOn()).toBe(true)
  expect(await recorded).toMatchObject({ stale: [] })
  expect(await webhooks.findDelivery({ appId, deliveryId })).toMatchObject({
    state: 'CANCELLED',
    cancelReason: 'ENDPOINT_REMOVED',
  })
  expect((await webhooks.claimDue(claimRequest)).claimed).toEqual([])
})

test('a result that waited for a cancellation is applied', async () => {
  const { webhooks } = storage
  for (const name of ['one', 'two']) await webhooks.insertEvent(event(name, [hook]))
  const { claimed } = await webhooks.claimDue(claimRequest)
  const results = claimed.map(({ fence }) => ({
    fence,
    attempt: { state: 'SUCCEEDED', report } as const,
    next: { state: 'DELIVERED' } as const,
  }))
  expect(results).toHaveLength(2)
  const other = await direct.connect()
  await other.query(`BEGIN; UPDATE kyc_relay_delivery_queue SET cancel_requested = 'x'`)
  const recorded = webhooks.recordAttemptResults(results)
  await untilOneWaits()
  await other.query('COMMIT')
  other.release()
  expect(await recorded).toEqual({ stale: [], healthChanges: [] })
  for (const { deliveryId } of claimed)
    expect(await webhooks.findDelivery({ appId, deliveryId })).toMatchObject({ state: 'DELIVERED' })
})

test('a stale result beside one that is applied needs no second transaction, which could fail', async () => {
  const { webhooks } = storage
  for (const name of ['one', 'two']) await webhooks.insertEvent(event(name, [hook]))
  const [one, two] = (await webhooks.claimDue(claimRequest)).claimed
  if (one === undefined || two === undefined) throw new Error('two are due')
  const stale = { ...two.fence, token: 'former' }
  failing = 'lock_leased'
  const results = [one.fence, stale].map((fence) => ({
    fence,
    attempt: { state: 'SUCCEEDED', report } as const,
    next: { state: 'DELIVERED' } as const,
  }))
  expect(await webhooks.recordAttemptResults(results)).toEqual({ stale: [stale], healthChanges: [] })
  failing = null
})

const ends = { retried: again, delivered: { state: 'DELIVERED' } } as const
test.each(Object.entries(ends))(
  'attempt results (%s) and a cancellation of the same user do not wait in a circle',
  async (_, next) => {
    const { webhooks } = storage
    await webhooks.insertEvent(event('one', [hook]))
    await webhooks.insertEvent(event('two', [hook]))
    const { claimed } = await webhooks.claimDue(claimRequest)
    expect(claimed).toHaveLength(2)
    const cancelling = await stoppedBefore('lock_schedules_of_user', () => webhooks.cancelPending(user))
    const attempt = { state: next === again ? 'FAILED' : 'SUCCEEDED', report } as const
    const recorded = webhooks.recordAttemptResults(claimed.map(({ fence }) => ({ fence, attempt, next })))
    await untilOneWaits()
    expect(await cancelling.goOn()).toBe(2)
    expect(await recorded).toMatchObject({ stale: [] })
    for (const { deliveryId } of claimed) {
      const state = next === again ? 'CANCELLED' : 'DELIVERED'
      expect(await webhooks.findDelivery({ appId, deliveryId })).toMatchObject({ state })
    }
    expect(failures).toEqual([])
  },
)

test('what is claimed while it is being cancelled is not tried again', async () => {
  const { webhooks } = storage
  await webhooks.insertEvent(event('one', [hook]))
  const cancelling = await stoppedBefore('lock_schedules_of_user', () => webhooks.cancelPending(user))
  const { fence, deliveryId } = await claimOne()
  expect(await cancelling.goOn()).toBe(1)
  await webhooks.recordAttemptResults([{ fence, attempt: { state: 'FAILED', report }, next: again }])
  expect(await webhooks.findDelivery({ appId, deliveryId })).toMatchObject({ state: 'CANCELLED', cancelReason: 'x' })
})

test('a cancellation waits for a claim of what was published after it locked its endpoints, and leaves the lease', async () => {
  const { webhooks } = storage
  await webhooks.insertEvent(event('one', [hook]))
  const cancelling = await stoppedBefore('cancel_of_user', () => webhooks.cancelPending(user))
  const later = endpoint('b')
  await webhooks.registerEndpoint(later, 50)
  await webhooks.insertEvent(event('two', [later]))
  const claiming = await stoppedBefore('open_attempts_at', () => webhooks.claimDue(claimRequest))
  const cancelled = cancelling.goOn()
  await untilOneWaits()
  const { claimed } = await claiming.goOn()
  expect(await cancelled).toBe(2)
  expect(claimed.map(({ eventId }) => eventId)).toEqual([event('two', [later]).eventId])
  for (const { deliveryId } of claimed)
    expect(await webhooks.findDelivery({ appId, deliveryId })).toMatchObject({ state: 'PENDING' })
})

test('a cancellation also finds what a removal gives to another endpoint meanwhile', async () => {
  const { webhooks } = storage
  await webhooks.registerEndpoint({ ...endpoint('heir'), url: hook.url }, 50)
  const { deliveries } = await webhooks.insertEvent(event('one', [hook]))
  const removal = await stoppedBefore('refresh_next_due', () => webhooks.removeEndpoint({ appId, endpointId }))
  const cancelling = webhooks.cancelPending(user)
  await untilOneWaits()
  expect(await removal.goOn()).toBe(true)
  expect(await cancelling).toBe(1)
  expect(deliveries).toHaveLength(1)
  for (const { deliveryId } of deliveries)
    expect(await webhooks.findDelivery({ appId, deliveryId })).toMatchObject({ state: 'CANCELLED', cancelReason: 'x' })
  expect((await webhooks.claimDue(claimRequest)).claimed).toEqual([])
})

test('a claim passes over an endpoint that a result holds, and then waits for it', async () => {
  const { webhooks } = storage
  await webhooks.insertEvent(event('one', [hook]))
  const { fence } = await claimOne()
  await webhooks.insertEvent(event('two', [hook]))
  const recording = await stoppedBefore('apply_results', () =>
    webhooks.recordAttemptResults([
      { fence, attempt: { state: 'FAILED', report }, next: { state: 'PENDING', delayMs: 60_000 } },
    ]),
  )
  const claiming = webhooks.claimDue(claimRequest)
  await untilOneWaits()
  expect(await recording.goOn()).toMatchObject({ stale: [] })
  expect((await claiming).claimed.map(({ eventId }) => eventId)).toEqual([event('two', [hook]).eventId])
  expect((await webhooks.claimDue(claimRequest)).nextDueInMs).toBeGreaterThan(50_000)
  expect(failures).toEqual([])
})

/** Locks the schedule of the endpoint, as an open claim does. */
async function holdSchedule() {
  const holder = await direct.connect()
  await holder.query('BEGIN')
  await holder.query('SELECT FROM kyc_relay_endpoint_schedules WHERE endpoint_id = $1 FOR NO KEY UPDATE', [endpointId])
  return {
    async letGo() {
      await holder.query('COMMIT')
      holder.release()
    },
  }
}

test('what is delivered is recorded while a claim holds the schedule, and gives its slot to the next claim', async () => {
  const { webhooks } = storage
  for (const name of ['one', 'two']) await webhooks.insertEvent(event(name, [hook]))
  const request = { ...claimRequest, maxInFlight: { healthy: 1, failing: 1 } }
  const { claimed } = await webhooks.claimDue(request)
  expect(claimed).toHaveLength(1)
  expect((await webhooks.claimDue(request)).claimed).toEqual([])
  const held = await holdSchedule()
  const [{ fence }] = claimed as [(typeof claimed)[number]]
  const recorded = await webhooks.recordAttemptResults([
    { fence, attempt: { state: 'SUCCEEDED', report }, next: { state: 'DELIVERED' } },
  ])
  expect(recorded).toMatchObject({ stale: [] })
  await held.letGo()
  const next = (await webhooks.claimDue(request)).claimed
  expect(next.map(({ eventId }) => eventId)).toEqual([event('two', [hook]).eventId])
  expect((await webhooks.claimDue(request)).claimed).toEqual([])
})

test('a result that ends a delivery and one that retries another of the same endpoint do not wait in a circle', async () => {
  const { webhooks } = storage
  for (const name of ['one', 'two']) await webhooks.insertEvent(event(name, [hook]))
  const { claimed } = await webhooks.claimDue(claimRequest)
  const [one, two] = claimed.map(({ fence }) => fence) as [Fence, Fence]
  const attempt = { state: 'FAILED', report } as const
  const retrying = await stoppedBefore('apply_results', () =>
    webhooks.recordAttemptResults([{ fence: one, attempt, next: { state: 'PENDING', delayMs: 60_000 } }]),
  )
  // The endpoint was healthy: this one changes its health too.
  const ending = webhooks.recordAttemptResults([{ fence: two, attempt, next: { state: 'FAILED' } }])
  await untilOneWaits()
  expect(await retrying.goOn()).toMatchObject({ stale: [] })
  expect(await ending).toMatchObject({ stale: [] })
  expect(failures).toEqual([])
})

/** Begins a claim that stands still between its snapshot and its first lock. */
async function claimThatLooksBack() {
  // In place of the server's clock one that waits: a statement asks for the time when its snapshot is taken.
  const holder = await direct.connect()
  await holder.query(`
    CREATE SCHEMA IF NOT EXISTS slow;
    CREATE OR REPLACE FUNCTION slow.statement_timestamp() RETURNS timestamptz LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock_shared(7);
      RETURN pg_catalog.statement_timestamp();
    END $$;
    SELECT pg_advisory_lock(7)`)
  const slowPool = new pg.Pool({ connectionString, max: 1 })
  const slow = await createPostgresStorage({ pool: slowPool }, { notify: false, migrations: 'require' })
  await slowPool.query('SET search_path = slow, pg_catalog, public')
  const claiming = slow.webhooks.claimDue(claimRequest)
  await untilOneWaits()
  return {
    async goOn() {
      await holder.query('SELECT pg_advisory_unlock(7)')
      holder.release()
      const { claimed } = await claiming
      await slow.close()
      await slowPool.end()
      return claimed
    },
  }
}

test('a retry that is recorded after a claim began to look is not forgotten', async () => {
  const { webhooks } = storage
  await webhooks.insertEvent(event('one', [hook]))
  const { fence } = await claimOne()
  await webhooks.insertEvent(event('two', [hook]))
  const claiming = await claimThatLooksBack()
  await webhooks.recordAttemptResults([
    { fence, attempt: { state: 'UNSENT', report }, next: { state: 'PENDING', delayMs: 60_000 } },
  ])
  expect((await claiming.goOn()).map(({ eventId }) => eventId)).toEqual([event('two', [hook]).eventId])
  expect((await webhooks.claimDue(claimRequest)).nextDueInMs).toBeGreaterThan(50_000)
})

test('a claim does not wait for the result of what another one claimed since it began to look', async () => {
  const { webhooks } = storage
  for (const name of ['one', 'two', 'three']) await webhooks.insertEvent(event(name, [hook]))
  const claiming = await claimThatLooksBack()
  const request = { ...claimRequest, limit: 2 }
  const { claimed } = await webhooks.claimDue(request)
  expect(claimed).toHaveLength(2)
  // A result that stands between the first of its deliveries and the second.
  const recording = await direct.connect()
  await recording.query('BEGIN')
  await recording.query('DELETE FROM kyc_relay_delivery_queue WHERE delivery_id = $1', [claimed[1]?.deliveryId])
  expect((await claiming.goOn()).map(({ eventId }) => eventId)).toEqual([event('three', [hook]).eventId])
  await recording.query('ROLLBACK')
  recording.release()
})

test('what was claimed is answered although the next look failed', async () => {
  const { webhooks } = storage
  const other = endpoint('b')
  await webhooks.registerEndpoint(other, 50)
  await webhooks.insertEvent(event('one', [hook, other]))
  const one = { ...claimRequest, limit: 1, keepForHealthy: 0 }
  expect(await webhooks.claimDue(one)).toMatchObject({ claimed: [{}], nextDueInMs: 0 })
  failing = 'find_due_endpoints'
  expect(await webhooks.claimDue(one)).toMatchObject({ claimed: [{}], nextDueInMs: 0 })
  expect(failing).toBeNull()
  failing = 'find_due_endpoints'
  await expect(webhooks.claimDue(one)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
})

test('a resend waits for the retention of its event, and finds nothing to send after it', async () => {
  const { webhooks, retention } = storage
  await webhooks.insertEvent(event('one', [hook]))
  const { fence, deliveryId } = await claimOne()
  const next = { state: 'DELIVERED' } as const
  await webhooks.recordAttemptResults([{ fence, attempt: { state: 'SUCCEEDED', report }, next }])
  await direct.query(`UPDATE kyc_relay_events SET created_at = created_at - interval '40 days'`)
  const removal = await stoppedBefore('retention_blank_bodies', () => retention.removeOld({ bodyAgeMs: 86_400_000 }))
  const resent = webhooks.resendDelivery({ appId, deliveryId, newDeliveryId: uuid('again') })
  await untilOneWaits()
  expect(await removal.goOn()).toMatchObject({ bodiesBlanked: 1 })
  expect(await resent).toBe('not_found')
})
