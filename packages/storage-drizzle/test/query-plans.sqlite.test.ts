import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { createLocalCipher, createKeyFile, parseKeyFile } from '@kyc-relay/kyc-core/node'
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { prepareClaiming } from '../src/webhooks/claim-statements.sqlite.js'
import { createSqliteStorage, createSqliteVault } from '../src/sqlite/index.js'
import { migrate } from '../src/engine/sqlite/migrate.js'
import { prepareResultStatements } from '../src/webhooks/attempt-results.sqlite.js'
import { auditSeal } from './audit/audit-samples.js'
import { endpoint, uuid } from './samples.js'
import { orderedFilters, selectiveFilters } from './webhooks/log-filters.js'

/** What is prepared on a connection from now on. */
function listenToPrepare(database: Database.Database): ReadonlySet<string> {
  const prepared = new Set<string>()
  const prepare = database.prepare.bind(database)
  database.prepare = (source: string) => {
    prepared.add(source)
    return prepare(source)
  }
  return prepared
}

/** Every statement that the stores prepare. */
async function preparedStatements() {
  const database = new Database(':memory:')
  const prepared = listenToPrepare(database)
  const storage = await createSqliteStorage({ database }, { audit: auditSeal })
  const cipher = createLocalCipher({ keys: parseKeyFile(createKeyFile({ randomBytes, now: new Date() })) })
  await createSqliteVault({ database }, { cipher, audit: auditSeal })
  const appId = endpoint('a').appId
  const range = { appId, endpointId: uuid('x'), since: new Date(1), until: new Date(2), eventTypes: null }
  await storage.webhooks.registerEndpoint({ ...endpoint('a'), endpointId: range.endpointId }, 5)
  const recovery = { appId, recoveryId: uuid('recovery') }
  await storage.recoveries.startRecovery({ ...range, ...recovery })
  await storage.recoveries.listRunning({ limit: 5 })
  await storage.recoveries.findNextStep({ ...recovery, mostWaiting: 5 })
  const after = { createdAt: new Date(1), position: 1 }
  for (const place of [null, after]) await storage.recoveries.listEvents({ ...range, after: place, limit: 5 })
  const skipped = { acknowledged: 0, pending: 0, scope: 0, erased: 0 }
  const deliveries = [{ deliveryId: uuid('d'), eventId: uuid('e'), xEventId: uuid('x') }]
  await storage.recoveries.writeStep({ ...range, ...recovery, after: null, next: after, skipped, deliveries })
  await storage.recoveries.stopRecovery(recovery)
  for (const filter of [...orderedFilters, ...selectiveFilters])
    await storage.webhooks.listDeliveries({ appId, limit: 10, ...filter })
  const ours = [...prepared].filter((source) => /^\s*(select|insert|update|delete|with)\b/i.test(source))
  return { database, statements: ours.filter((source) => !/sqlite_schema|_migrations/.test(source)) }
}

function planOf(database: Database.Database, statement: string): string[] {
  const plan = database.prepare(`EXPLAIN QUERY PLAN ${statement}`)
  const unnamed = Array.from(statement.matchAll(/\?/g), () => null)
  const named = Object.fromEntries(Array.from(statement.matchAll(/[@:$]([a-z]\w*)/gi), ([, name]) => [name, null]))
  return (plan.all(...unnamed, named) as { detail: string }[]).map((row) => row.detail)
}

/** Steps that look at every row of a table or sort what they read. */
function slowSteps(plan: readonly string[]): string[] {
  return plan.filter(
    (step) =>
      (step.startsWith('SCAN') &&
        !/json_each|CONSTANT ROW|bounded_rows|schedules_paused|recoveries_in_order/.test(step)) ||
      step.includes('TEMP B-TREE'),
  )
}

/** The first API key of all: read once, at the start, and there are as many keys as apps have versions. */
const readAtStart = /from "kyc_relay_api_keys" where .* order by "kyc_relay_api_keys"."created_at"/

/** The types that wait for a removed endpoint: a handful, kept in memory. Changing an endpoint is rare. */
const ofRemovedEndpoint = /^select distinct "event_type" from "kyc_relay_deliveries"/

/** A page of the log with a filter that leaves a few rows. */
const ofFewRows = /\+"kyc_relay_deliveries"\."app_id"/

/** The access tokens of one user, in a fixed order for the export. */
const ofOneUser = /^select .* from "kyc_relay_access_tokens" where .* order by "kyc_relay_access_tokens"."expires_at"/

/** Users of an app who share a value: compared over all its tokens, when an operator asks. */
const ofDuplicates = /from "kyc_relay_vault_tokens" where .* having count\(DISTINCT/

test('no statement of the stores reads a whole table or sorts', async () => {
  const { database, statements } = await preparedStatements()
  expect(statements.length).toBeGreaterThan(70)
  const slow = statements.flatMap((statement) => {
    if ([readAtStart, ofRemovedEndpoint, ofOneUser, ofDuplicates].some((one) => one.test(statement))) return []
    const steps = slowSteps(planOf(database, statement)).filter(
      (step) => !(step.includes('TEMP B-TREE') && ofFewRows.test(statement)),
    )
    return steps.length === 0 ? [] : [{ statement, steps }]
  })
  expect(slow).toEqual([])
})

test('the same look at plans notices a missing index', async () => {
  const { database } = await preparedStatements()
  const claim =
    'SELECT position FROM kyc_relay_deliveries WHERE endpoint = ? AND class = ? AND due_at IS NOT NULL ORDER BY due_at'
  expect(slowSteps(planOf(database, claim))).toEqual([])
  database.exec('DROP INDEX kyc_relay_deliveries_waiting; DROP INDEX kyc_relay_deliveries_of_endpoint')
  expect(slowSteps(planOf(database, claim))).not.toEqual([])
})

// By their text, as SQLite does not tell how often it plans.
test('no statement that runs for every delivery is planned anew at each run or opens a temporary table', () => {
  const database = new Database(':memory:')
  migrate(database, 'sqlite', { now: () => new Date(0) })
  const prepared = listenToPrepare(database)
  prepareClaiming(database)
  prepareResultStatements(database, drizzle(database))
  expect(prepared.size).toBeGreaterThan(12)
  expect([...prepared].filter((source) => /\bLIMIT \?(?! \+ 0)|\bRETURNING\b/.test(source))).toEqual([])
})
