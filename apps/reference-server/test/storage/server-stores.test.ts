import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPostgresStorage } from '@kyc-relay/storage-drizzle/postgres'
import { createSqliteStorage } from '@kyc-relay/storage-drizzle/sqlite'
import type { StorageHarness } from '@kyc-relay/storage-drizzle/testing'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import {
  createMigratedDatabase,
  type MigratedDatabase,
} from '../../../../packages/storage-drizzle/test/engine/postgres/distributed-database.js'
import {
  guardDistribution,
  type DistributionGuard,
} from '../../../../packages/storage-drizzle/test/engine/postgres/distribution-guard.js'
import {
  emptyTables,
  startPostgres,
} from '../../../../packages/storage-drizzle/test/engine/postgres/postgres-server.js'
import { makeRuntimeUser } from '../../../../packages/storage-drizzle/test/engine/postgres/runtime-role.js'
import { startOfTests } from '../../../../packages/storage-drizzle/test/samples.js'
import { createServerStores as createOnPostgres } from '../../src/storage/postgres/index.js'
import { ownTables } from '../../src/storage/server-stores.js'
import { createServerStores as createOnSqlite } from '../../src/storage/sqlite/index.js'
import { operatorReadsCases, type OperatorReadsHandle } from './operator-reads-cases.js'
import { portalSessionCases, type PortalSessionsHandle } from './portal-session-cases.js'
import { queueInspectionCases, type QueueInspectionHandle } from './queue-inspection-cases.js'
import { verificationOverviewCases, type VerificationOverviewHandle } from './verification-overview-cases.js'

type Handle = OperatorReadsHandle & PortalSessionsHandle & QueueInspectionHandle & VerificationOverviewHandle

/** A clock that only `advance` moves. */
function harnessOf(open: (clock: () => Date) => ReturnType<StorageHarness<Handle>['open']>): StorageHarness<Handle> {
  let nowMs = startOfTests.getTime()
  return {
    open: () => open(() => new Date(nowMs)),
    advance: (ms) => Promise.resolve(void (nowMs += ms)),
  }
}

const ports = [
  ['PortalSessions', portalSessionCases],
  ['QueueInspection', queueInspectionCases],
  ['VerificationOverview', verificationOverviewCases],
  ['OperatorReads', operatorReadsCases],
] as const

describe.each(ports)('%s on SQLite', (_port, cases) => {
  for (const { id, name, run } of cases)
    test(`${id} ${name}`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'kyc-relay-portal-'))
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
      const options = { ownTables: ownTables('sqlite') }
      const open = async (clock: () => Date) => {
        const storage = await createSqliteStorage({ path: join(folder, 'kyc.db') }, { ...options, clock })
        return { ...storage, ...createOnSqlite(storage.database, clock) }
      }
      await run(harnessOf(open))
    })
})

// As the rights are that the package ships for running: the owner alone migrates.
describe.each(ports)('%s on PostgreSQL', (_port, cases) => {
  let owner: pg.Pool
  let end: () => Promise<void>
  let connectionString: string

  beforeAll(async () => {
    const server = await startPostgres()
    const database = await server.createDatabase()
    owner = new pg.Pool({ connectionString: database, max: 2 })
    const migrated = await createPostgresStorage({ connectionString: database }, { ownTables: ownTables('postgres') })
    await migrated.close()
    const user = await makeRuntimeUser(owner, database, 'portal_')
    connectionString = user.connectionString
    end = async () => {
      await user.remove()
      await owner.end()
      await server.stop()
    }
  })
  afterAll(() => end())
  beforeEach(() => emptyTables(owner))

  for (const { id, name, run } of cases)
    test(`${id} ${name}`, async () => {
      const options = { ownTables: ownTables('postgres'), migrations: 'require' } as const
      const open = async (clock: () => Date) => {
        const storage = await createPostgresStorage({ connectionString, maxConnections: 4 }, { ...options, clock })
        return { ...storage, ...createOnPostgres(storage.database, clock) }
      }
      await run(harnessOf(open))
    })
})

// The mode for distributed tables: on a real Citus with TEST_CITUS_URL, else under the guard. Sessions stay on one node.
const guard: DistributionGuard = { refused: new Set(), readsOverAll: new Set() }

describe.each(ports.filter(([port]) => port !== 'PortalSessions'))('%s as if distributed', (_port, cases) => {
  let database: MigratedDatabase
  let pool: pg.Pool

  beforeAll(async () => {
    database = await createMigratedDatabase({ distributed: true })
    pool = new pg.Pool({ connectionString: database.connectionString, max: 4 })
    guardDistribution(pool, guard)
  })
  afterAll(async () => {
    await pool.end()
    await database.stop()
  })
  beforeEach(() => database.empty(pool))

  for (const { id, name, run } of cases)
    test(`${id} ${name}`, async () => {
      const options = { migrations: 'require', notify: false, distributed: true } as const
      const open = async (clock: () => Date) => {
        const storage = await createPostgresStorage({ pool }, { ...options, clock })
        return { ...storage, ...createOnPostgres(storage.database, clock, { distributed: true }) }
      }
      await run(harnessOf(open))
    })
})

// Each of these asks every node. The list is that of docs/scaling.md.
test('only known reads of the server are over all shards', () => {
  const known = [
    // For metrics: what waits, what is in flight and what is due.
    'kyc_relay_delivery_queue kyc_relay_due_notices kyc_relay_endpoint_schedules',
    // An operator's lists over all apps.
    'kyc_relay_deliveries',
    'kyc_relay_delivery_queue kyc_relay_endpoint_schedules',
    'kyc_relay_events',
    // A transaction by its id.
    'kyc_relay_transactions',
    // Verifications of all users, or of an app; one by its id.
    'kyc_relay_verifications',
  ]
  expect([...guard.readsOverAll].sort()).toEqual(known.sort())
})
