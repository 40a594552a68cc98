import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPostgresStorage, type PostgresStorage } from '../../src/postgres/index.js'
import { submission, uuid } from '../samples.js'
import { startPostgres, type PostgresServer } from '../engine/postgres/postgres-server.js'
import { auditSeal } from './audit-samples.js'

// Writers that each stand still before their commit, with the entry of their submission written.

let server: PostgresServer
let pool: pg.Pool
let storage: PostgresStorage
/** Stops transactions before their commit until so many wait there. */
let barrier: { readonly writers: number; readonly waiting: (() => void)[] } | null = null

beforeAll(async () => {
  server = await startPostgres()
  pool = new pg.Pool({ connectionString: await server.createDatabase(), max: 12 })
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>
    client.query = (async (...args: unknown[]) => {
      if (args[0] === 'COMMIT' && barrier !== null) await waitBefore(barrier)
      return query(...args)
    }) as typeof client.query
  })
  storage = await createPostgresStorage({ pool }, { audit: auditSeal, notify: false })
})
afterAll(async () => {
  await storage.close()
  await pool.end()
  await server.stop()
})

async function waitBefore({ writers, waiting }: NonNullable<typeof barrier>): Promise<void> {
  await new Promise<void>((resolve) => {
    waiting.push(resolve)
    if (waiting.length === writers) for (const go of waiting) go()
  })
}

const record = (userId: string, name: string) =>
  storage.verifications.record(submission(`${userId} ${name}`, { key: { userId } }))

/** Users by the chain of their entries. */
async function usersByChain(): Promise<ReadonlyMap<number, readonly string[]>> {
  const users = Array.from({ length: 60 }, (_, n) => uuid(`user ${n}`))
  for (const userId of users) await record(userId, 'first')
  const { rows } = await pool.query<{ chain: number; users: string[] }>(
    `SELECT chain, array_agg(user_id) AS users FROM kyc_relay_audit_entries
     WHERE kind = 'VERIFICATION_RECORDED' GROUP BY chain`,
  )
  return new Map(rows.map((row) => [row.chain, row.users]))
}

test('eight writers of different chains all reach their commit at once; a second one of a chain waits', async () => {
  const chains = [...(await usersByChain()).values()].filter(({ length }) => length > 1).slice(0, 8)
  expect(chains).toHaveLength(8)
  const firstOf = (users: readonly string[], index: number) => users[index] ?? ''

  barrier = { writers: 8, waiting: [] }
  await Promise.all(chains.map((users) => record(firstOf(users, 0), 'second')))
  expect(barrier.waiting).toHaveLength(8)

  barrier = { writers: 3, waiting: [] }
  const [one = [], other = []] = chains
  const recorded = [firstOf(one, 0), firstOf(one, 1), firstOf(other, 0)].map((userId) => record(userId, 'third'))
  const blocked = `SELECT FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE NOT granted AND datname = current_database()`
  const { waiting } = barrier
  await expect.poll(async () => (await pool.query(blocked)).rowCount, { interval: 5 }).toBe(1)
  await expect.poll(() => waiting.length, { interval: 5 }).toBe(2)
  barrier = null
  for (const go of waiting) go()
  await Promise.all(recorded)
})
