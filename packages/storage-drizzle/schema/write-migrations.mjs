// Writes the migrations from the Drizzle tables, with drizzle-kit and overlay.ts.
//
//   npm run schema -- <name>     adds one migration, named so, to each database whose tables changed, and to the
//                                reference server's own tables
//   npm run schema -- --squash   replaces all migrations by one: only before the first release
//   npm run schema -- --check    fails where tables and migrations differ; writes nothing
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  generateDrizzleJson,
  generateMigration,
  generateSQLiteDrizzleJson,
  generateSQLiteMigration,
} from 'drizzle-kit/api'
import { build } from 'esbuild'

const folder = fileURLToPath(new URL('../', import.meta.url))
const server = fileURLToPath(new URL('../../../apps/reference-server/', import.meta.url))
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

/** Bundles a module with tables, since Node cannot import TypeScript, and imports it. */
async function load(entry) {
  const bundle = join(folder, 'node_modules', `.schema-${process.pid}.mjs`)
  mkdirSync(join(folder, 'node_modules'), { recursive: true })
  try {
    await build({
      entryPoints: [entry],
      outfile: bundle,
      bundle: true,
      format: 'esm',
      platform: 'node',
      packages: 'external',
    })
    return await import(`${bundle}?${entry}`)
  } finally {
    rmSync(bundle, { force: true })
  }
}

for (const [engine, { snapshot, differences }] of Object.entries(engines)) {
  const { databases, complete } = await load(join(folder, 'schema', `${engine}.ts`))
  const places = Object.entries(databases).map(([set, tables]) => ({ root: folder, set, tables }))
  places.push({ root: server, set: engine, tables: await load(join(server, 'src/storage', engine, 'tables.ts')) })
  for (const { root, set, tables } of places) {
    const migrations = join(root, 'migrations', set)
    const snapshotFile = join(root, 'schema/snapshots', `${set}.json`)
    const before =
      isSquash || !existsSync(snapshotFile) ? await snapshot({}) : JSON.parse(readFileSync(snapshotFile, 'utf8'))
    const nobody = '00000000-0000-0000-0000-000000000000'
    const now = { ...(await snapshot(tables)), id: nobody, prevId: nobody }
    const statements = (await differences(before, now)).map((statement) => complete(statement.trim()))
    if (statements.length === 0) continue
    if (isCheck) {
      console.error(
        `${relative(process.cwd(), migrations)}: the tables differ from the migrations. Run npm run schema -- <name of the change>.\n`,
      )
      console.error(statements.join('\n'))
      process.exitCode = 1
      continue
    }
    if (isSquash) rmSync(migrations, { recursive: true, force: true })
    mkdirSync(migrations, { recursive: true })
    const number = readdirSync(migrations).filter((name) => name.endsWith('.sql')).length + 1
    const name = `${String(number).padStart(4, '0')}_${isSquash ? 'create_tables' : argument}.sql`
    writeFileSync(join(migrations, name), `${statements.join('\n\n')}\n`)
    mkdirSync(join(root, 'schema/snapshots'), { recursive: true })
    writeFileSync(snapshotFile, `${JSON.stringify(now, null, 2)}\n`)
    console.log(relative(process.cwd(), join(migrations, name)))
  }
}
if (isSquash) console.log('Now run: npm run first-history -w packages/storage-drizzle')
