import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startClients } from '../crash/clients.mjs'
import { openFiles } from '../crash/databases.mjs'
import { startReceiver } from '../crash/receiver.mjs'
import { inTemporaryFolder } from '../folders.mjs'
import { createRandom } from '../random.mjs'
import { startServer } from '../server-process.mjs'
import { createDisk, readJournal } from './disk.mjs'

const recordingMs = 4_000
const recordingMsOfSmoke = 500
const cutsOfRecording = 100
/** One cut of so many starts the server on what is left; the others open the databases alone. */
const cutsPerStart = 20

const bug = (name) => fileURLToPath(new URL(`./bugs/${name}.cjs`, import.meta.url))
const sabotages = {
  'synchronous-normal': {
    what: '`synchronous` is NORMAL: a commit is not synced',
    breaks: /is lost/,
    preload: bug('synchronous-normal'),
  },
  'synchronous-off': {
    what: '`synchronous` is OFF: nothing is synced',
    breaks: /is lost|is damaged/,
    preload: bug('synchronous-off'),
  },
}

function compileJournal(folder) {
  const library = path.join(folder, 'journal.so')
  const source = fileURLToPath(new URL('./journal.c', import.meta.url))
  const { status, stderr } = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl', '-lpthread'])
  if (status !== 0) throw new Error(`the journal was not compiled: ${stderr}`)
  return library
}

/** Whether this machine can keep the journal: Linux with a C compiler. */
export const canCutPower = () => process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0

/** Runs the server from its first start, under load, and kills it. */
async function record({ folder, dataDir, seed, preload, recordedMs }) {
  const journal = path.join(folder, 'journal')
  const variables = { LD_PRELOAD: compileJournal(folder), JOURNAL: journal, JOURNAL_ROOT: dataDir }
  mkdirSync(dataDir)
  const server = startServer({ dataDir, variables, preload })
  const demo = await server.started
  if (demo === null) throw new Error(`the server did not start: ${server.output()}`)
  const receiver = await startReceiver(demo, demo.apps[0].apiKey)
  const endMs = performance.now() + recordedMs
  const clients = startClients({
    seed,
    demo,
    receiver,
    pickServer: async () => demo,
    until: () => performance.now() > endMs,
    clock: () => statSync(journal).size,
  })
  await clients.finished
  clients.close()
  await server.end('SIGKILL')
  await receiver.close()
  return { records: [...readJournal(readFileSync(journal))], ledger: clients.ledger }
}

const owed = (book, position) => [...book].filter(([, { at }]) => at <= position)

/** What the databases lack or break of everything that was acknowledged before the cut. */
async function judgeFiles({ dataDir, ledger, position }) {
  const files = openFiles(dataDir)
  try {
    const damaged = files.integrity()
    if (damaged.length > 0) return damaged
    const idsOf = async (sql) => new Set((await files.ask(sql)).map(({ id }) => id))
    const submissions = owed(ledger.submissions, position)
    const events = [...owed(ledger.events, position), ...owed(ledger.transactions, position)]
    if (submissions.length + events.length === 0) return []
    const verifications = await idsOf('SELECT verification_id AS id FROM kyc_relay_verifications')
    const stored = await idsOf('SELECT event_id AS id FROM kyc_relay_events')
    return [
      ...submissions.filter(([, { answer }]) => !verifications.has(answer.verificationId)),
      ...events.filter(([, { answer }]) => !stored.has(answer.eventId)),
    ].map(([id]) => `acknowledged ${id} is lost`)
  } catch (error) {
    // Before the first start had made its tables, nothing was acknowledged.
    const mayLack = owed(ledger.submissions, position).length + owed(ledger.events, position).length === 0
    return mayLack ? [] : [`a database is lost: ${error.code}`]
  }
}

/** Starts the server on what is left, and has it answer what it acknowledged. */
async function judgeStart({ dataDir, ledger, position, seed }) {
  const server = startServer({ dataDir })
  const demo = await server.started
  if (demo === null) return [`the server does not start: ${server.output().slice(-400)}`]
  const acknowledged = owed(ledger.submissions, position).slice(-5)
  const clients = startClients({
    seed,
    demo,
    receiver: { url: () => '' },
    pickServer: async () => demo,
    until: () => true,
    setUp: false,
  })
  for (const [id, { answer, user, variables }] of acknowledged) {
    clients.ledger.submissions.set(id, { answer })
    await clients.postSubmission(user, variables)
  }
  clients.close()
  const { code } = await server.end('SIGTERM')
  return [...clients.violations, ...(code === 0 ? [] : [`the server left with ${code}`])]
}

async function runRecording({ seed, preload, recordedMs, mayCut, deep }) {
  return inTemporaryFolder(async (folder) => {
    const dataDir = path.join(folder, 'data')
    const { records, ledger } = await record({ folder, dataDir, seed, preload, recordedMs })
    renameSync(dataDir, path.join(folder, 'recorded'))
    const random = createRandom(seed, 'cuts')
    // Half of the cuts are anywhere, half in the first tenth: the first start.
    const early = Math.floor(records.length / 10)
    const anywhere = () => random.whole(random.chance(0.5) ? records.length : early)
    const points = Array.from({ length: cutsOfRecording }, anywhere).sort((one, other) => one - other)
    const disk = createDisk()
    const violations = []
    const counts = { cuts: 0, starts: 0 }
    let next = 0
    for (const point of points) {
      if (!mayCut(counts.cuts) || violations.length > 0) break
      while (next <= point) disk.apply(records[next++])
      mkdirSync(dataDir)
      disk.cut({ random, root: dataDir, target: dataDir })
      const context = { dataDir, ledger, position: records[point].endsAt, seed }
      const found = []
      if (deep && random.whole(cutsPerStart) === 0) {
        counts.starts += 1
        found.push(...(await judgeStart(context)))
      }
      found.push(...(await judgeFiles(context)))
      counts.cuts += 1
      violations.push(
        ...found.slice(0, 3).map((one) => `${one} (--seed ${seed}, record ${point} of ${records.length})`),
      )
      rmSync(dataDir, { recursive: true })
    }
    await sleep(0)
    return { counts, violations, records: records.length }
  })
}

export const power = {
  unit: 'cuts',
  seconds: 120,
  isPossible: canCutPower,
  promises: [
    'An acknowledged submission or event is stored after a loss of power at any moment, the first start included.',
  ],
  notTested:
    'A disk that says it has synced and has not. PostgreSQL. Losses inside a sector of 512 bytes. The order of names on file systems that do not keep it.',
  controls: Object.entries(sabotages).map(([name, { what, breaks }]) => ({ name, what, breaks })),
  controlSize: { count: 100 },
  smoke: { size: { count: 20 } },
  async run({ budget, seed, control, isSmoke = false, log }) {
    const sizes = { cuts: 0, starts: 0, recordings: 0, 'writes and syncs': 0 }
    const violations = []
    while (!budget.isSpent(sizes.cuts) && violations.length === 0) {
      const result = await runRecording({
        seed: seed + sizes.recordings,
        preload: sabotages[control]?.preload ?? null,
        deep: control === null,
        recordedMs: isSmoke ? recordingMsOfSmoke : recordingMs,
        mayCut: (cuts) => !budget.isSpent(sizes.cuts + cuts),
      })
      sizes.recordings += 1
      sizes.cuts += result.counts.cuts
      sizes.starts += result.counts.starts
      sizes['writes and syncs'] += result.records
      violations.push(...result.violations)
      log(`${sizes.cuts} cuts, ${sizes.starts} starts, ${violations.length} violations`)
    }
    return { sizes, violations }
  },
}
