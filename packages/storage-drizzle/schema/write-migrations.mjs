// Writes the migrations from the Drizzle tables, with drizzle-kit and overlay.ts.
//
//   npm run schema -- <name>     adds one migration, named so, to each database whose tables changed
//   npm run schema -- --squash   replaces all migrations by one: only before the first release
//   npm run schema -- --check    fails where tables and migrations differ; writes nothing
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  generateDrizzleJson,
  generateMigration,
  generateSQLiteDrizzleJson,
  generateSQLiteMigration,
} from 'drizzle-kit/api'
import { build } from 'esbuild'

const folder = fileURLToPath(new URL('../', import.meta.url))
const [argument] = process.argv.slice(2)
const isCheck = argument === '--check'
const isSquash = argument === '--squash'
if (argument === undefined || !(isCheck || isSquash || /^[a-z0-9_]+$/.test(argument))) {
  console.error('Usage: npm run schema -- <name of the change, as add_suffix> | --squash | --check')
  process.exit(2)
}

const engines = {
  sqlite: { snapshot: generateSQLiteDrizzleJson, differences: generateSQLiteMigration },
  postgres: { snapshot: generateDrizzleJson, differences: generateMigration },
}

/** Bundles the tables of an engine, since Node cannot import TypeScript, and imports them. */
async function loadTables(engine) {
  const bundle = join(folder, 'node_modules', `.schema-${engine}-${process.pid}.mjs`)
  mkdirSync(join(folder, 'node_modules'), { recursive: true })
  try {
    const entry = join(folder, 'schema', `${engine}.ts`)
    await build({
      entryPoints: [entry],
      outfile: bundle,
      bundle: true,
      format: 'esm',
      platform: 'node',
      packages: 'external',
    })
    return await import(bundle)
  } finally {
    rmSync(bundle, { force: true })
  }
}

for (const [engine, { snapshot, differences }] of Object.entries(engines)) {
  const { databases, complete } = await loadTables(engine)
  for (const [set, tables] of Object.entries(databases)) {
    const migrations = join(folder, 'migrations', set)
    const snapshotFile = join(folder, 'schema/snapshots', `${set}.json`)
    const before =
      isSquash || !existsSync(snapshotFile) ? await snapshot({}) : JSON.parse(readFileSync(snapshotFile, 'utf8'))
    const nobody = '00000000-0000-0000-0000-000000000000'
    const now = { ...(await snapshot(tables)), id: nobody, prevId: nobody }
    const statements = (await differences(before, now)).map((statement) => complete(statement.trim()))
    if (statements.length === 0) continue
    if (isCheck) {
      console.error(`${set}: the tables differ from the migrations. Run npm run schema -- <name of the change>.\n`)
      console.error(statements.join('\n'))
      process.exitCode = 1
      continue
    }
    if (isSquash) rmSync(migrations, { recursive: true, force: true })
    mkdirSync(migrations, { recursive: true })
    const number = readdirSync(migrations).filter((name) => name.endsWith('.sql')).length + 1
    const name = `${String(number).padStart(4, '0')}_${isSquash ? 'create_tables' : argument}.sql`
    writeFileSync(join(migrations, name), `${statements.join('\n\n')}\n`)
    mkdirSync(join(folder, 'schema/snapshots'), { recursive: true })
    writeFileSync(snapshotFile, `${JSON.stringify(now, null, 2)}\n`)
    console.log(`migrations/${set}/${name}`)
  }
}
