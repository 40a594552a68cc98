// Runs every check, also after one has failed, and prints one line for each; the output of those that failed follows.
// `npm run check -- lint types` runs the named ones alone.
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { root } from './published-packages.mjs'

const bin = (name) => [path.join('node_modules', '.bin', name)]
const script = (name) => [process.execPath, path.join('scripts', name)]
const typescript = (project) => {
  const record = path.join('node_modules', '.cache', 'typescript', `${project}.tsbuildinfo`)
  return [...bin('tsc'), '-p', project, '--incremental', '--tsBuildInfoFile', record]
}

// What people write for people. The reference repeats doc comments.
const pages = ['*.md', 'docs/**/*.md', '{packages,proof,bench,apps}/**/*.md', '.changeset/*.md']

// The longest come first. `after` names a step whose result this one reads.
const steps = [
  { name: 'build', run: ['npm', 'run', 'build'] },
  { name: 'lint', run: [...bin('eslint'), '.', '--max-warnings=0'] },
  { name: 'packed packages', run: script('check-packed-packages.mjs'), after: 'build' },
  { name: 'size of the receiver', run: [process.execPath, 'packages/webhooks/scripts/check-size.mjs'], after: 'build' },
  { name: 'types', run: typescript('tsconfig.json') },
  { name: 'types of pure code', run: typescript('tsconfig.pure.json') },
  { name: 'reference', run: [...script('write-reference.mjs'), '--check'] },
  { name: 'documented examples', run: script('check-doc-examples.mjs') },
  { name: 'format', run: [...bin('prettier'), '--check', '--log-level=warn', '.'] },
  {
    name: 'import rules',
    run: [
      ...bin('depcruise'),
      '--config',
      '.dependency-cruiser.cjs',
      'packages',
      'apps',
      'examples',
      'bench',
      'proof',
      'scripts',
    ],
  },
  { name: 'unused code', run: [...bin('knip'), '--no-progress', '--treat-config-hints-as-errors'] },
  // An export that tests alone use is fine; a file or a dependency that tests alone use is not part of what is published.
  {
    name: 'unused code, published',
    run: [
      ...bin('knip'),
      '--no-progress',
      '--production',
      '--exclude',
      'exports,types',
      '--workspace',
      'packages/*',
      '--workspace',
      'apps/*',
    ],
  },
  { name: 'prose', run: [...bin('textlint'), '--rulesdir', 'scripts/prose', ...pages] },
  { name: 'spelling', run: [...bin('cspell'), 'lint', '--no-progress', '--no-summary', ...pages] },
  { name: 'changesets', run: script('check-changesets.mjs') },
  { name: 'advisories', run: script('check-advisories.mjs') },
  { name: 'repository text', run: script('check-repository-text.mjs') },
]

const names = process.argv.slice(2)
const unknown = names.filter((name) => !steps.some((step) => step.name === name))
if (unknown.length > 0) {
  console.error(`No check is called ${unknown.join(', ')}. There are: ${steps.map((step) => step.name).join(', ')}.`)
  process.exit(2)
}
const wanted = (step) => names.length === 0 || names.includes(step.name) || (step.name === 'build' && needsBuild)
const needsBuild = steps.some((step) => step.after === 'build' && names.includes(step.name))

function execute({ run: [command, ...commandArguments] }) {
  return new Promise((resolve) => {
    const chunks = []
    const child = spawn(command, commandArguments, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.on('data', (chunk) => chunks.push(chunk))
    child.stderr.on('data', (chunk) => chunks.push(chunk))
    const end = (passed, note = '') => resolve({ passed, output: Buffer.concat(chunks).toString('utf8') + note })
    child.on('error', (error) => end(false, error.message))
    child.on('close', (code, signal) => end(code === 0, signal ? `ended by ${signal}` : ''))
  })
}

const startedAt = performance.now()
const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`.padStart(7)
const results = new Map()

async function runStep(step) {
  if (step.after && results.has(step.after) && !(await results.get(step.after)).passed) {
    console.log(`  skip  ${'-'.padStart(7)}  ${step.name}: ${step.after} failed`)
    return { ...step, passed: false, output: '' }
  }
  const stepStartedAt = performance.now()
  const { passed, output } = await execute(step)
  console.log(`  ${passed ? 'ok  ' : 'FAIL'}  ${seconds(stepStartedAt)}  ${step.name}`)
  // What a step that passed could not do.
  if (passed) for (const [line] of output.matchAll(/^NOT CHECKED: .*$/gm)) console.log(`        ${line}`)
  return { ...step, passed, output }
}

const queue = steps.filter(wanted)
async function work() {
  for (let step = queue.shift(); step; step = queue.shift()) {
    const result = runStep(step)
    results.set(step.name, result)
    await result
  }
}
await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, work))

const failed = (await Promise.all(results.values())).filter((result) => !result.passed)
for (const { name, output } of failed) {
  console.log(`\n── ${name} ${'─'.repeat(Math.max(3, 110 - name.length))}\n${output.trim()}`)
}
console.log(`\n${results.size - failed.length} of ${results.size} checks passed in ${seconds(startedAt).trim()}`)
process.exitCode = failed.length === 0 ? 0 : 1
