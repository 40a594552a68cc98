// Measures the time from a start to the first answer: at the first start, which creates keys, certificates, databases and
// the demo, and at a later one. For comparison: a Node server that answers "ok". Then the memory after many submissions,
// over TLS, on SQLite.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import { atMost, printTable, spread, temporaryFolder, writeReport } from './harness.mjs'
import { freePort } from './free-port.mjs'
import { query, variablesOf } from './small-submission.mjs'

const rounds = Number(process.env.BENCH_ROUNDS ?? 7)
const submissions = Number(process.env.BENCH_SUBMISSIONS ?? 100_000)
const connections = 64
const reach = { startMs: 1_000, residentMiB: 200 }

const folder = temporaryFolder()
const main = fileURLToPath(new URL('../apps/reference-server/dist/main.js', import.meta.url))
const bare = `require('node:http').createServer((_, answer) => answer.end('ok')).listen(process.env.PORT, '127.0.0.1')`
let running = null

const answers = (port) =>
  new Promise((resolve) => {
    const asked = request({ port, host: '127.0.0.1', path: '/healthz' }, (answer) => {
      answer.resume()
      resolve(answer.statusCode === 200)
    })
    asked.on('error', () => resolve(false))
    asked.end()
  })

/** Starts a program and resolves at its first answer, with how long that took. */
async function start(program, dataDir) {
  const port = await freePort()
  const env = {
    PATH: process.env.PATH,
    PORT: String(port),
    INTERNAL_PORT: '0',
    SECURE_PORT: '0',
    DATA_DIR: dataDir,
    GRAPHQL_REQUESTS_PER_MINUTE: '100000000',
  }
  const options = process.env.BENCH_NODE_OPTIONS?.split(' ') ?? []
  const startedAt = performance.now()
  running = spawn(process.execPath, [...options, ...program], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  while (!(await answers(port))) {
    assert.equal(running.exitCode, null, 'the program did not start')
    await sleep(10)
  }
  return { ms: performance.now() - startedAt, pid: running.pid, port }
}

/** The demo file of this start: it is written last of all, after the first answer. */
async function demoOf(dataDir, port) {
  const file = path.join(dataDir, 'demo.json')
  for (;;) {
    const demo = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null
    if (demo !== null && new URL(demo.apiUrl).port === String(port)) return demo
    await sleep(50)
  }
}

async function stop() {
  if (running === null) return
  const child = running
  running = null
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

/** Resident memory of a process, now and at its highest, in MiB (Linux). */
function memory(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const read = (field) => Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1_024
  return { residentMiB: read('VmRSS'), highestMiB: read('VmHWM') }
}

/** Sends `count` submissions over 64 connections. */
async function submit(demo, ca, from, count) {
  const pool = new Pool(new URL(demo.secureUrl).origin, { connections, connect: { ca } })
  const tokens = demo.users.filter(({ scopes }) => scopes.includes('VERIFY_KYC')).map(({ accessToken }) => accessToken)
  let next = from
  const lane = async (number) => {
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${tokens[number % tokens.length]}`,
    }
    while (next < from + count) {
      const body = JSON.stringify({ query, variables: variablesOf(`start-${(next += 1)}`) })
      const answer = await pool.request({ method: 'POST', path: '/api/v1/graphql', headers, body })
      const text = await answer.body.text()
      assert.ok(answer.statusCode === 200 && text.includes('VERIFIED"'), `${answer.statusCode} ${text}`)
    }
  }
  await Promise.all(Array.from({ length: connections }, (_, number) => lane(number)))
  await pool.destroy()
}

try {
  const contenders = [
    {
      name: 'kyc-relay, first start',
      program: [main],
      dataDir: (round) => path.join(folder, `first-${round}`),
      runs: [],
    },
    { name: 'kyc-relay, later start', program: [main], dataDir: () => path.join(folder, 'first-0'), runs: [] },
    { name: 'Node, "ok"', program: ['-e', bare], dataDir: () => folder, runs: [] },
  ]
  for (let round = 0; round < rounds; round += 1) {
    for (const { program, dataDir, runs } of contenders) {
      runs.push((await start(program, dataDir(round))).ms)
      await stop()
    }
  }
  const rows = contenders.map(({ name, runs }) => ({ contender: name, ...spread(runs) }))
  console.log('milliseconds from start to first answer')
  printTable(rows, 'contender', 0)

  const dataDir = path.join(folder, 'first-0')
  const { pid, port } = await start([main], dataDir)
  const demo = await demoOf(dataDir, port)
  const ca = readFileSync(demo.caFile, 'utf8')
  const seen = [{ submissions: 0, ...memory(pid) }]
  for (const share of [0.1, 0.5, 1]) {
    const done = seen.at(-1).submissions
    const upTo = Math.round(submissions * share)
    await submit(demo, ca, done, upTo - done)
    seen.push({ submissions: upTo, ...memory(pid) })
  }
  console.log('memory of the server, in MiB, after so many submissions')
  printTable(seen, 'submissions', 0)
  const startMs = Math.max(...rows.slice(0, 2).map(({ median }) => median))
  const { residentMiB } = seen.at(-1)
  const said = (name, value, most) => `${name} ${Math.round(value)} (reach ${most}): ${value <= most ? 'yes' : 'no'}`
  console.log(said('start in ms', startMs, reach.startMs))
  console.log(said(`MiB after ${submissions} submissions`, residentMiB, reach.residentMiB))

  writeReport('start', {
    unit: 'milliseconds from the start of the process to its first answer',
    sizes: { rounds, submissions, connections },
    setup: {
      'first start': 'creates keys, certificates, databases and the demo',
      'Node, "ok"': '`createServer` of `node:http` that answers "ok"',
      memory: `resident memory after the submissions over TLS, on SQLite: ${seen.map((one) => `${one.submissions}: ${one.residentMiB.toFixed(0)} MiB`).join(', ')}`,
    },
    rows,
    memory: seen,
    goals: [
      atMost('start of the server to its first answer, in ms', startMs, reach.startMs),
      atMost(
        `resident memory after ${submissions.toLocaleString('en-US')} submissions, in MiB`,
        residentMiB,
        reach.residentMiB,
      ),
    ],
  })
} finally {
  await stop()
}
