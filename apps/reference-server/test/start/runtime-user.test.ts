import { createPostgresStorage, createPostgresVault } from '@kyc-relay/storage-drizzle/postgres'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  pgbouncerProgram,
  startPgbouncer,
} from '../../../../packages/storage-drizzle/test/engine/postgres/pgbouncer.js'
import {
  startPostgres,
  type PostgresServer,
} from '../../../../packages/storage-drizzle/test/engine/postgres/postgres-server.js'
import { makeRuntimeUser } from '../../../../packages/storage-drizzle/test/engine/postgres/runtime-role.js'
import { ownTables } from '../../src/storage/server-stores.js'
import { createPortalClient } from '../portal/portal-client.js'
import { startTestServer, submissionDocument, submissionVariables } from '../running-server.js'
import { cipher } from '../../../../packages/storage-drizzle/test/vault/any-cipher.js'

let postgres: PostgresServer

beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

/** A database whose tables the owner made, and a user with the rights that are shipped. */
async function makeDatabase(open: (connectionString: string) => Promise<{ close(): Promise<void> }>) {
  const connectionString = await postgres.createDatabase()
  await (await open(connectionString)).close()
  const owner = new pg.Pool({ connectionString, max: 1 })
  const user = await makeRuntimeUser(owner, connectionString, 'portal_')
  return {
    url: user.connectionString,
    async remove() {
      await user.remove()
      await owner.end()
    },
  }
}

const ways = pgbouncerProgram === null ? ['directly'] : ['directly', 'through PgBouncer in transaction mode']
if (pgbouncerProgram === null) console.warn('SKIPPED: pgbouncer is not installed, so nothing is tested behind it.')

test.each(ways)('a server works as a user without DDL, %s', async (way) => {
  const databases = await Promise.all([
    makeDatabase((connectionString) =>
      createPostgresStorage({ connectionString }, { ownTables: ownTables('postgres') }),
    ),
    makeDatabase((connectionString) => createPostgresVault({ connectionString }, { cipher })),
  ])
  const poolers = way === 'directly' ? [] : await Promise.all(databases.map(({ url }) => startPgbouncer(url)))
  const [business, vault] =
    poolers.length === 0 ? databases.map(({ url }) => url) : poolers.map((one) => one.connectionString)
  const server = await startTestServer({
    DATABASE_URL: business!,
    VAULT_DATABASE_URL: vault!,
    DATABASE_MIGRATIONS: 'require',
    DATABASE_TRANSACTION_POOLER: poolers.length === 0 ? '0' : '1',
  })
  const { demo } = server
  const [user] = demo.users
  const internal = { token: demo.internalToken }
  const submitted = await server.graphql('secure', { query: submissionDocument, variables: submissionVariables() })
  expect(submitted.json).toMatchObject({ data: { postKycVerification: { status: 'VERIFIED' } } })
  expect((await server.call(`${demo.apiUrl}/readyz`)).json).toMatchObject({
    status: 'ready',
    parts: { database: 'ok', vault: 'ok', worker: 'ok' },
  })
  const browser = createPortalClient(server)
  await browser.signIn()
  expect((await browser.get('/portal/webhooks')).status).toBe(200)
  const published = await server.call(`${demo.internalUrl}/internal/v1/events`, {
    ...internal,
    body: { appId: user!.appId, userId: user!.userId, eventType: 'WIDGET_DEPOSIT_COMPLETE', data: { amount: 100.5 } },
  })
  expect(published.json).toMatchObject({ eventId: expect.any(String) as string })
  const erased = await server.call(`${demo.internalUrl}/internal/v1/users/${user!.userId}/pii`, {
    ...internal,
    method: 'DELETE',
    body: { purpose: 'request of the user' },
  })
  expect(erased.status).toBeLessThan(300)
  await server.stop()
  const failures = server.logLines.filter((line) => line.includes('driverCode') || line.includes('"level":50'))
  expect(failures).toEqual([])
  for (const pooler of poolers) await pooler.stop()
  for (const database of databases) await database.remove()
})
