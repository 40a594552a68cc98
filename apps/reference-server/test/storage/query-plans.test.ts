import { createPostgresStorage } from '@kyc-relay/storage-drizzle/postgres'
import { createSqliteStorage } from '@kyc-relay/storage-drizzle/sqlite'
import type { AuditLog } from '@kyc-relay/kyc-core/audit'
import Database from 'better-sqlite3'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { auditSeal } from '../../../../packages/storage-drizzle/test/audit/audit-samples.js'
import {
  startPostgres,
  type PostgresServer,
} from '../../../../packages/storage-drizzle/test/engine/postgres/postgres-server.js'
import { transactionMove, uuid } from '../../../../packages/storage-drizzle/test/samples.js'
import { listAuditEntries } from '../../src/operator-api/audit-entries.js'
import type { OperatorReads } from '../../src/storage/operator-reads.js'
import { createServerStores as createOnPostgres } from '../../src/storage/postgres/index.js'
import { ownTables } from '../../src/storage/server-stores.js'
import { createServerStores as createOnSqlite } from '../../src/storage/sqlite/index.js'
import type { VerificationOverview } from '../../src/storage/verification-overview.js'

const appId = uuid('app')
const before = { createdAt: new Date(1), position: 1 }

/** Each read of an operator, with each of its filters, first and later pages. */
const reads: Readonly<Record<string, (reads: OperatorReads, audit: AuditLog) => Promise<unknown>>> = {
  apps: (on) => on.listApps({ after: appId, limit: 5 }),
  'users of an app': (on) => on.listUsers({ appId, after: uuid('user'), limit: 5 }),
  'users of an app by external id': (on) => on.listUsers({ appId, externalReferenceId: 'r', limit: 5 }),
  'deliveries over all apps': (on) => on.listDeliveries({ limit: 5 }),
  'deliveries over all apps, later page': (on) => on.listDeliveries({ before, limit: 5 }),
  'deliveries of an app': (on) => on.listDeliveries({ appId, before, limit: 5 }),
  'deliveries of an endpoint': (on) => on.listDeliveries({ endpointId: uuid('endpoint'), before, limit: 5 }),
  'deliveries of a type': (on) => on.listDeliveries({ eventType: 'TRANSACTION_CREATE', before, limit: 5 }),
  'pending deliveries': (on) => on.listDeliveries({ state: 'PENDING', before, limit: 5 }),
  'failed deliveries': (on) => on.listDeliveries({ state: 'FAILED', before, limit: 5 }),
  'withheld events over all apps': (on) => on.listWithheld({ limit: 5 }),
  'withheld events of an app': (on) => on.listWithheld({ appId, before, limit: 5 }),
  'queue over all apps': (on) => on.listQueue({ limit: 5 }),
  'queue of an app': (on) => on.listQueue({ appId, after: { appId, endpointId: uuid('endpoint') }, limit: 5 }),
  'a transaction': (on) => on.findTransaction(uuid('transaction one')),
  'the audit log': (_on, audit) => listAuditEntries(audit, { place: null, isWanted: () => true, limit: 5 }),
}

/** Each filter of the list of an app's verifications, with the index that finds its rows. */
const filters: readonly (readonly [index: string, page: Partial<Parameters<VerificationOverview['listOfApp']>[0]>])[] =
  [
    ['of_app', {}],
    ['of_app_by_result', { resultStatus: 'ALREADY_VERIFIED' }],
    ['of_user', { userId: uuid('user') }],
    ['of_user', { userId: uuid('user'), resultStatus: 'DECLINED' }],
    ['external_id', { externalVerificationId: 'one', resultStatus: 'VERIFIED' }],
  ]

/** Statements that a read runs, with its parameters. */
type Statement = readonly [text: string, values: readonly unknown[]]

/** Steps that read a whole table. */
function scans(prepare: Database.Database['prepare'], statements: Iterable<string>): readonly string[] {
  const steps = [...statements].flatMap((source) => {
    const nulls = Array.from(source.matchAll(/\?/g), () => null)
    return (prepare(`EXPLAIN QUERY PLAN ${source}`).all(...nulls) as { detail: string }[]).map(({ detail }) => detail)
  })
  // Apps (a), endpoints (p) and their schedules (s) are as many as partners made: they do not grow with deliveries.
  return steps.filter((step) => /^SCAN (?!a\b|s\b|p\b|d$|w$|\(|CONSTANT ROW)/.test(step))
}

describe('reads of an operator on SQLite', () => {
  test.each(Object.entries(reads))('%s: by an index', async (_name, read) => {
    const database = new Database(':memory:')
    const storage = await createSqliteStorage({ database }, { audit: auditSeal, ownTables: ownTables('sqlite') })
    onTestFinished(() => storage.close())
    await storage.transactions.moveTransaction(transactionMove('one', []))
    const seen = new Set<string>()
    const prepare = database.prepare.bind(database)
    database.prepare = (source: string) => {
      seen.add(source)
      return prepare(source)
    }
    // The log prepares its statements once.
    const audit = storage.audit!
    await read(createOnSqlite(storage.database, () => new Date(2)).operatorReads, audit)
    expect(scans(prepare, seen)).toEqual([])
    // The same look notices a missing index.
    expect(scans(prepare, ['SELECT 1 FROM kyc_relay_events WHERE type = ?'])).not.toEqual([])
  })
})

describe('the list of verifications of an app on SQLite', () => {
  test.each(filters)('%s finds the rows of %j', async (index, page) => {
    const database = new Database(':memory:')
    const storage = await createSqliteStorage({ database }, { ownTables: ownTables('sqlite') })
    onTestFinished(() => storage.close())
    const prepared: string[] = []
    const prepare = database.prepare.bind(database)
    database.prepare = (source: string) => {
      prepared.push(source)
      return prepare(source)
    }
    const { overview } = createOnSqlite(storage.database, () => new Date(2))
    await overview.listOfApp({ appId, after: uuid('verification'), limit: 5, ...page })
    const source = prepared.find((text) => text.includes('kyc_relay_verifications')) ?? ''
    const nulls = Array.from(source.matchAll(/\?/g), () => null)
    const steps = prepare(`EXPLAIN QUERY PLAN ${source}`).all(...nulls) as { detail: string }[]
    expect(steps[0]?.detail).toMatch(new RegExp(`^SEARCH .*_${index} \\(`))
  })
})

describe('reads of an operator on PostgreSQL', () => {
  let server: PostgresServer
  let pool: pg.Pool
  let storage: Awaited<ReturnType<typeof createPostgresStorage>>
  let seen: Statement[] = []

  beforeAll(async () => {
    server = await startPostgres()
    pool = new pg.Pool({ connectionString: await server.createDatabase(), max: 2 })
    pool.on('connect', (client) => {
      const query = client.query.bind(client)
      client.query = ((config: unknown, ...rest: unknown[]) => {
        if (typeof config === 'object' && config !== null && 'text' in config) {
          const values = 'values' in config ? config.values : rest[0]
          seen.push([String(config.text), Array.isArray(values) ? values : []])
        }
        return Reflect.apply(query, client, [config, ...rest]) as unknown
      }) as typeof client.query
    })
    const options = { audit: auditSeal, notify: false, ownTables: ownTables('postgres') }
    storage = await createPostgresStorage({ pool }, options)
    await storage.transactions.moveTransaction(transactionMove('one', []))
  })
  afterAll(async () => {
    await storage.close()
    await pool.end()
    await server.stop()
  })

  /** Steps that read a whole table, where the planner must take an index if there is one. */
  async function wholeTables(statements: readonly Statement[]): Promise<readonly string[]> {
    const client = await pool.connect()
    try {
      await client.query('BEGIN; SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off')
      const steps: string[] = []
      for (const [text, values] of statements) {
        if (!/^\s*(?:select|with)\b/i.test(text)) continue
        const { rows } = await client.query<{ 'QUERY PLAN': string }>({ text: `EXPLAIN ${text}`, values: [...values] })
        steps.push(...rows.map((row) => row['QUERY PLAN'].trim()))
      }
      // An index scan without a condition reads all of its index. Apps, schedules and heads do not grow with deliveries.
      return steps.filter((step, index) => {
        if (/Seq Scan on kyc_relay/.test(step)) return true
        if (!/Index (?:Only )?Scan .* on kyc_relay_(?!apps|endpoint_schedules|audit_heads)/.test(step)) return false
        return !(steps[index + 1] ?? '').startsWith('Index Cond')
      })
    } finally {
      await client.query('ROLLBACK')
      client.release()
    }
  }

  test.each(Object.entries(reads))('%s: by an index', async (name, read) => {
    seen = []
    await read(createOnPostgres(storage.database, () => new Date(2)).operatorReads, storage.audit!)
    const statements = [...seen]
    expect([name, statements.filter(([text]) => /kyc_relay/.test(text)).length]).not.toEqual([name, 0])
    expect(await wholeTables(statements)).toEqual([])
  })

  test.each(filters)('%s finds the rows of %j in the list of an app', async (index, page) => {
    seen = []
    const { overview } = createOnPostgres(storage.database, () => new Date(2))
    await overview.listOfApp({ appId, after: uuid('verification'), limit: 5, ...page })
    const [text, values] = seen.find(([asked]) => asked.includes('kyc_relay_verifications')) ?? ['', []]
    const client = await pool.connect()
    try {
      await client.query('BEGIN; SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off')
      const { rows } = await client.query<{ 'QUERY PLAN': string }>({ text: `EXPLAIN ${text}`, values: [...values] })
      const steps = rows.map((row) => row['QUERY PLAN']).join(' ')
      expect([index, steps.match(/Index (?:Only )?Scan using kyc_relay_verifications_(\w+)/)?.[1]]).toEqual([
        index,
        index === 'external_id' ? expect.any(String) : index,
      ])
    } finally {
      await client.query('ROLLBACK')
      client.release()
    }
  })

  test('the same look notices a missing index', async () => {
    for (const condition of ['withheld = $1', 'type = $1']) {
      const statement = [`SELECT 1 FROM kyc_relay_events WHERE ${condition}`, ['x']] as const
      expect([condition, await wholeTables([statement])]).not.toEqual([condition, []])
    }
  })
})
