import { createHash } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createPostgresStorage } from '../../../src/postgres/index.js'
import { auditSeal, verify } from '../../audit/audit-samples.js'
import { StorageError } from '../../../src/storage-error.js'
import { createStartingRows, hook, other, writes } from '../../one-write-of-each-kind.js'
import { claimRequest, uuid } from '../../samples.js'
import { emptyTables, startPostgres, type PostgresServer } from './postgres-server.js'

let server: PostgresServer
let direct: pg.Pool
let connectionString: string

beforeAll(async () => {
  server = await startPostgres()
  connectionString = await server.createDatabase()
  await (await createPostgresStorage({ connectionString }, { notify: false })).close()
  direct = new pg.Pool({ connectionString, max: 1 })
})
afterAll(async () => {
  await direct.end()
  await server.stop()
})
beforeEach(() => emptyTables(direct))

/** What the server answers in place of the n-th statement: its disk is full. */
const diskFull = `DO $$ BEGIN RAISE EXCEPTION '078-05-1120 in a driver message' USING ERRCODE = '53100'; END $$`

/** A pool whose n-th executed statement fails at the server, BEGIN and COMMIT included. Counts from `arm`; -1 never fails. */
function failingPool() {
  const pool = new pg.Pool({ connectionString, max: 2 })
  let left = -1
  let executed = 0
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...parameters: unknown[]) => unknown
    const failing = (...parameters: unknown[]) => {
      // Only asked for after a statement that took long, so it is none of those counted.
      if (parameters[0] === 'DISCARD PLANS') return query(...parameters)
      executed++
      if (left > 0) left--
      else if (left === 0) {
        left = -1
        return query(diskFull, ...parameters.filter((parameter) => typeof parameter === 'function'))
      }
      return query(...parameters)
    }
    client.query = failing as typeof client.query
  })
  return {
    pool,
    arm(after: number) {
      left = after
      executed = 0
    },
    executed: () => executed,
  }
}

/**
 * What is in every table of ours. Left out is when endpoints have something due, which a claim first folds from one table
 * into the other, and which says the same in both.
 */
async function dumpRows(): Promise<string> {
  const { rows } = await direct.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relname LIKE 'kyc\\_relay\\_%'
      AND relname NOT IN ('kyc_relay_due_notices', 'kyc_relay_endpoint_schedules')
      AND relnamespace = current_schema()::regnamespace ORDER BY relname`,
  )
  const dumps = rows.map(
    ({ name }) => `SELECT '${name}' AS name, string_agg(t::text, E'\n' ORDER BY t::text) AS rows FROM ${name} t`,
  )
  const dump = (await direct.query<{ name: string; rows: string }>(dumps.join(' UNION ALL '))).rows
  return dump
    .map(
      ({ name, rows: content }) =>
        `${name} ${createHash('md5')
          .update(content ?? '')
          .digest('hex')
          .slice(0, 6)}`,
    )
    .join('\n')
}

// Retention removes each kind in a statement of its own, so that no step holds its locks for long; a claim of deliveries is
// below.
const atomicWrites = writes.filter(({ name }) => name !== 'removeOld' && name !== 'claimDue')

/** A store on a pool that can fail, with the rows that every write begins with. */
async function openWithRows() {
  const failing = failingPool()
  onTestFinished(() => failing.pool.end())
  const starting = createStartingRows()
  const storage = await createPostgresStorage(
    { pool: failing.pool },
    { audit: auditSeal, notify: false, migrations: 'require', ...starting.options },
  )
  onTestFinished(() => storage.close())
  await starting.write(storage)
  return { failing, storage }
}

const dueDeliveries = [hook, other].map(({ endpointId }) => uuid(`delivery three ${endpointId}`)).sort()

describe('a failure at every statement', () => {
  test.each(atomicWrites)('of $name leaves nothing behind, and the same call works afterwards', async ({ run }) => {
    const { failing, storage } = await openWithRows()
    const before = await dumpRows()
    let failed = 0
    for (let at = 0; ; at++) {
      failing.arm(at)
      const outcome = await run(storage).then(
        () => 'done',
        (error: unknown) => error,
      )
      if (outcome === 'done') {
        expect(failing.executed()).toBeLessThanOrEqual(at)
        break
      }
      failed++
      expect(outcome).toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true, driverCode: '53100' })
      expect(`${String(outcome)} ${JSON.stringify(outcome)}`).not.toContain('078-05-1120')
      expect(await dumpRows()).toBe(before)
    }
    failing.arm(-1)
    expect(failed).toBeGreaterThanOrEqual(1)
    expect(await dumpRows()).not.toBe(before)
    expect((await verify(storage.audit!)).findings).toEqual([])
  })

  // One that fails later looks for more, after what it claimed was committed: that must reach its caller all the same.
  test('of claimDue leaves nothing behind, or what was claimed is answered', async () => {
    let failed = 0
    for (let at = 0; ; at++) {
      await emptyTables(direct)
      const { failing, storage } = await openWithRows()
      const before = await dumpRows()
      failing.arm(at)
      const outcome = await storage.webhooks.claimDue(claimRequest).catch((error: unknown) => error)
      if (outcome instanceof StorageError) {
        failed++
        expect(outcome).toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true, driverCode: '53100' })
        expect(await dumpRows()).toBe(before)
      } else {
        const { claimed } = outcome as Awaited<ReturnType<typeof storage.webhooks.claimDue>>
        expect(claimed.map(({ deliveryId }) => deliveryId).sort()).toEqual(dueDeliveries)
      }
      if (failing.executed() <= at) break
    }
    expect(failed).toBeGreaterThanOrEqual(1)
  })
})
