// Measures how much slower each operation is with 10⁶ rows than with 10⁴, on both engines. The operations: a submission to the whole
// server over HTTP; without a server, a submission ingested (rules, vault, record), recorded alone, an event published, and a
// delivery claimed and recorded. Each engine is compared with itself: both sizes alternate in every round.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { copyFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import path from 'node:path'
import { createKeyFile, createLocalCipher, parseKeyFile } from '@kyc-relay/kyc-core/node'
import { fillSqlite } from './fill-sqlite.mjs'
import { seeds, vaultSeeds } from './growth-history.mjs'
import { measureServer } from './growth-server.mjs'
import { concurrency, measureStores } from './growth-work.mjs'
import { atMost, median, temporaryFolder, writeReport } from './harness.mjs'
import { startPostgres } from './local-postgres.mjs'

const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const small = Number(process.env.BENCH_SMALL ?? 10_000)
const large = Number(process.env.BENCH_LARGE ?? 1_000_000)
/** Rounds before the first that counts. */
const warmUpRounds = Number(process.env.BENCH_WARM_UP_ROUNDS ?? 1)
/** Part of the operations of a round that a short run does. */
const share = Number(process.env.BENCH_SHARE ?? 1)
const reach = 1.25

const folder = temporaryFolder()
const keyText = createKeyFile({ randomBytes, now: new Date() })
const keyFile = path.join(folder, 'keys.json')
writeFileSync(keyFile, keyText, { mode: 0o600 })
const cipher = createLocalCipher({ keys: parseKeyFile(keyText) })
const { activeSealKeyId } = JSON.parse(keyText)

const load = (leadIn, operations) => ({
  leadIn: Math.round(leadIn * share),
  operations: Math.round(operations * share),
})

/**
 * Operations of one size in a round. SQLite copies its WAL into the file every few thousand submissions, so a round
 * contains several of these copies. In the lead-in the WAL gets its length, a new server compiles its code, and PostgreSQL makes
 * its plans.
 */
const loads = {
  SQLite: { stores: load(4_096, 8_192), server: load(4_096, 8_192) },
  PostgreSQL: { stores: load(1_024, 1_024), server: load(4_096, 4_096) },
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

/**
 * Each engine fills a database and answers how to measure it: `stores` for a round without a server, `server` for one with it. The
 * small one is a copy that is made anew for each round, or it would not stay small.
 */
const engines = {
  async SQLite(rows) {
    const { createSqliteStorage, createSqliteVault } = await import('@kyc-relay/storage-drizzle/sqlite')
    const file = path.join(folder, `${rows}.db`)
    await (await createSqliteStorage({ path: file })).close()
    await fillSqlite(file, seeds.sqlite(rows))
    const vaultFile = path.join(folder, `${rows}-vault.db`)
    await (await createSqliteVault({ path: vaultFile }, { cipher })).close()
    await fillSqlite(vaultFile, vaultSeeds.sqlite(rows, activeSealKeyId))
    const files = rows === small ? [file, vaultFile].map((name) => `${name}.round`) : [file, vaultFile]
    const take = async () => {
      if (rows === small) {
        copyFileSync(file, files[0])
        copyFileSync(vaultFile, files[1])
      }
      await readThrough(files)
    }
    const giveBack = () => {
      if (rows !== small) return
      for (const name of readdirSync(folder)) if (name.includes('.round')) rmSync(path.join(folder, name))
    }
    return {
      bytes: statSync(file).size + statSync(vaultFile).size,
      close: async () => {},
      async stores(load) {
        await take()
        const storage = await createSqliteStorage({ path: files[0] })
        const vault = await createSqliteVault({ path: files[1] }, { cipher })
        const found = await measureStores({ storage, vault }, load)
        await Promise.all([storage.close(), vault.close()])
        giveBack()
        return found
      },
      async server(load) {
        await take()
        const { apps, close: released } = await createSqliteStorage({ path: files[0] })
        const [main, vault] = files.map((name) => `file:${name}`)
        const variables = { KEY_FILE: keyFile, DATABASE_URL: main, VAULT_DATABASE_URL: vault }
        const found = await measureServer({ apps, released, variables, folder }, load)
        giveBack()
        return found
      },
    }
  },
  async PostgreSQL(rows) {
    const { createPostgresStorage, createPostgresVault } = await import('@kyc-relay/storage-drizzle/postgres')
    const { default: pg } = await import('pg')
    const server = (postgres ??= await startPostgres())
    const urlOf = (name) => {
      const url = new URL(server.url)
      url.pathname = `/${name}`
      return url.href
    }
    const execute = async (connectionString, ...statements) => {
      const client = new pg.Client({ connectionString })
      await client.connect()
      let answer
      for (const statement of statements) answer = await client.query(statement)
      await client.end()
      return answer
    }
    const name = `growth_${process.pid}_${rows}`
    await execute(server.url, `CREATE DATABASE ${name}`)
    const url = urlOf(name)
    await (await createPostgresStorage({ connectionString: url })).close()
    await (await createPostgresVault({ connectionString: url }, { cipher })).close()
    const filling = [seeds.postgres(rows), vaultSeeds.postgres(rows, activeSealKeyId), 'VACUUM ANALYZE', 'CHECKPOINT']
    const size = 'SELECT pg_database_size(current_database())::float8 AS bytes'
    const { rows: sizes } = await execute(url, ...filling, size)
    const taken = rows === small ? `${name}_round` : name
    const take = async () => {
      if (rows === small) await execute(server.url, `CREATE DATABASE ${taken} TEMPLATE ${name}`)
      if (server.files !== null) await readThrough(await server.files())
    }
    const giveBack = async () => {
      if (rows === small) await execute(server.url, `DROP DATABASE ${taken}`)
    }
    const connection = { connectionString: urlOf(taken), maxConnections: 16 }
    return {
      bytes: sizes[0].bytes,
      close: () => execute(server.url, `DROP DATABASE ${name}`),
      async stores(load) {
        await take()
        const storage = await createPostgresStorage(connection, { notify: false })
        const vault = await createPostgresVault(connection, { cipher })
        const found = await measureStores({ storage, vault }, load)
        await Promise.all([storage.close(), vault.close()])
        await giveBack()
        return found
      },
      async server(load) {
        await take()
        const { apps, close: released } = await createPostgresStorage(connection, { notify: false })
        const variables = { KEY_FILE: keyFile, DATABASE_URL: connection.connectionString }
        const found = await measureServer({ apps, released, variables, folder }, load)
        await giveBack()
        return found
      },
    }
  },
}

let postgres = null
const names = {
  whole: 'whole server',
  ingest: 'ingest',
  record: 'record',
  publish: 'publish',
  deliver: 'deliver',
}
const rows = []
const notMeasured = {}
// BENCH_ONLY=sqlite measures the engine with that word in its name.
const only = (process.env.BENCH_ONLY ?? '').toLowerCase()
const chosen = Object.entries(engines).filter(([engine]) => engine.toLowerCase().includes(only))
console.log(`\nmilliseconds per operation, ${concurrency} at a time; median of ${rounds} rounds\n`)
console.log(
  `${'engine'.padEnd(12)}${'operation'.padEnd(14)}${`${small} rows`.padStart(14)}${`${large} rows`.padStart(16)}   ratio`,
)

// Both engines are filled at the same time, and then measured one after the other.
const prepared = await Promise.allSettled(
  chosen.map(async ([, prepare]) => ({ small: await prepare(small), large: await prepare(large) })),
)
for (const [index, [engine]] of chosen.entries()) {
  try {
    const { status, value: sizes, reason } = prepared[index]
    if (status === 'rejected') throw reason
    const measured = { small: [], large: [] }
    for (let round = -warmUpRounds; round < rounds; round += 1) {
      for (const size of ['small', 'large']) {
        const whole = await sizes[size].server(loads[engine].server)
        const found = { whole, ...(await sizes[size].stores(loads[engine].stores)) }
        if (round >= 0) measured[size].push(found)
      }
    }
    for (const operation of Object.keys(names)) {
      const of = (size) => median(measured[size].map((found) => found[operation]))
      const [smallMs, largeMs] = [of('small'), of('large')]
      const ratio = largeMs / smallMs
      rows.push({ engine, operation, smallMs, largeMs, ratio, reach })
      console.log(
        `${engine.padEnd(12)}${names[operation].padEnd(14)}${smallMs.toFixed(3).padStart(14)}${largeMs.toFixed(3).padStart(16)}   ${ratio.toFixed(2)}   reach ≤ ${reach}: ${ratio <= reach ? 'yes' : 'no'}`,
      )
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

for (const [engine, why] of Object.entries(notMeasured)) console.log(`${engine.padEnd(12)}not measured (${why})`)

writeReport('growth', {
  unit: 'milliseconds per operation',
  sizes: { small, large, rounds, 'share of the operations': share, 'at a time': concurrency },
  setup: {
    'whole server': 'a submission over HTTP to the built server',
    'the others':
      'the built stores alone: a submission ingested, recorded, an event published, a delivery claimed and recorded',
  },
  rows: rows.map((row) => ({ ...row, operation: names[row.operation] })),
  notMeasured,
  goals: rows.map(({ engine, operation, ratio }) =>
    atMost(
      `${engine}, ${names[operation]}: time with ${large.toLocaleString('en-US')} rows over ${small.toLocaleString('en-US')}`,
      ratio,
      reach,
    ),
  ),
  plots: [{ name: 'growth', title: 'Milliseconds per operation', columns: ['smallMs', 'largeMs'] }],
})
process.exit(0)
