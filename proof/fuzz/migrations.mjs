import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import Database from 'better-sqlite3'
import { migrate, readMigrations } from '../../packages/storage-drizzle/test/engine/sqlite/migrate.ts'
import { anyText } from './values.mjs'

const now = () => new Date('2026-03-02T12:00:00Z')
const history = 'sqlite'
const shipped = readMigrations(history)

/** The tables of the package, as a file without rows. */
const empty = (() => {
  const client = new Database(':memory:')
  migrate(client, history, { now })
  return client.serialize()
})()

const tablesOf = (client) =>
  client
    .prepare(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name LIKE 'kyc%' AND name NOT LIKE '%_migrations'",
    )
    .all()
const rowsOf = (client, table) =>
  client
    .prepare(`SELECT * FROM "${table}"`)
    .safeIntegers()
    .all()
    .map((row) => ({ ...row }))
const textOf = (rows) =>
  rows
    .map((row) =>
      JSON.stringify(Object.entries(row).sort(), (_, value) => (typeof value === 'bigint' ? `${value}n` : value)),
    )
    .sort()

/** Every row of every table, in no order. */
const contentOf = (client) =>
  Object.fromEntries(tablesOf(client).map(({ name }) => [name, textOf(rowsOf(client, name))]))
const schemaOf = (client) => client.prepare('SELECT name, sql FROM sqlite_schema ORDER BY name').all()

function valueOf(random, marker, sql, { name, type, notnull }) {
  if (notnull === 0 && random.chance(0.3)) return null
  const list = new RegExp(`CHECK\\([^)]*?\\b${name} IN \\(([^)]*)\\)`).exec(sql)?.[1]
  if (list !== undefined && random.chance(0.95)) {
    const picked = random.pick(list.split(',')).trim()
    return picked.startsWith("'") ? picked.slice(1, -1) : BigInt(picked)
  }
  if (type === 'TEXT') return anyText(random, marker)
  if (type === 'BLOB') return Buffer.from(Array.from({ length: random.whole(40) }, () => random.whole(256)))
  if (type === 'REAL') return random.whole(1_000) / 7
  return random.pick([0n, 1n, -1n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n), BigInt(random.whole(1_000))])
}

/** Fills a table. A row that its checks refuse is left out. */
function fill(client, random, marker, { name, sql }) {
  const columns = client
    .prepare('SELECT name, upper(type) AS type, "notnull" FROM pragma_table_xinfo(?) WHERE hidden = 0')
    .all(name)
  const list = columns.map((column) => `"${column.name}"`).join()
  const insert = client.prepare(`INSERT INTO "${name}" (${list}) VALUES (${columns.map(() => '?').join()})`)
  for (let tries = random.whole(12); tries > 0; tries -= 1) {
    try {
      insert.run(columns.map((column) => valueOf(random, marker, sql, column)))
    } catch (error) {
      if (!error.code?.startsWith('SQLITE_')) throw error
    }
  }
}

/** Later migrations: what each writes, and what it does to the rows. `fails` says when its last statement is refused. */
const changes = {
  adds: (table, column) => ({
    sql: `ALTER TABLE "${table}" ADD COLUMN ${column} TEXT;\n`,
    rows: (row) => ({ ...row, [column]: null }),
  }),
  fills: (table, column) => ({
    sql: `ALTER TABLE "${table}" ADD COLUMN ${column} TEXT DEFAULT 'é' NOT NULL;\nUPDATE "${table}" SET ${column} = ${column} || 1;\n`,
    rows: (row) => ({ ...row, [column]: 'é1' }),
  }),
  indexes: (table, column, columns) => ({
    sql: `CREATE INDEX "kyc_relay_by_${column}" ON "${table}" ("${columns[0]}");\n`,
    rows: (row) => row,
  }),
  rebuilds: (table, column, columns, { sql, indexes }) => ({
    sql: `${sql.replace(table, `${table}_new`)};
INSERT INTO "${table}_new" (${columns.map((name) => `"${name}"`).join()}) SELECT ${columns.map((name) => `"${name}"`).join()} FROM "${table}";
DROP TABLE "${table}";
ALTER TABLE "${table}_new" RENAME TO "${table}";
${indexes.map((index) => `${index};\n`).join('')}`,
    rows: (row) => row,
  }),
  allowsOneRow: (table, column) => ({
    sql: `ALTER TABLE "${table}" ADD COLUMN ${column} TEXT DEFAULT 'x' NOT NULL;\nCREATE UNIQUE INDEX "kyc_relay_one_${column}" ON "${table}" (${column});\n`,
    rows: (row) => ({ ...row, [column]: 'x' }),
    fails: (count) => count > 1,
  }),
  breaks: (table) => ({
    sql: `DELETE FROM "${table}";\nCREATE TABLE kyc_relay_left (id TEXT) STRICT;\nINSERT INTO kyc_relay_missing VALUES (1);\n`,
    rows: (row) => row,
    fails: () => true,
  }),
}

const numbered = (sql, number) => ({
  number,
  name: `${String(number).padStart(4, '0')}_change`,
  sql,
  sha256: createHash('sha256').update(sql, 'utf8').digest('hex'),
})

/** Migrates and returns the code of the refusal, or null. */
function refusalOf(run, client, list) {
  try {
    run(client, history, { now, shipped: list })
    return null
  } catch (error) {
    return error
  }
}

/** Later migrations on random rows: each is done wholly or not at all, and no row is lost or changed but as it says. */
export function migrations(random, marker, { run = migrate } = {}) {
  const client = new Database(Buffer.from(empty))
  client.pragma('foreign_keys = OFF')
  const tables = tablesOf(client)
  const chosen = Array.from({ length: 1 + random.whole(3) }, () => random.pick(tables))
  for (const table of chosen) fill(client, random, marker, table)

  const draft = new Database(Buffer.from(empty))
  const list = [...shipped]
  // What must be there after each migration that is done.
  const expected = Object.fromEntries(tables.map(({ name }) => [name, rowsOf(client, name)]))
  let refused = null
  for (let n = 1 + random.whole(4); n > 0 && refused === null; n -= 1) {
    const table = random.pick(chosen).name
    const kind = random.weighted({ adds: 3, fills: 3, indexes: 2, rebuilds: 3, allowsOneRow: 2, breaks: 1 })
    // Written against the tables as the migrations before it leave them.
    migrate(draft, history, { now, shipped: list })
    const { sql } = tablesOf(draft).find(({ name }) => name === table)
    const columns = draft.pragma(`table_info("${table}")`).map(({ name }) => name)
    const indexes = draft
      .prepare("SELECT sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL")
      .pluck()
      .all(table)
    const change = changes[kind](table, `fuzz_${list.length}`, columns, { sql, indexes })
    const next = numbered(change.sql, list.length + 1)
    if (change.fails?.(expected[table].length)) refused = next
    else {
      expected[table] = expected[table].map(change.rows)
      list.push(next)
    }
  }
  draft.close()
  const wanted = Object.fromEntries(Object.entries(expected).map(([name, rows]) => [name, textOf(rows)]))

  const broken = (() => {
    const error = refusalOf(run, client, refused === null ? list : [...list, refused])
    if ((error === null) !== (refused === null))
      return error === null ? 'a migration that fails was taken for done' : `a good migration failed: ${error.message}`
    if (error !== null && (!/^[A-Z_]+$/.test(error.code) || error.message.includes(marker)))
      return 'the error of a migration repeats a row, or has no code of ours'
    if (!isDeepStrictEqual(contentOf(client), wanted))
      return refused === null ? 'a migration changed other rows' : 'half of a migration stayed'
    // The failed one may be written anew; the others are done and never run again.
    const schema = schemaOf(client)
    const ledger = rowsOf(client, 'kyc_relay_migrations')
    if (refusalOf(run, client, list) !== null) return 'what was done cannot be continued'
    if (!isDeepStrictEqual([schemaOf(client), contentOf(client)], [schema, wanted]))
      return 'a second start changed something'
    if (ledger.length !== list.length) return 'the ledger does not tell what was done'
    // A history that is not this one is refused, and nothing is written.
    const at = random.whole(list.length)
    const wrong = random.pick([
      ['SCHEMA_NEWER', list.slice(0, -1)],
      ['SCHEMA_EDITED', list.map((one, index) => (index === at ? numbered(`${one.sql} `, index + 1) : one))],
      ['SCHEMA_EDITED', list.map((one, index) => (index === at ? { ...one, name: `${one.name}_` } : one))],
    ])
    if (refusalOf(run, client, wrong[1])?.code !== wrong[0]) return `a history that is ${wrong[0]} was accepted`
    client.exec(`ALTER TABLE "${chosen[0].name}" ADD COLUMN by_hand TEXT`)
    if (refusalOf(run, client, list)?.code !== 'SCHEMA_EDITED') return 'a table that was changed by hand was accepted'
    return null
  })()
  client.close()
  return broken
}

/** Known bugs. */
export const migrationBugs = {
  'keeps-half-a-migration': [
    'migrations',
    {
      run(client, ...rest) {
        const exec = client.exec.bind(client)
        client.exec = (sql) => exec(sql === 'ROLLBACK' ? 'COMMIT' : sql)
        try {
          return migrate(client, ...rest)
        } finally {
          delete client.exec
        }
      },
    },
  ],
}
