// Does it stay as fast when it has grown? One submission ingested (every rule, the vault, the record), one recorded alone,
// one event published, and one delivery claimed and settled, with 10⁴ and with 10⁶ verifications, tokens, events, deliveries and
// attempts in the databases, on both engines. What is compared is the same engine with itself: both sizes take turns in
// every round.
import assert from 'node:assert/strict'
import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { createIngestion, createToken, TOKEN_RANDOM_BYTES } from '@kyc-relay/kyc-core'
import { createKeyFile, createLocalCipher, parseKeyFile } from '@kyc-relay/kyc-core/node'
import { startPostgres } from './local-postgres.mjs'
import { variablesOf } from './small-submission.mjs'

const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const small = Number(process.env.BENCH_SMALL ?? 10_000)
const large = Number(process.env.BENCH_LARGE ?? 1_000_000)
const concurrency = 64
const endpoints = 1_000
const apps = 20
const reach = 1.2

const folder = mkdtempSync(path.join(os.tmpdir(), 'kyc-relay-growth-'))
const appId = (n) => `0a000000-0000-7000-8000-${String(n).padStart(12, '0')}`
const endpointId = (n) => `0e000000-0000-7000-8000-${String(n).padStart(12, '0')}`

// Ids that begin with the time, as UUIDs of version 7 do.
let last = 0
const newId = () => {
  last = Math.max(last + 1, Date.now() * 4_096)
  const hex = Math.floor(last).toString(16).padStart(15, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(12, 15)}-${randomUUID().slice(19)}`
}

const cipher = createLocalCipher({ keys: parseKeyFile(createKeyFile({ randomBytes, now: new Date() })) })

/** History as the stores would have left it, written by the database itself. Tokens begin with the second they were made in. */
const seeds = {
  sqlite: (rows) => `
    PRAGMA synchronous = OFF;
    BEGIN;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${endpoints})
    INSERT INTO kyc_relay_endpoints (endpoint_id, app_id, url, standard_webhooks, created_at)
    SELECT printf('0e000000-0000-7000-8000-%012d', i), printf('0a000000-0000-7000-8000-%012d', i % ${apps}), 'https://example.com/', 0, 0 FROM n;
    INSERT INTO kyc_relay_endpoint_turns (endpoint) SELECT position FROM kyc_relay_endpoints;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
    INSERT INTO kyc_relay_verifications (verification_id, app_id, user_id, external_verification_id, external_verification_provider,
      schema_version, decision, decisioned_at, recorded_at, country_code, result_status, result_message, payload_digest,
      ssn_token, ssn_standing, document_number_token, sealed_details)
    SELECT printf('%08x-0000-7000-8000-000000000000', i), printf('0a000000-0000-7000-8000-%012d', i % ${apps}),
      lower(hex(randomblob(16))), lower(hex(randomblob(16))), 'CUSTOM', '1.0', 'PASSED', i, i, 'US', 'VERIFIED', 'The user is verified.',
      randomblob(32), printf('tok_ssn_1%05d%s_1120', i / 50, lower(hex(randomblob(13)))), 'VALIDATED', printf('tok_document_number_1%05d%s', i / 50, lower(hex(randomblob(13)))), randomblob(400) FROM n;
    INSERT INTO kyc_relay_verification_checks (verification, ordinal, section, name, status)
    SELECT position, 0, 'ssn', 'ssn_match', 'PASSED' FROM kyc_relay_verifications;
    INSERT INTO kyc_relay_kyc_status_log (verification, user_id, previous, next, at)
    SELECT position, user_id, 'UNVERIFIED', 'PASS', recorded_at FROM kyc_relay_verifications;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
    INSERT INTO kyc_relay_events (event_id, app_id, user_id, type, occurred_at, body, test, source_event_id, created_at)
    SELECT printf('%08x-0001-7000-8000-000000000000', i), printf('0a000000-0000-7000-8000-%012d', i % ${apps}), lower(hex(randomblob(16))),
      'WIDGET_DEPOSIT_COMPLETE', i, randomblob(250), 0, 'source ' || i, i FROM n;
    INSERT INTO kyc_relay_deliveries (delivery_id, event, endpoint, x_event_id, app_id, user_id, event_type, state, attempts_made, created_at, ended_at)
    SELECT printf('%08x-0002-7000-8000-000000000000', position), position, 1 + position % ${endpoints}, event_id, app_id, user_id, type, 'DELIVERED', 1, created_at, created_at
    FROM kyc_relay_events;
    INSERT INTO kyc_relay_attempts (delivery, number, state, started_at, ended_at, report)
    SELECT position, 1, 'SUCCEEDED', created_at, created_at, '{"cause":null,"status":200}' FROM kyc_relay_deliveries;
    COMMIT;`,
  postgres: (rows) => `
    SET synchronous_commit = off;
    INSERT INTO kyc_relay_endpoints (endpoint_id, app_id, url, standard_webhooks, created_at)
    SELECT '0e000000-0000-7000-8000-' || lpad(i::text, 12, '0'), '0a000000-0000-7000-8000-' || lpad((i % ${apps})::text, 12, '0'), 'https://example.com/', false, now()
    FROM generate_series(1, ${endpoints}) i;
    INSERT INTO kyc_relay_endpoint_turns (endpoint_id) SELECT endpoint_id FROM kyc_relay_endpoints;
    INSERT INTO kyc_relay_verifications (verification_id, app_id, user_id, external_verification_id, external_verification_provider,
      schema_version, decision, decisioned_at, recorded_at, country_code, result_status, result_message, payload_digest,
      ssn_token, ssn_standing, document_number_token, sealed_details)
    SELECT lpad(to_hex(i), 8, '0') || '-0000-7000-8000-000000000000', '0a000000-0000-7000-8000-' || lpad((i % ${apps})::text, 12, '0'),
      gen_random_uuid(), gen_random_uuid(), 'CUSTOM', '1.0', 'PASSED', now(), now(), 'US', 'VERIFIED', 'The user is verified.',
      decode(repeat(md5(i::text), 2), 'hex'), 'tok_ssn_1' || lpad((i / 50)::text, 5, '0') || left(md5('s' || i), 26) || '_1120', 'VALIDATED',
      'tok_document_number_1' || lpad((i / 50)::text, 5, '0') || left(md5('d' || i), 26),
      decode(repeat(md5(i::text), 25), 'hex') FROM generate_series(1, ${rows}) i;
    INSERT INTO kyc_relay_verification_checks SELECT verification_id, 0, 'ssn', 'ssn_match', 'PASSED' FROM kyc_relay_verifications;
    INSERT INTO kyc_relay_kyc_status_log SELECT verification_id, user_id, 'UNVERIFIED', 'PASS', recorded_at FROM kyc_relay_verifications;
    INSERT INTO kyc_relay_kyc_statuses SELECT user_id, 'PASS', recorded_at FROM kyc_relay_verifications;
    INSERT INTO kyc_relay_events (event_id, app_id, user_id, type, occurred_at, body, test, created_at)
    SELECT lpad(to_hex(i), 8, '0') || '-0001-7000-8000-000000000000', '0a000000-0000-7000-8000-' || lpad((i % ${apps})::text, 12, '0'), gen_random_uuid(),
      'WIDGET_DEPOSIT_COMPLETE', now(), decode(repeat(md5(i::text), 16), 'hex'), false, now() - (${rows} - i) * interval '1 second' FROM generate_series(1, ${rows}) i;
    INSERT INTO kyc_relay_event_sources SELECT app_id, 'source ' || event_id, event_id FROM kyc_relay_events;
    INSERT INTO kyc_relay_deliveries (delivery_id, event_id, endpoint_id, x_event_id, app_id, user_id, event_type, state, attempts_made, created_at, ended_at)
    SELECT left(event_id, 8) || '-0002-7000-8000-000000000000', event_id, '0e000000-0000-7000-8000-' || lpad((1 + position % ${endpoints})::text, 12, '0'),
      event_id, app_id, user_id, type, 'DELIVERED', 1, created_at, created_at FROM kyc_relay_events;
    INSERT INTO kyc_relay_attempts (delivery_id, number, state, started_at, ended_at, report)
    SELECT delivery_id, 1, 'SUCCEEDED', created_at, created_at, '{"cause":null,"status":200}' FROM kyc_relay_deliveries;`,
}

/** The same history in the vault: a data key for every user, and an SSN. */
const vaultSeeds = {
  sqlite: (rows) => `
    PRAGMA synchronous = OFF;
    BEGIN;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
    INSERT INTO kyc_relay_vault_data_keys (app_id, user_id, key_id, wrapped, created_at)
    SELECT printf('0a000000-0000-7000-8000-%012d', i % ${apps}), lower(hex(randomblob(16))), 'k', randomblob(60), i FROM n;
    INSERT INTO kyc_relay_vault_tokens (token, app_id, user_id, field, fingerprint, sealed, created_at, data_key)
    SELECT printf('tok_ssn_1%05d%s_1120', position / 50, lower(hex(randomblob(13)))), app_id, user_id, 'ssn', randomblob(32), randomblob(45), created_at, position
    FROM kyc_relay_vault_data_keys;
    COMMIT;`,
  postgres: (rows) => `
    SET synchronous_commit = off;
    INSERT INTO kyc_relay_vault_data_keys (app_id, user_id, key_id, wrapped, created_at)
    SELECT '0a000000-0000-7000-8000-' || lpad((i % ${apps})::text, 12, '0'), gen_random_uuid(), 'k', decode(repeat(md5(i::text), 4), 'hex'), now()
    FROM generate_series(1, ${rows}) i;
    INSERT INTO kyc_relay_vault_tokens (token, app_id, user_id, field, fingerprint, sealed, created_at, data_key)
    SELECT 'tok_ssn_1' || lpad((position / 50)::text, 5, '0') || left(md5('v' || position), 26) || '_1120', app_id, user_id, 'ssn',
      decode(repeat(md5(position::text), 2), 'hex'), decode(repeat(md5(position::text), 3), 'hex'), created_at, position FROM kyc_relay_vault_data_keys;`,
}

/** Asks for `count` things, `concurrency` at a time. */
async function ask(count, work) {
  for (let done = 0; done < count; done += concurrency) {
    await Promise.all(Array.from({ length: Math.min(concurrency, count - done) }, () => work()))
  }
}

/** Milliseconds per thing, after `leadIn` of the same kind that nobody times. */
async function perOperation({ leadIn, operations }, work) {
  await ask(leadIn, work)
  const started = performance.now()
  await ask(operations, work)
  return (performance.now() - started) / operations
}

const made = () => ({ madeAt: new Date(), random: randomBytes(TOKEN_RANDOM_BYTES) })
const randomUser = () => ({ appId: appId(Math.floor(Math.random() * apps)), userId: randomUUID() })

/** The small submission with another SSN each time, so that fingerprints spread as those of people do. */
function input() {
  const { person, ...rest } = variablesOf(randomUUID())
  const ssn = `${randomInt(100, 600)}-${randomInt(10, 100)}-${randomInt(1_000, 10_000)}`
  return { ...rest, person: { ...person, ssn, ssnLast4: ssn.slice(-4) } }
}

function submission() {
  const verificationId = newId()
  const result = { status: 'VERIFIED', verificationId, message: 'The user is verified.' }
  const verification = {
    verificationId,
    schemaVersion: '1.0',
    externalVerificationProvider: 'CUSTOM',
    decision: 'PASSED',
    decisionedAt: new Date(),
    countryCode: 'US',
    ssn: { token: createToken({ field: 'ssn', lastFour: '1120', ...made() }), standing: 'VALIDATED' },
    documentNumber: { token: createToken({ field: 'document_number', ...made() }) },
    sections: [{ section: 'ssn', verificationId: 'x', status: 'PASSED' }],
    checks: [{ section: 'ssn', name: 'ssn_match', status: 'PASSED' }],
    declineCodes: [],
    sealedDetails: randomBytes(400),
    photoJobs: [],
  }
  return {
    key: { ...randomUser(), externalVerificationId: randomUUID() },
    verification,
    payloadDigest: randomBytes(32),
    recordedAt: new Date(),
    outcomes: {
      UNVERIFIED: { next: 'PASS', result },
      PASS: { next: 'PASS', result },
      PASS_INTERNATIONAL: { next: 'PASS_INTERNATIONAL', result },
    },
  }
}

function event() {
  const n = 1 + Math.floor(Math.random() * endpoints)
  return {
    eventId: newId(),
    appId: appId(n % apps),
    userId: randomUUID(),
    type: 'WIDGET_DEPOSIT_COMPLETE',
    occurredAt: new Date(),
    body: randomBytes(250),
    test: false,
    sourceEventId: randomUUID(),
    withheld: null,
    deliveries: [{ deliveryId: newId(), endpointId: endpointId(n), xEventId: randomUUID() }],
  }
}

const report = {
  cause: null,
  status: 200,
  address: '192.0.2.1',
  timings: { dnsMs: 1, connectMs: 1, tlsMs: 1, firstByteMs: 1, totalMs: 2 },
  responseHeaders: { 'content-type': 'text/plain' },
  responseBody: Buffer.from('ok'),
  keyVersion: 1,
}

/** One round at one size: milliseconds per submission, per event, and per delivery claimed and settled. */
async function measure({ storage: { verifications, webhooks }, vault }, load) {
  const ingestion = createIngestion({ verifications, tokenizer: vault, now: () => new Date(), newId })
  const ingest = await perOperation(load, async () => {
    assert.equal((await ingestion.ingestSubmission(randomUser(), input())).kind, 'recorded')
  })
  const record = await perOperation(load, async () => {
    assert.equal((await verifications.record(submission())).kind, 'recorded')
  })
  const publish = await perOperation(load, () => webhooks.insertEvent(event()))
  const deliver = async (count) => {
    let delivered = 0
    while (delivered < count) {
      const { claimed } = await webhooks.claimDue({
        limit: Math.min(concurrency, count - delivered),
        leaseMs: 45_000,
        maxInFlight: { healthy: 4, failing: 1 },
        keepForHealthy: 8,
      })
      await webhooks.settle(
        claimed.map(({ fence }) => ({ fence, attempt: { state: 'SUCCEEDED', report }, next: { state: 'DELIVERED' } })),
      )
      delivered += claimed.length
    }
  }
  await deliver(load.leadIn)
  const started = performance.now()
  await deliver(load.operations)
  return { ingest, record, publish, deliver: (performance.now() - started) / load.operations }
}

/**
 * What is asked of one size in a round. SQLite copies its WAL into the file every two or three thousand submissions: it takes
 * some of those, and a lead-in in which the WAL gets its length, to time what goes on for hours.
 */
const loads = {
  SQLite: { leadIn: 4_096, operations: 8_192 },
  PostgreSQL: { leadIn: 0, operations: 1_024 },
}

/** Reads files once, so that a round times the work and not the disk's first look at what the system let go meanwhile. */
async function readThrough(files) {
  const buffer = Buffer.alloc(4 * 1024 * 1024)
  for (const file of files) {
    const handle = await open(file).catch(() => null)
    while (handle !== null && (await handle.read(buffer)).bytesRead > 0);
    await handle?.close()
  }
}

const engines = {
  async SQLite(rows) {
    const { createSqliteStorage, createSqliteVault } = await import('@kyc-relay/storage-drizzle/sqlite')
    const { default: Database } = await import('better-sqlite3')
    const file = path.join(folder, `${rows}.db`)
    await (await createSqliteStorage({ path: file })).close()
    const database = new Database(file)
    database.exec(seeds.sqlite(rows))
    database.close()
    const vaultFile = path.join(folder, `${rows}-vault.db`)
    await (await createSqliteVault({ path: vaultFile }, { cipher })).close()
    const vaultDatabase = new Database(vaultFile)
    vaultDatabase.exec(vaultSeeds.sqlite(rows))
    vaultDatabase.close()
    return {
      bytes: statSync(file).size + statSync(vaultFile).size,
      close: async () => {},
      /** The small one anew for each round, or it would not stay small. */
      async start() {
        const files = rows === small ? [file, vaultFile].map((name) => `${name}.round`) : [file, vaultFile]
        if (rows === small) {
          copyFileSync(file, files[0])
          copyFileSync(vaultFile, files[1])
        }
        await readThrough(files)
        const storage = await createSqliteStorage({ path: files[0] })
        const vault = await createSqliteVault({ path: files[1] }, { cipher })
        const stop = async () => {
          await Promise.all([storage.close(), vault.close()])
          if (rows !== small) return
          for (const name of readdirSync(folder)) if (name.includes('.round')) rmSync(path.join(folder, name))
        }
        return { storage, vault, stop }
      },
    }
  },
  async PostgreSQL(rows) {
    const { createPostgresStorage, createPostgresVault } = await import('@kyc-relay/storage-drizzle/postgres')
    const { default: pg } = await import('pg')
    const server = (postgres ??= await startPostgres())
    const url = new URL(server.url)
    const admin = new pg.Client({ connectionString: url.href })
    await admin.connect()
    const name = `growth_${process.pid}_${rows}`
    await admin.query(`CREATE DATABASE ${name}`)
    await admin.end()
    url.pathname = `/${name}`
    await (await createPostgresStorage({ connectionString: url.href })).close()
    await (await createPostgresVault({ connectionString: url.href }, { cipher })).close()
    const client = new pg.Client({ connectionString: url.href })
    await client.connect()
    await client.query(seeds.postgres(rows))
    await client.query(vaultSeeds.postgres(rows))
    await client.query('VACUUM ANALYZE')
    await client.query('CHECKPOINT')
    const { rows: sizes } = await client.query('SELECT pg_database_size(current_database())::float8 AS bytes')
    await client.end()
    const storage = await createPostgresStorage({ connectionString: url.href, maxConnections: 16 }, { notify: false })
    const vault = await createPostgresVault({ connectionString: url.href, maxConnections: 16 }, { cipher })
    const close = async () => void (await Promise.all([storage.close(), vault.close()]))
    const start = async () => {
      if (server.files !== null) await readThrough(await server.files())
      return { storage, vault, stop: async () => {} }
    }
    return { bytes: sizes[0].bytes, close, start }
  },
}

let postgres = null
const median = (list) => list.toSorted((one, other) => one - other)[Math.floor(list.length / 2)]
const rows = []
const notMeasured = {}
// BENCH_ONLY=sqlite measures the engine with that word in its name.
const only = (process.env.BENCH_ONLY ?? '').toLowerCase()
for (const [engine, prepare] of Object.entries(engines)) {
  if (!engine.toLowerCase().includes(only)) continue
  try {
    const sizes = { small: await prepare(small), large: await prepare(large) }
    const measured = { small: [], large: [] }
    for (let round = -1; round < rounds; round += 1) {
      for (const size of ['small', 'large']) {
        const running = await sizes[size].start()
        const found = await measure(running, loads[engine])
        await running.stop()
        // The round before the first warms up.
        if (round >= 0) measured[size].push(found)
      }
    }
    for (const operation of ['ingest', 'record', 'publish', 'deliver']) {
      const of = (size) => median(measured[size].map((found) => found[operation]))
      rows.push({
        engine,
        operation,
        smallMs: of('small'),
        largeMs: of('large'),
        ratio: of('large') / of('small'),
        reach,
      })
    }
    for (const { close } of Object.values(sizes)) await close()
    console.log(
      `${engine}: ${(sizes.small.bytes / 2 ** 20).toFixed(0)} MiB and ${(sizes.large.bytes / 2 ** 20).toFixed(0)} MiB`,
    )
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error
    notMeasured[engine] = error instanceof Error ? (error.code ?? error.message) : 'failed'
  }
}
await postgres?.stop()
rmSync(folder, { recursive: true, force: true })

console.log(`\nmilliseconds per operation, ${concurrency} at a time; median of ${rounds} rounds\n`)
console.log(
  `${'engine'.padEnd(12)}${'operation'.padEnd(12)}${`${small} rows`.padStart(14)}${`${large} rows`.padStart(16)}   ratio`,
)
for (const row of rows) {
  const verdict = `${row.ratio.toFixed(2)}   reach ≤ ${reach}: ${row.ratio <= reach ? 'yes' : 'no'}`
  console.log(
    `${row.engine.padEnd(12)}${row.operation.padEnd(12)}${row.smallMs.toFixed(3).padStart(14)}${row.largeMs.toFixed(3).padStart(16)}   ${verdict}`,
  )
}
for (const [engine, why] of Object.entries(notMeasured)) console.log(`${engine.padEnd(12)}not measured (${why})`)

const results = new URL('./results/', import.meta.url)
mkdirSync(results, { recursive: true })
const machine = { node: process.version, cpu: os.cpus()[0]?.model, cores: os.cpus().length }
writeFileSync(
  new URL('growth.json', results),
  `${JSON.stringify({ name: 'growth', unit: 'milliseconds per operation', machine, rows, notMeasured }, null, 2)}\n`,
)
process.exit(0)
