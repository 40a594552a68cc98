// How many webhooks a second one process sends with `createHttpsSender`, which the delivery worker of the server uses. Each
// gets a checked connection of its own, with a whole TLS handshake. Beside it: an undici pool that keeps its connections,
// the limit. Nothing is recorded, so this is also the limit of deliveries over TLS.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Pool } from 'undici'
import { createHttpsSender } from '@kyc-relay/webhooks/https'
import { body, concurrency, signedHeaders } from './delivering-worker.mjs'
import { inTurn, median, printTable, spread, startSink, temporaryFolder, writeReport } from './harness.mjs'
import { startReferenceServer, stopReferenceServer } from './reference-server.mjs'

const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const requests = Number(process.env.BENCH_REQUESTS ?? 4_000)

/** The certificates of a demo: its authority, and a receiver on localhost. */
async function demoCertificates() {
  const server = await startReferenceServer({ dataDir: path.join(temporaryFolder(), 'data') })
  await stopReferenceServer(server)
  return server.demo
}

const { caFile, receiverCertFile: CERT_FILE, receiverKeyFile: KEY_FILE } = await demoCertificates()
const caPem = readFileSync(caFile, 'utf8')
const overTls = await startSink({ CERT_FILE, KEY_FILE })
const plain = await startSink()
const pool = new Pool(overTls.url, { connections: concurrency, connect: { ca: caPem } })
const sender = createHttpsSender({ policy: { allowLoopback: { caPem }, allowPlainHttpLocalhost: true } })

async function sendTo(url, headers) {
  const { status } = await sender({ url, headers, body, timeoutMs: 30_000 })
  return status
}
const contenders = {
  createHttpsSender: (headers) => sendTo(`${overTls.url}/hook`, headers),
  'createHttpsSender, plain HTTP': (headers) => sendTo(plain.url.replace('127.0.0.1', 'localhost') + '/hook', headers),
  'undici pool, connections kept': async (headers) => {
    const response = await pool.request({ method: 'POST', path: '/hook', headers, body })
    await response.body.dump()
    return response.statusCode
  },
}

/** Sends `requests` webhooks over as many lanes as a worker has slots. */
async function measure(send) {
  let left = requests
  const usedBefore = process.cpuUsage()
  const startedAt = performance.now()
  const lane = async () => {
    while (left-- > 0) assert.equal(await send(await signedHeaders()), 200)
  }
  await Promise.all(Array.from({ length: concurrency }, lane))
  const seconds = (performance.now() - startedAt) / 1_000
  const { user, system } = process.cpuUsage(usedBefore)
  return { perSecond: requests / seconds, cpuUs: (user + system) / requests }
}

const measured = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]))
for (const send of Object.values(contenders)) await measure(send)
for (let round = 0; round < rounds; round += 1)
  for (const [name, send] of inTurn(Object.entries(contenders), round)) measured[name].push(await measure(send))

const rows = Object.entries(measured).map(([contender, runs]) => ({
  contender,
  ...spread(runs.map(({ perSecond }) => perSecond)),
  cpuUs: median(runs.map(({ cpuUs }) => cpuUs)),
}))
printTable(rows, 'contender')
console.log('cpuUs: processor time of the sending process for one webhook. The sink has a process of its own.')
writeReport('sender', {
  unit: 'webhooks per second',
  sizes: { 'bytes of the body': body.length, lanes: concurrency, rounds, 'webhooks in a round': requests },
  setup: {
    createHttpsSender: 'one checked connection for each webhook, TLS 1.3 on loopback, certificate with a key of P-256',
    'undici pool': 'TLS too; the connections stay open, and no address is checked: the limit',
  },
  rows,
  goals: [],
})
await pool.destroy()
overTls.stop()
plain.stop()
