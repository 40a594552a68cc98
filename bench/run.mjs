// Runs every measurement, or those named on the command line, one after another: each has the machine for itself.
//   npm run bench                       all of them
//   npm run bench -- verify-webhook     bench/verify-webhook.bench.mjs
//   npm run bench -- --short            those of short.mjs, with its smaller sizes
//   npm run bench -- --report           writes docs/benchmarks.md from the results there are
//   npm run bench -- --short --report   measures those of short.mjs and writes docs/benchmarks.md from these results alone
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { short } from './short.mjs'

const folder = fileURLToPath(new URL('.', import.meta.url))
const results = path.join(folder, 'results')
const suffix = '.bench.mjs'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { short: { type: 'boolean', default: false }, report: { type: 'boolean', default: false } },
})

async function report(command, names) {
  const { writeBenchmarksPage } = await import('./report.mjs')
  console.log(`Written: docs/benchmarks.md with ${(await writeBenchmarksPage({ results, command, names })).join(', ')}`)
}
const available = readdirSync(folder)
  .filter((file) => file.endsWith(suffix))
  .map((file) => file.slice(0, -suffix.length))
  .sort()
if (options.report && !options.short && positionals.length === 0) {
  await report('npm run bench -- --report', available)
  process.exit(0)
}
const asked = positionals.map((name) => path.basename(name).replace(/\.bench(?:\.mjs)?$/, ''))
const unknown = asked.filter((name) => !available.includes(name))
if (unknown.length > 0) {
  console.error(`No measurement is called ${unknown.join(', ')}. There are: ${available.join(', ')}.`)
  process.exit(2)
}

/** Modification times of the JSON files under results/. */
function resultFiles() {
  return new Map(
    readdirSync(results)
      .filter((file) => file.endsWith('.json'))
      .map((file) => [file, statSync(path.join(results, file)).mtimeMs]),
  )
}

const measure = (name) =>
  new Promise((resolve) => {
    const sizes = options.short ? short[name] : {}
    const command = `npm run bench -- ${options.short ? '--short ' : ''}${name}`
    const child = spawn(process.execPath, ['--expose-gc', path.join(folder, name + suffix)], {
      cwd: folder,
      env: { ...sizes, ...process.env, BENCH_COMMAND: command },
      stdio: 'inherit',
    })
    child.on('error', () => resolve(false))
    child.on('exit', (code) => resolve(code === 0))
  })

mkdirSync(results, { recursive: true })
const before = resultFiles()
const failed = []
const all = options.short ? Object.keys(short) : available
const chosen = asked.length > 0 ? asked : all
const startedAt = performance.now()
const minutes = () => `${((performance.now() - startedAt) / 60_000).toFixed(1)} min`
for (const name of chosen) {
  console.log(`\n## ${name} (${minutes()} after the start)\n`)
  if (!(await measure(name))) failed.push(name)
}

const written = [...resultFiles()].filter(([file, changedAt]) => before.get(file) !== changedAt).map(([file]) => file)
console.log(`\n${minutes()} in all. Written:${written.length === 0 ? ' nothing' : ''}`)
for (const file of written.sort()) console.log(`  ${path.relative(process.cwd(), path.join(results, file))}`)
if (options.report)
  await report(
    `npm run bench -- ${options.short ? '--short ' : ''}--report`,
    chosen.filter((name) => !failed.includes(name)),
  )
if (failed.length > 0) console.error(`Failed: ${failed.join(', ')}`)
process.exitCode = failed.length === 0 && written.length > 0 ? 0 : 1
