import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const work = path.join(root, 'proof', 'results', 'mutation')
const stryker = path.join(root, 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js')

/** Folders that neither the code nor its tests need. */
const notNeeded = [
  'apps',
  'bench',
  'docs',
  'examples',
  '.changeset',
  '.ci',
  '.github',
  'packages/*/dist',
  'proof/results',
]

/**
 * Runs Stryker on one part, one mutant at a time, and resolves with its mutants:
 * `{ file, line, original, replacement, status }`, where `line` is the text of the first line.
 */
export async function runStryker({ name, mutate, tests }, otherTests = tests) {
  const report = path.join(work, `${name}.json`)
  const config = path.join(work, `${name}.config.json`)
  mkdirSync(work, { recursive: true })
  const settings = {
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'proof/mutation/vitest.config.mjs', related: false },
    mutate,
    ignorePatterns: notNeeded,
    tempDirName: 'proof/results/mutation/sandboxes',
    concurrency: 1,
    coverageAnalysis: 'perTest',
    ignoreStatic: true,
    // On a busy machine a shorter time would count a slow test as a mutant that was noticed.
    timeoutMS: 60_000,
    reporters: ['json'],
    jsonReporter: { fileName: report },
    logLevel: 'error',
    allowEmpty: false,
  }
  writeFileSync(config, JSON.stringify(settings))
  const env = { ...process.env, TESTS: otherTests.join(',') }
  const child = spawn(process.execPath, [stryker, 'run', config], {
    cwd: root,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', (chunk) => (errors += chunk))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`Stryker left with ${code}: ${errors.slice(-500)}`)
  const { files } = JSON.parse(readFileSync(report, 'utf8'))
  return Object.entries(files).flatMap(([file, { source, mutants }]) => {
    const lines = source.split('\n')
    return mutants.map(({ location, replacement, status }) => ({
      file,
      line: lines[location.start.line - 1].trim(),
      original: textAt(lines, location),
      replacement,
      status,
    }))
  })
}

/** The mutated text, on one line. */
function textAt(lines, { start, end }) {
  const found = lines.slice(start.line - 1, end.line)
  found[found.length - 1] = found.at(-1).slice(0, end.column - 1)
  found[0] = found[0].slice(start.column - 1)
  return found.map((line) => line.trim()).join(' ')
}
