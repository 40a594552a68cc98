// Measures a server under ten times the submissions that it can complete: what it still completes, and how soon it
// recovers. Then 5,000 clients at once, as after an outage. Then the same overload with 128 MiB of heap. The built server
// runs as a separate process with SQLite at synchronous=FULL, without TLS, because a proxy would take the handshakes.
// A separate process generates the load.
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  atLeast,
  atMost,
  printGoals,
  printTable,
  processorUs,
  spread,
  temporaryFolder,
  writeReport,
} from './harness.mjs'
import { startReferenceServer, stopReferenceServer } from './reference-server.mjs'
import { query, variablesOf } from './small-submission.mjs'

const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const floodSeconds = Number(process.env.BENCH_FLOOD_SECONDS ?? 10)
const heapSeconds = Number(process.env.BENCH_HEAP_SECONDS ?? 120)
const timesPeak = Number(process.env.BENCH_TIMES_PEAK ?? 10)
const reach = { goodputShare: 0.6, takenP99Ms: 500, refusedP99Ms: 50, recoveryMs: 5_000 }
const connections = Number(process.env.BENCH_CONNECTIONS ?? 1_000)

const folder = temporaryFolder()
const children = new Set()

function track(child) {
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}

const startServer = (name, nodeOptions) =>
  startReferenceServer({
    dataDir: path.join(folder, name),
    variables: {
      TLS_TERMINATED_UPSTREAM: '1',
      GRAPHQL_REQUESTS_PER_MINUTE: '100000000',
      ...(process.env.BENCH_MAX_IN_FLIGHT === undefined ? {} : { MAX_IN_FLIGHT: process.env.BENCH_MAX_IN_FLIGHT }),
    },
    nodeOptions,
    onChild: track,
  })

const [before, after] = JSON.stringify({ query, variables: variablesOf('@@') }).split('@@')
let runsMade = 0

/** One run of the load generator against a server, with the processor time that each of the two took. */
async function load({ child, demo, port }, kind, options) {
  const generator = track(fork(fileURLToPath(new URL('./load-generator.mjs', import.meta.url)), { execArgv: [] }))
  const users = demo.users.filter(({ scopes }) => scopes.includes('VERIFY_KYC'))
  const run = `overload-${process.pid}-${(runsMade += 1)}`
  const tokens = users.map(({ accessToken }) => accessToken)
  const target = { host: '127.0.0.1', port, path: '/api/v1/graphql', tokens, before, after, run }
  const usedBefore = processorUs(child.pid)
  generator.send({ kind, target, ...options })
  const [report] = await once(generator, 'message')
  const serverUs = processorUs(child.pid) - usedBefore
  const generatorUs = processorUs(generator.pid)
  generator.kill()
  return { ...report, serverUs, generatorUs }
}

/** Milliseconds from the start of a run to the first tenth of a second from which on nothing was refused or slow. */
function recoveredAfterMs(slots) {
  const last = slots.findLastIndex(
    (slot) => slot !== null && (slot.refused > 0 || slot.other > 0 || slot.slowestMs > 500),
  )
  return (last + 1) * 100
}

const residentMiB = ({ child }) =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1_024

try {
  const server = await startServer('flood')
  await load(server, 'closedLoop', { clients: 64, forMs: 3_000 })
  const runs = []
  for (let round = 0; round < rounds; round += 1) {
    const alone = await load(server, 'closedLoop', { clients: 64, forMs: 5_000 })
    assert.equal(alone.refused.count + alone.other, 0, 'nothing is refused below the limit')
    const peak = (alone.taken.count / alone.tookMs) * 1000
    const flood = await load(server, 'openLoop', {
      perSecond: peak * timesPeak,
      forMs: floodSeconds * 1000,
      connections,
      drainMs: 5_000,
    })
    const calm = await load(server, 'openLoop', {
      perSecond: peak / 4,
      forMs: 6_000,
      connections: 64,
      drainMs: 2_000,
    })
    const crowd = Math.round(peak * timesPeak)
    const storm = await load(server, 'storm', { clients: Math.min(crowd, 5_000), forMs: 60_000 })
    const perSecond = (count) => (count / flood.tookMs) * 1000
    const takenUs = alone.serverUs / alone.taken.count
    runs.push({
      peak,
      offered: perSecond(flood.sent + flood.unsent),
      sent: perSecond(flood.sent),
      taken: perSecond(flood.taken.count),
      refused: perSecond(flood.refused.count),
      goodputShare: perSecond(flood.taken.count) / peak,
      takenUs,
      // Processor time left for refusals, if each accepted submission costs as much as at the peak.
      refusedUs: (flood.serverUs - flood.taken.count * takenUs) / flood.refused.count,
      serverCores: flood.serverUs / 1000 / flood.tookMs,
      loadCores: flood.generatorUs / 1000 / flood.tookMs,
      takenP99Ms: flood.taken.p99Ms,
      refusedP50Ms: flood.refused.p50Ms,
      refusedP99Ms: flood.refused.p99Ms,
      broken: flood.other + flood.unanswered,
      recoveryMs: recoveredAfterMs(calm.slots),
      stormClients: storm.clients,
      stormDone: storm.done,
      stormMs: storm.tookMs,
      stormIdealMs: (storm.clients / peak) * 1000,
      stormAttempts: storm.attempts,
    })
  }
  const rows = Object.keys(runs[0]).map((measure) => {
    return { measure, ...spread(runs.map((run) => run[measure] ?? Number.NaN)) }
  })
  console.log(`${timesPeak} times the peak for ${floodSeconds} s`)
  printTable(rows, 'measure', 2)
  await stopReferenceServer(server)

  const heap = { seconds: heapSeconds, taken: 0, refused: 0, broken: 0, highestMiB: 0, lived: true }
  if (heapSeconds > 0) {
    const small = await startServer('heap', ['--max-old-space-size=128'])
    const { median: peak } = rows.find(({ measure }) => measure === 'peak')
    for (let left = heapSeconds; left > 0 && heap.lived; left -= 20) {
      const flood = await load(small, 'openLoop', {
        perSecond: peak * timesPeak,
        forMs: Math.min(left, 20) * 1000,
        connections,
        drainMs: 10_000,
      })
      heap.taken += flood.taken.count
      heap.refused += flood.refused.count
      heap.broken += flood.other + flood.unanswered
      heap.lived = small.child.exitCode === null && small.child.signalCode === null
      if (heap.lived) heap.highestMiB = residentMiB(small)
    }
    console.log('the same flood with 128 MiB of heap')
    console.table({ ...heap, highestMiB: Math.round(heap.highestMiB) })
    await stopReferenceServer(small)
  }

  const value = (measure) => rows.find((row) => row.measure === measure).median
  const goals = [
    atLeast('submissions completed, as a share of the peak', value('goodputShare'), reach.goodputShare),
    atMost('p99 of completed submissions, in ms', value('takenP99Ms'), reach.takenP99Ms),
    atMost('p99 of refusals, in ms', value('refusedP99Ms'), reach.refusedP99Ms),
    atMost('time until calm after the flood, in ms', value('recoveryMs'), reach.recoveryMs),
  ]
  printGoals(goals)
  console.log(`lived with 128 MiB of heap: ${heap.lived ? 'yes' : 'no'}`)

  writeReport('overload', {
    unit: 'the unit that each name tells',
    sizes: { rounds, 'times the peak': timesPeak, 'seconds of flood': floodSeconds, connections },
    setup: {
      '128 MiB of heap': `the same flood for ${heapSeconds} s, which the server ${heap.lived ? 'lived through' : 'did not live through'}`,
    },
    rows,
    goals,
  })
} finally {
  for (const child of children) child.kill('SIGKILL')
}
