import { createKeyFile, createLocalCipher, parseKeyFile } from '@kyc-relay/kyc-core/node'
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { begin } from '../src/engine/postgres/database.js'
import { createPostgresStorage, createPostgresVault } from '../src/postgres/index.js'
import { auditSeal, verify } from './audit/audit-samples.js'
import { claimRequest, endpoint, event, report, submission, transactionMove, uuid } from './samples.js'
import { orderedFilters, selectiveFilters } from './webhooks/log-filters.js'
import { startPostgres, type PostgresServer } from './engine/postgres/postgres-server.js'

let server: PostgresServer
let connectionString: string
let client: pg.Client
let statements: ReadonlyMap<string, string>

beforeAll(async () => {
  server = await startPostgres()
  connectionString = await server.createDatabase()
  client = new pg.Client({ connectionString })
  await client.connect()
  statements = await statementsOfStores()
})
afterAll(async () => {
  await client.end()
  await server.stop()
})

/** Uses every method of the stores once, and answers the prepared statements that pg was given. */
async function statementsOfStores(): Promise<Map<string, string>> {
  const seen = new Map<string, string>()
  let list: string | null = null
  const pool = new pg.Pool({ connectionString, max: 3 })
  pool.on('connect', (connected) => {
    const query = connected.query.bind(connected)
    connected.query = ((config: unknown, ...rest: unknown[]) => {
      if (typeof config === 'object' && config !== null && 'name' in config && 'text' in config) {
        // A page of the log has no name: it is planned for its filters.
        const name = config.name ?? list
        if (typeof name === 'string') seen.set(name, String(config.text))
      }
      return Reflect.apply(query, connected, [config, ...rest]) as unknown
    }) as typeof connected.query
  })
  const storage = await createPostgresStorage({ pool }, { audit: auditSeal, notify: false })
  const { verifications, photoJobs, webhooks, apps, transactions, users, retention, audit, close } = storage
  const cipher = createLocalCipher({ keys: parseKeyFile(createKeyFile({ randomBytes, now: new Date() })) })
  const vault = await createPostgresVault({ pool }, { cipher, audit: auditSeal })
  const hook = endpoint('a')
  const { appId } = hook
  const userId = uuid('user')
  const owner = { appId, userId }

  await verifications.record(submission('one'))
  await verifications.record(submission('one'))
  await verifications.findVerification(owner, uuid('verification one'))
  await verifications.listVerifications(owner, { limit: 5 })
  await verifications.findReferencedTokens([{ ...owner, token: 'tok_x' }])
  await verifications.findKycStatus(userId)
  await webhooks.registerEndpoint(hook, 5)
  await webhooks.listEndpoints(appId)
  await webhooks.insertEvent(event('one', [hook], { sourceEventId: 's' }))
  await webhooks.insertEvent(event('two', [hook], { sourceEventId: 's' }))
  const { claimed } = await webhooks.claimDue({ ...claimRequest, leaseMs: 0 })
  await webhooks.claimDue(claimRequest)
  const [expired] = await webhooks.claimExpired({ limit: 5, leaseMs: 45_000 })
  const retry = { state: 'PENDING', delayMs: 0 } as const
  await webhooks.recordAttemptResults([
    { fence: (expired ?? claimed[0])!.fence, attempt: { state: 'FAILED', report }, next: retry },
  ])
  for (const { fence } of (await webhooks.claimDue(claimRequest)).claimed)
    await webhooks.recordAttemptResults([
      { fence, attempt: { state: 'SUCCEEDED', report }, next: { state: 'DELIVERED' } },
    ])
  const deliveryId = claimed[0]!.deliveryId
  await webhooks.findDelivery({ appId, deliveryId })
  await webhooks.resendDelivery({ appId, deliveryId, newDeliveryId: uuid('again') })
  for (const [index, filter] of [...orderedFilters, ...selectiveFilters].entries()) {
    list = `list_${index}`
    const { nextCursor } = await webhooks.listDeliveries({ appId, limit: 1, ...filter })
    if (nextCursor === null) continue
    list = `list_${index}_after`
    await webhooks.listDeliveries({ appId, limit: 1, cursor: nextCursor, ...filter })
  }
  list = null
  await webhooks.cancelPending({ ...owner, reason: 'x' })
  await webhooks.removeEndpoint({ appId, endpointId: hook.endpointId })
  const at = new Date()
  const key = {
    appId,
    version: 1,
    hash: randomBytes(32),
    sealed: randomBytes(8),
    createdAt: at,
    signsFrom: at,
    retiredAt: null,
  }
  await apps.createApp({ appId, name: 'a', firstKey: key })
  await apps.findApp(appId)
  await apps.findApiKey(key.hash, at)
  await apps.listApiKeys([appId], at)
  await apps.addApiKey({ ...key, version: 2, hash: randomBytes(32), signsFrom: new Date(at.getTime() + 60_000) })
  await apps.activateApiKey({ appId, now: at, retireOldAt: at })
  await apps.putGrant({ ...owner, accountId: uuid('account'), externalReferenceId: 'r', scopes: [] })
  await apps.findGrants([owner])
  await apps.listGrantsOfUser(userId)
  await apps.addAccessToken({ ...owner, hash: randomBytes(32), scopes: [], expiresAt: at })
  await apps.findAccessToken(randomBytes(32), at)
  await apps.revokeGrant(owner)
  await transactions.moveTransaction(transactionMove('one', []))
  await transactions.moveTransaction(transactionMove('one', [], { fromRevision: 1, next: 'SETTLED' }))
  await transactions.findTransaction({ transactionId: uuid('transaction one'), appId: null, sourceEventId: 's' })
  const [ssn] = await vault.tokenize(owner, [{ kind: 'ssn', value: '078-05-1120' }])
  if (ssn?.kind !== 'ssn') throw new Error('no token')
  await vault.inspect(owner, [ssn.token])
  await vault.reveal({ owner, actor: 'a', purpose: 'p', token: ssn.token })
  await vault.listOlderThan({ ageMs: 0, limit: 5 })
  await vault.rewrapDataKeys({ limit: 5 })
  await vault.quarantine({ tokens: [{ ...owner, token: ssn.token }], mostInADay: 1 })
  await vault.listQuarantined({ ageMs: 0, limit: 5 })
  await vault.restore([{ ...owner, token: ssn.token }])
  await vault.destroyQuarantined({ tokens: [{ ...owner, token: ssn.token }], ageMs: 0 })
  await vault.countTokens({ limit: 5 })
  await vault.inspection.countLacking([{ ...owner, tokens: [ssn.token] }])
  await vault.inspection.listAppsOfUser(owner.userId)
  await vault.inspection.isEmpty()
  await vault.inspection.listWrappingKeyIds()
  await vault.inspection.addKeyChecks([{ keyId: 'k', purpose: 'seal', checkValue: 'v' }])
  await vault.inspection.listKeyChecks()
  await vault.eraseOwner(owner)
  const [photo] = (await photoJobs.claimDue({ limit: 5, leaseMs: 60_000 })).claimed
  if (photo === undefined) throw new Error('no photo')
  await photoJobs.renewLease(photo.fence, 60_000)
  await photoJobs.recordOutcome(photo.fence, { state: 'RETRYING', retryInMs: 0, failure: 'TIMEOUT' })
  await photoJobs.recordOutcome(photo.fence, { state: 'STORED' })
  await photoJobs.listPhotos(photo.owner, photo.verificationId)
  await users.listAppsOfUser(userId)
  await users.eraseUser(owner)
  await retention.removeOld()
  await verify(audit!)
  await verify(vault.audit!)
  await close()
  await pool.end()
  return seen
}

const withoutShortcuts = 'SET enable_seqscan = off; SET enable_sort = off'

/** The plan for any parameters, as a table too large to read at once would get it. */
async function planOf(name: string, text: string, settings = withoutShortcuts): Promise<string[]> {
  await client.query(`${settings}; SET plan_cache_mode = force_generic_plan`)
  await client.query(`PREPARE "${name}" AS ${text}`)
  const { rows } = await client.query<{ count: number }>(
    `SELECT cardinality(parameter_types) AS count FROM pg_prepared_statements WHERE name = $1`,
    [name],
  )
  const nulls = Array.from({ length: rows[0]?.count ?? 0 }, () => 'NULL').join(', ')
  const plan = await client.query<{ 'QUERY PLAN': string }>(
    `EXPLAIN EXECUTE "${name}"${nulls === '' ? '' : `(${nulls})`}`,
  )
  await client.query(`DEALLOCATE "${name}"`)
  return plan.rows.map((row) => row['QUERY PLAN'].trim())
}

const readsWholeTable = (plan: readonly string[]) => plan.filter((step) => /Seq Scan on kyc_relay/.test(step))

test('no name of a statement is longer than PostgreSQL takes', () => {
  expect([...statements.keys()].filter((name) => name.length > 63)).toEqual([])
})

test('no statement of the stores reads a whole table', async () => {
  expect(statements.size).toBeGreaterThan(65)
  const slow: { name: string; steps: string[] }[] = []
  for (const [name, text] of statements) {
    const steps = readsWholeTable(await planOf(name, text))
    if (steps.length > 0) slow.push({ name, steps })
  }
  expect(slow).toEqual([])
})

test('pages are read in the order of an index', async () => {
  const ordered = [...statements.keys()].filter((name) => Number(/^list_(\d+)/.exec(name)?.[1]) < orderedFilters.length)
  expect(ordered.length).toBeGreaterThan(orderedFilters.length)
  for (const name of [...ordered, 'kyc_relay_list_verifications']) {
    const text = statements.get(name)
    if (text === undefined) throw new Error(`${name} was not prepared`)
    const plan = await planOf(name, text)
    expect({ name, sorts: plan.filter((step) => /\bSort\b/.test(step)) }).toEqual({ name, sorts: [] })
  }
})

/** The setting of a transaction, for the session. */
const byKey = begin.replace(/^.*SET LOCAL/, 'SET')
function planInTransaction(name: string): Promise<string[]> {
  const known = [`kyc_relay_${name}`, `kyc_relay_${name}_at`].find((each) => statements.has(each)) ?? ''
  return planOf(known, statements.get(known) ?? '', byKey)
}
const indexesOf = (plan: readonly string[]) =>
  plan.flatMap((step) => /Index (?:Only )?Scan using kyc_relay_(\w+) on/.exec(step)?.[1] ?? [])

test('a look reads schedules and due notices in the order of an index', async () => {
  const plan = await planOf('kyc_relay_find_due_endpoints', statements.get('kyc_relay_find_due_endpoints') ?? '')
  const count = (index: string) => indexesOf(plan).filter((each) => each === index).length
  expect(count('endpoint_schedules_in_order')).toBe(2)
  expect(count('due_notices_in_order')).toBe(1)
  expect(count('endpoint_schedules_by_due')).toBe(1)
})

test('a claim reads the due notices of all its endpoints once', async () => {
  const plan = await planInTransaction('lock_schedules')
  expect(plan.filter((step) => /CTE Scan on noticed/.test(step))).toHaveLength(1)
  expect(plan.filter((step) => /SubPlan/.test(step))).toEqual([])
})

test('counts of hours are found by kind and hour', async () => {
  await client.query(`
    INSERT INTO kyc_relay_endpoint_hours
      (app_id, endpoint_id, hour, cause, attempts, first_attempts, failed_deliveries, merged)
    SELECT 'app ' || n % 7, 'endpoint ' || n % 100, now() - n / 100 * interval '1 hour', '', 1, 1, 0, n > 300
    FROM generate_series(1, 75000) AS n;
    ANALYZE kyc_relay_endpoint_hours`)
  const both = expect.stringMatching(/merged.* AND .*hour/) as unknown
  for (const [name, scans] of [
    ['list_old_hours', 2],
    ['list_unmerged_hours', 1],
  ] as const) {
    const text = statements.get(`kyc_relay_${name}`) ?? ''
    const plan = await planOf(name, text, 'RESET enable_seqscan; RESET enable_sort')
    const conditions = plan.filter((step) => step.startsWith('Index Cond'))
    expect({ name, conditions }).toEqual({ name, conditions: Array.from({ length: scans }, () => both) })
  }
})

test('a transaction finds rows by their keys where PostgreSQL last saw the queue empty', async () => {
  await client.query(`
    ALTER TABLE kyc_relay_delivery_queue SET (autovacuum_enabled = false);
    INSERT INTO kyc_relay_delivery_queue (app_id, position, delivery_id, endpoint_id, due_at)
    SELECT 'an app', n, 'a delivery', 'an endpoint', now() FROM generate_series(1, 5000) AS n;
    DELETE FROM kyc_relay_delivery_queue;
    ANALYZE kyc_relay_delivery_queue`)
  const ofQueue = (plan: readonly string[]) => indexesOf(plan).filter((index) => index.startsWith('delivery_queue'))
  const waiting = ofQueue(await planInTransaction('list_waiting'))
  // One scan for each class of deliveries.
  expect([...new Set(waiting)].sort()).toEqual(['delivery_queue_in_flight', 'delivery_queue_waiting'])
  // By its key, or through all that is in flight: not through what waits.
  for (const name of ['record_ended', 'lock_leased', 'apply_results', 'take_over_expired']) {
    expect(['delivery_queue_in_flight', 'delivery_queue_pkey']).toEqual(
      expect.arrayContaining(ofQueue(await planInTransaction(name))),
    )
  }
  const opening = await planInTransaction('open_attempts')
  expect(opening.some((step) => step.endsWith('Arbiter Indexes: kyc_relay_delivery_queue_pkey'))).toBe(true)
})

test('a young database that was never analysed finds events and deliveries by their keys', async () => {
  const young = await server.createDatabase()
  const storage = await createPostgresStorage({ connectionString: young }, { notify: false })
  const reader = new pg.Client({ connectionString: young })
  await reader.connect()
  await reader.query(`ALTER TABLE kyc_relay_events SET (autovacuum_enabled = false);
    ALTER TABLE kyc_relay_deliveries SET (autovacuum_enabled = false); ${byKey}`)
  const hook = endpoint('a')
  await storage.webhooks.registerEndpoint(hook, 5)
  const lookUps = [
    `SELECT 1 FROM kyc_relay_events WHERE app_id = '${hook.appId}' AND event_id = 'one'`,
    `SELECT 1 FROM kyc_relay_deliveries WHERE app_id = '${hook.appId}' AND delivery_id = 'one'`,
  ]
  const found = new Set<string>()
  // Below about 300 rows PostgreSQL expects one row of an app, and then it prefers the lowest index.
  for (let count = 0; count < 320; count += 10) {
    for (let n = 0; n < 10; n++) await storage.webhooks.insertEvent(event(`${count + n}`, [hook]))
    for (const lookUp of lookUps) {
      const { rows } = await reader.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${lookUp}`)
      for (const index of indexesOf(rows.map((row) => row['QUERY PLAN']))) found.add(index)
    }
  }
  await reader.end()
  await storage.close()
  expect([...found].sort()).toEqual(['deliveries_pkey', 'events_pkey'])
})

test('no index that serves every statement begins as the key of its table does', async () => {
  const { rows } = await client.query<{ name: string }>(
    `SELECT other.indexrelid::regclass::text AS name FROM pg_index AS key
    JOIN pg_index AS other ON other.indrelid = key.indrelid AND NOT other.indisprimary
    WHERE key.indisprimary AND key.indnkeyatts > 1 AND other.indkey[0] = key.indkey[0] AND other.indpred IS NULL
      AND key.indrelid::regclass::text LIKE 'kyc_relay_%'`,
  )
  expect(rows).toEqual([])
})

test('the same look at plans notices a missing index', async () => {
  const text = `SELECT delivery_id FROM kyc_relay_delivery_queue WHERE app_id = $1 AND endpoint_id = $1 AND due_at <= $2`
  expect(readsWholeTable(await planOf('kyc_relay_probe', text))).toEqual([])
  await client.query('DROP INDEX kyc_relay_delivery_queue_waiting')
  await client.query('ALTER TABLE kyc_relay_delivery_queue DROP CONSTRAINT kyc_relay_delivery_queue_pkey')
  expect(readsWholeTable(await planOf('kyc_relay_probe', text))).not.toEqual([])
})

test('what the end of a delivery changes in its row is in no index, so that the row is changed in its place', async () => {
  const { rows } = await client.query<{ column: string }>(
    `SELECT DISTINCT attribute.attname AS column FROM pg_index AS index
    JOIN pg_depend AS needs ON needs.classid = 'pg_class'::regclass AND needs.objid = index.indexrelid
      AND needs.refobjid = index.indrelid
    JOIN pg_attribute AS attribute ON attribute.attrelid = index.indrelid AND attribute.attnum = needs.refobjsubid
    WHERE index.indrelid = 'kyc_relay_deliveries'::regclass ORDER BY 1`,
  )
  const indexed = rows.map(({ column }) => column)
  expect(indexed).toContain('app_id')
  const changed = ['state', 'attempts_made', 'ended_at', 'cancel_reason']
  expect(indexed.filter((column) => changed.includes(column))).toEqual([])
  // Null for what is pending and for what was delivered.
  expect(indexed).toContain('undelivered')
})
