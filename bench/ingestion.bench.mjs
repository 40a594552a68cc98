// How many submissions per second the whole server takes: access token, every check and rule, tokenizing and sealing, and
// two durable commits (vault and verification), on SQLite with synchronous=FULL, over 64 connections that stay open.
// Beside it: the server that a team writes first, which does equal work (see work-equal-server.mjs), and GraphQL Yoga
// answering the same mutation with a constant, the limit of its kind. All with TLS and without.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { Pool } from 'undici'
import { atLeast, atMost, median, printTable, spread, temporaryFolder, writeReport } from './harness.mjs'
import { startReferenceServer } from './reference-server.mjs'
import { connections, load, tokensOf } from './submission-load.mjs'

const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const submissions = Number(process.env.BENCH_SUBMISSIONS ?? 6_000)
const warmUp = Math.min(submissions, 4_000)

const reach = { workEqual: 2.5, constant: 0.45, p99MsAt16: 30 }
const folder = temporaryFolder()
const children = []

/** Starts a server on new files. Returns its process id and the values of its demo. */
async function startServer(name, variables) {
  const dataDir = path.join(folder, name)
  const { child, demo } = await startReferenceServer({ dataDir, variables, onChild: (one) => children.push(one) })
  return { pid: child.pid, ...demo }
}

/** Milliseconds of one commit with `synchronous=FULL` on this disk: the median of a thousand. */
function commitMs() {
  const file = new Database(path.join(folder, 'commits.db'))
  file.pragma('journal_mode = WAL')
  file.pragma('synchronous = FULL')
  file.exec('CREATE TABLE written (text TEXT) STRICT')
  const insert = file.prepare('INSERT INTO written VALUES (?)')
  const times = Array.from({ length: 1_000 }, () => {
    const startedAt = performance.now()
    insert.run('x'.repeat(300))
    return performance.now() - startedAt
  })
  file.close()
  return median(times)
}

try {
  const oneCommitMs = commitMs()
  const overTls = await startServer('tls', {})
  const plain = await startServer('plain', { TLS_TERMINATED_UPSTREAM: '1' })
  const ca = readFileSync(overTls.caFile)
  const peer = async (module, ...more) => {
    const child = fork(fileURLToPath(module), [overTls.receiverCertFile, overTls.receiverKeyFile, ...more], {
      execArgv: [],
    })
    children.push(child)
    const [ports] = await once(child, 'message')
    return { pid: child.pid, ...ports }
  }
  const yoga = await peer(new URL('./yoga-server.mjs', import.meta.url))
  const workEqual = await peer(new URL('./work-equal-server.mjs', import.meta.url), path.join(folder, 'work-equal.db'))

  const connect = (name, tls, port, { pid, tokens }) => ({
    name,
    pid,
    tls,
    tokens,
    runs: [],
    pool: new Pool(`${tls ? 'https' : 'http'}://localhost:${port}`, { connections, pipelining: 1, connect: { ca } }),
  })
  const portOf = (demo) => new URL(demo.secureUrl).port
  const contendersOn = (tls, demo) => [
    connect('kyc-relay, whole ingestion', tls, portOf(demo), { pid: demo.pid, tokens: tokensOf(demo) }),
    connect('work-equal server', tls, tls ? workEqual.secure : workEqual.plain, workEqual),
    connect('GraphQL Yoga, a constant', tls, tls ? yoga.secure : yoga.plain, { pid: yoga.pid, tokens: ['none'] }),
  ]
  const contenders = [...contendersOn(false, plain), ...contendersOn(true, overTls)]
  for (const contender of contenders) await load(contender, warmUp)
  const p99sAt16 = []
  for (let round = 0; round < rounds; round += 1) {
    for (const contender of contenders) contender.runs.push(await load(contender, submissions))
    p99sAt16.push((await load(contenders[0], submissions, 16)).p99)
  }

  const rows = contenders.map(({ name, tls, runs }) => ({
    contender: `${name}${tls ? ', TLS' : ''}`,
    ...spread(runs.map(({ perSecond }) => perSecond)),
    p50Ms: median(runs.map(({ p50 }) => p50)),
    p99Ms: median(runs.map(({ p99 }) => p99)),
    cpuUs: median(runs.map(({ cpuUs }) => cpuUs)),
  }))
  printTable(rows, 'contender')

  // Round against round: what else the machine did meets both.
  const ratioOf = (ours, theirs) =>
    median(contenders[ours].runs.map((run, round) => run.perSecond / contenders[theirs].runs[round].perSecond))
  const ratios = [
    { against: 'work-equal server', ratio: ratioOf(0, 1), reach: reach.workEqual },
    { against: 'GraphQL Yoga, a constant', ratio: ratioOf(0, 2), reach: reach.constant },
    { against: 'work-equal server, TLS', ratio: ratioOf(3, 4), reach: reach.workEqual },
    { against: 'GraphQL Yoga, a constant, TLS', ratio: ratioOf(3, 5), reach: reach.constant },
  ]
  printTable(ratios, 'against', 2)
  const p99MsAt16 = median(p99sAt16)
  console.log(`p99 over 16 connections: ${p99MsAt16.toFixed(1)} ms (reach ≤ ${reach.p99MsAt16})`)
  console.log(`One durable commit on this disk: ${oneCommitMs.toFixed(2)} ms`)
  writeReport('ingestion', {
    unit: 'submissions per second',
    sizes: { connections, rounds, 'submissions in a round': submissions, 'submissions of the warm-up': warmUp },
    setup: {
      'kyc-relay':
        'the built server with its defaults: access token, all rules, tokens, sealing, `synchronous=FULL`, two commits',
      'work-equal server':
        'Yoga, zod, Drizzle on better-sqlite3 with `synchronous=FULL`: token look-up, AES-GCM, HMAC, one transaction for each submission (`bench/work-equal-server.mjs`)',
      'GraphQL Yoga': 'answers the same mutation with a constant and stores nothing: the limit of its kind',
      disk: `one commit with \`synchronous=FULL\` takes ${oneCommitMs.toFixed(2)} ms; the work-equal server waits for one for each submission, kyc-relay shares one among many`,
    },
    rows,
    ratios,
    goals: [
      ...ratios.map(({ against, ratio, reach: least }) =>
        atLeast(`submissions a second over ${against}`, ratio, least),
      ),
      atMost('p99 of a submission over 16 connections, in ms', p99MsAt16, reach.p99MsAt16),
    ],
    plots: [
      { name: 'ingestion-throughput', title: 'Submissions per second', columns: ['median'] },
      { name: 'ingestion-latency', title: 'Latency of a submission, milliseconds', columns: ['p50Ms', 'p99Ms'] },
    ],
  })
  await Promise.all(contenders.map(({ pool }) => pool.destroy()))
} finally {
  for (const child of children) child.kill('SIGINT')
  await Promise.all(children.map((child) => child.exitCode ?? child.signalCode ?? once(child, 'exit')))
}
