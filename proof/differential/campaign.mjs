import pg from 'pg'
import { commandsOf, ofOneApp } from '../../packages/storage-drizzle/test/differential/commands.ts'
import { runInLockStep } from '../../packages/storage-drizzle/test/differential/lock-step.ts'
import { memorySide, postgresSide, sqliteSide } from '../../packages/storage-drizzle/test/differential/sides.ts'
import { guardDistribution } from '../../packages/storage-drizzle/test/engine/postgres/distribution-guard.ts'
import { startOwnPostgres } from '../../packages/storage-drizzle/test/engine/postgres/own-postgres.ts'
import { emptyTables } from '../../packages/storage-drizzle/test/engine/postgres/empty-tables.ts'
import { createPostgresStorage, createPostgresVault } from '@kyc-relay/storage-drizzle/postgres'
import { sabotages } from './sabotage.mjs'
import { cipher } from '../../packages/storage-drizzle/test/vault/any-cipher.ts'

const longestSequence = 150
const modes = [
  { name: 'PostgreSQL', database: 'plain', distributed: false },
  { name: 'PostgreSQL in the mode for distributed tables', database: 'distributed', distributed: true },
]

/** Sequences at the same time, each on databases of its own: one alone waits for answers most of the time. */
const lanesOfRun = 4
/** Each makes databases, which takes longer than the few sequences. */
const lanesOfSmoke = 1

/** Both modes of PostgreSQL, with a database for each lane. */
async function startDatabases(lanes) {
  const server = await startOwnPostgres(['max_connections=100'])
  const guard = { refused: new Set(), readsOverAll: new Set() }
  const pools = []
  const poolOf = (database, max) => {
    const pool = new pg.Pool({ connectionString: server.url({ database }), max })
    // The end of the server meets sessions that the end of a pool has left.
    pool.on('error', () => undefined)
    pool.on('connect', (client) => client.on('error', () => undefined))
    pools.push(pool)
    return pool
  }
  const sides = Array.from({ length: lanes }, () => [])
  for (const { name, database, distributed } of modes) {
    await server.ask(`CREATE DATABASE ${database}`)
    const connectionString = server.url({ database })
    await (await createPostgresStorage({ connectionString }, { distributed })).close()
    await (await createPostgresVault({ connectionString }, { cipher, distributed })).close()
    for (const [lane, ofLane] of sides.entries()) {
      await server.ask(`CREATE DATABASE ${database}_${lane} TEMPLATE ${database}`)
      const pool = poolOf(`${database}_${lane}`, 5)
      const owner = poolOf(`${database}_${lane}`, 1)
      if (distributed) guardDistribution(pool, guard)
      ofLane.push(postgresSide({ name, pool, distributed, empty: () => emptyTables(owner) }))
    }
  }
  return {
    sides,
    guard,
    /** Runs a statement in the mode for distributed tables. */
    runDistributed: (statement) =>
      pools
        .at(-2)
        .query(statement)
        .catch(() => null),
    async stop() {
      await Promise.all(pools.map((pool) => pool.end()))
      await server.stop()
    },
  }
}

export const differential = {
  unit: 'commands',
  seconds: 120,
  promises: [
    'SQLite, PostgreSQL, its mode for distributed tables and the store in memory give the same answers and keep the same rows.',
    'In the mode for distributed tables each write names one app, user or key.',
  ],
  notTested:
    'Commands at the same time. A real Citus. Several apps in the mode for distributed tables, whose claims share slots otherwise. The vault and photo jobs, which the cases of their ports test on each store.',
  controls: Object.entries(sabotages).map(([name, { what, breaks }]) => ({ name, what, breaks })),
  controlSize: { count: 6_000 },
  smoke: { size: { count: 150 } },
  async run({ budget, seed, control, isSmoke = false, log }) {
    const databases = await startDatabases(isSmoke ? lanesOfSmoke : lanesOfRun)
    const { statement } = sabotages[control] ?? {}
    if (statement !== undefined) await databases.runDistributed(statement)
    const spoil = sabotages[control]?.spoil ?? ((stores) => stores)
    const spoilt = (side) => ({ ...side, open: async (clock) => spoil(await side.open(clock)) })
    const sizes = { commands: 0, sequences: 0 }
    const violations = []
    let next = seed
    const runLane = async ([plain, distributed]) => {
      const sides = [memorySide, plain, spoilt(sqliteSide)]
      while (!budget.isSpent(sizes.commands) && violations.length === 0) {
        const sequence = next++
        const commands = commandsOf(sequence, longestSequence)
        try {
          await runInLockStep(commands, sides)
          await runInLockStep(ofOneApp(commands), [memorySide, distributed])
        } catch (error) {
          violations.push(`${error.message.slice(0, 500)}: npm run prove -- differential --seed ${sequence} --count 1`)
        }
        sizes.commands += commands.length
        sizes.sequences += 1
      }
    }
    await Promise.all(databases.sides.map(runLane))
    for (const statement of databases.guard.refused) violations.push(`a statement names no shard: ${statement}`)
    await databases.stop()
    log(`${sizes.commands} commands in ${sizes.sequences} sequences, ${violations.length} violations`)
    return { sizes, violations }
  },
}
