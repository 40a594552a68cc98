// Builds the workspaces in the order in which they need each other. A workspace whose inputs and outputs both have the
// content they had after its last build is skipped; content is compared, not time, so a checkout never goes stale.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const cacheFolder = path.join(root, 'node_modules', '.cache', 'kyc-relay-build')

// Workspaces of one stage are built side by side. `reads` are the workspaces whose dist the build itself reads (types).
const stages = [
  [
    { folder: 'packages/kyc-core', reads: [] },
    { folder: 'packages/webhooks', reads: [] },
  ],
  [
    { folder: 'packages/storage-drizzle', reads: ['packages/kyc-core', 'packages/webhooks'] },
    { folder: 'apps/reference-server', reads: [] },
  ],
]
const sharedInputs = ['package-lock.json', 'tsconfig.base.json', 'tsconfig.json', 'scripts/build.mjs']

/** Relative paths of all files below `folder`, sorted; none when it does not exist. */
function filesBelow(folder) {
  const found = []
  const visit = (relative) => {
    let entries
    try {
      entries = readdirSync(path.join(root, relative), { withFileTypes: true })
    } catch (error) {
      if (error.code === 'ENOENT') return
      throw error
    }
    for (const entry of entries) {
      const child = `${relative}/${entry.name}`
      if (entry.isDirectory()) visit(child)
      else found.push(child)
    }
  }
  visit(folder)
  return found.sort()
}

function digestOf(files) {
  const hash = createHash('sha256')
  for (const file of files) {
    const content = readFileSync(path.join(root, file))
    hash.update(`${file}\0${content.length}\0`).update(content)
  }
  return hash.digest('hex')
}

function inputDigest({ folder, reads }) {
  const ownFiles = readdirSync(path.join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(json|ts|js|mjs|cjs)$/.test(entry.name))
    .map((entry) => `${folder}/${entry.name}`)
    .sort()
  return digestOf([
    ...sharedInputs,
    ...ownFiles,
    ...filesBelow(`${folder}/src`),
    ...filesBelow(`${folder}/schema`),
    ...reads.flatMap((other) => filesBelow(`${other}/dist`)),
  ])
}

const outputDigest = ({ folder }) => digestOf(filesBelow(`${folder}/dist`))

function runTsup(folder) {
  return new Promise((resolve, reject) => {
    const tsup = path.join(root, 'node_modules', 'tsup', 'dist', 'cli-default.js')
    const child = spawn(process.execPath, [tsup, '--silent'], { cwd: path.join(root, folder), stdio: 'inherit' })
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      if (code === 0) resolve()
      else reject(new Error(`tsup of ${folder} ended with ${signal ?? `code ${code}`}`))
    })
  })
}

async function build(workspace) {
  const { folder } = workspace
  const stampFile = path.join(cacheFolder, `${folder.replaceAll('/', '-')}.json`)
  const input = inputDigest(workspace)
  let stamp
  try {
    stamp = JSON.parse(readFileSync(stampFile, 'utf8'))
  } catch {
    stamp = null // never built, or an unreadable stamp: build
  }
  if (stamp?.input === input && stamp.output === outputDigest(workspace)) {
    console.log(`build  ${folder}: up to date`)
    return
  }
  const startedAt = performance.now()
  await runTsup(folder)
  // Sources edited while tsup ran leave the digest of what was there before, so the next build runs again.
  writeFileSync(stampFile, JSON.stringify({ input, output: outputDigest(workspace) }))
  console.log(`build  ${folder}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
}

/** True for a lock whose process is gone, or that was never filled in. */
function isAbandoned(lockFile) {
  try {
    const holder = Number(readFileSync(lockFile, 'utf8'))
    if (holder === 0) return Date.now() - statSync(lockFile).mtimeMs > 5_000
    process.kill(holder, 0)
    return false
  } catch (error) {
    return error.code === 'ESRCH'
  }
}

// tsup empties dist before it writes: two builds of one checkout at once (`npm start` beside `npm test`) take turns.
async function takeTurn() {
  const lockFile = path.join(cacheFolder, 'building.pid')
  for (;;) {
    try {
      writeFileSync(lockFile, String(process.pid), { flag: 'wx' })
      process.on('exit', () => rmSync(lockFile, { force: true }))
      for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1))
      return
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    if (isAbandoned(lockFile)) rmSync(lockFile, { force: true })
    else await sleep(100)
  }
}

mkdirSync(cacheFolder, { recursive: true })
try {
  await takeTurn()
  for (const stage of stages) {
    const results = await Promise.allSettled(stage.map(build))
    const failed = results.find((result) => result.status === 'rejected')
    if (failed) throw failed.reason
  }
} catch (error) {
  console.error(`build  failed: ${error.message}`)
  process.exitCode = 1
}
