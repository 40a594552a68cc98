// Runs every measurement, or those named on the command line, one after another: each has the machine for itself.
//   npm run bench                       all of them
//   npm run bench -- verify-webhook     bench/verify-webhook.bench.mjs
//   npm run bench -- --report           writes docs/benchmarks.md from the results there are
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('.', import.meta.url))
const results = path.join(folder, 'results')
const suffix = '.bench.mjs'

if (process.argv[2] === '--report') {
  const { writeBenchmarksPage } = await import('./report.mjs')
  console.log(`Written: docs/benchmarks.md with ${(await writeBenchmarksPage(results)).join(', ')}`)
  process.exit(0)
}

const available = readdirSync(folder)
  .filter((file) => file.endsWith(suffix))
  .map((file) => file.slice(0, -suffix.length))
  .sort()
const asked = process.argv.slice(2).map((name) => path.basename(name).replace(/\.bench(?:\.mjs)?$/, ''))
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
    const child = spawn(process.execPath, ['--expose-gc', path.join(folder, name + suffix)], {
      cwd: folder,
      stdio: 'inherit',
    })
    child.on('error', () => resolve(false))
    child.on('exit', (code) => resolve(code === 0))
  })

mkdirSync(results, { recursive: true })
const before = resultFiles()
const failed = []
for (const name of asked.length > 0 ? asked : available) {
  console.log(`\n## ${name}\n`)
  if (!(await measure(name))) failed.push(name)
}

const written = [...resultFiles()].filter(([file, changedAt]) => before.get(file) !== changedAt).map(([file]) => file)
console.log(`\nWritten:${written.length === 0 ? ' nothing' : ''}`)
for (const file of written.sort()) console.log(`  ${path.relative(process.cwd(), path.join(results, file))}`)
if (failed.length > 0) console.error(`Failed: ${failed.join(', ')}`)
process.exitCode = failed.length === 0 && written.length > 0 ? 0 : 1
