// How many submissions per second the whole server takes: access token, every check and rule, tokenizing and sealing, and
// two durable commits (vault and verification), on SQLite with synchronous=FULL, over 64 connections that stay open.
// Beside it: GraphQL Yoga answering the same mutation with a constant. Both with TLS and without.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import { startReferenceServer } from './reference-server.mjs'

const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const submissions = Number(process.env.BENCH_SUBMISSIONS ?? 6_000)
const warmUp = Math.min(submissions, 4_000)
const connections = 64

const folder = mkdtempSync(path.join(os.tmpdir(), 'kyc-relay-bench-'))
const children = []

/** The server on files of its own, and what its demo tells of it. */
async function startServer(name, variables) {
  const dataDir = path.join(folder, name)
  const { child, demo } = await startReferenceServer({ dataDir, variables, onChild: (one) => children.push(one) })
  return { pid: child.pid, ...demo }
}

const query = `mutation Submit($schemaVersion: String!, $externalVerificationProvider: String!, $externalVerificationId: String!,
  $decision: String!, $decisionedAt: String, $person: JSON!, $verifications: JSON!, $externalProviderData: JSON) {
  postKycVerification(schemaVersion: $schemaVersion, externalVerificationProvider: $externalVerificationProvider,
    externalVerificationId: $externalVerificationId, decision: $decision, decisionedAt: $decisionedAt, person: $person,
    verifications: $verifications, externalProviderData: $externalProviderData) { status verificationId message }
}`
const check = (name) => ({ name, status: 'PASSED' })
const submission = {
  schemaVersion: '1.0',
  externalVerificationProvider: 'CUSTOM',
  externalVerificationId: '@@',
  decision: 'PASSED',
  decisionedAt: new Date().toISOString(),
  person: {
    firstName: 'Jane',
    middleName: 'Q',
    lastName: 'Example',
    dateOfBirth: '1990-01-31',
    ssn: '078-05-1120',
    ssnLast4: '1120',
    phoneNumber: '+15555550123',
    emailAddress: 'jane@example.com',
    address: {
      streetLine1: '1 Example Street',
      city: 'Springfield',
      subdivision: 'IL',
      postalCode: '62701',
      countryCode: 'US',
    },
  },
  verifications: {
    document: {
      verificationId: 'doc-1',
      status: 'PASSED',
      documentClass: 'DRIVER_LICENSE',
      documentNumber: 'E1234567',
      issuingCountryCode: 'US',
      issuingSubdivision: 'IL',
      expirationDate: '2031-05-31',
      confidenceScore: 98.5,
      checks: [check('face_match'), check('document_authenticity'), check('document_expired')],
    },
    ssn: { verificationId: 'ssn-1', status: 'PASSED', source: 'TIN_DATABASE', checks: [check('ssn_match')] },
  },
  externalProviderData: { templateId: 'itmpl_1', partnerReference: 'ref-4711' },
}
const [before, after] = JSON.stringify({ query, variables: submission }).split('@@')
let sent = 0
const nextBody = () => `${before}bench-${process.pid}-${(sent += 1)}${after}`

/** Processor time of a process so far, in microseconds, where the system tells it (Linux). It hardly depends on what else runs. */
function processorMicroseconds(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
    return (Number(fields[11]) + Number(fields[12])) * 10_000
  } catch {
    return Number.NaN
  }
}

/** Sends `count` submissions over 64 connections and answers the rate and the latencies in milliseconds. */
async function load(contender, count) {
  const { pool, tokens } = contender
  const latencies = []
  let left = count
  const lane = async (number) => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      authorization: `Bearer ${tokens[number % tokens.length]}`,
    }
    while (left-- > 0) {
      const startedAt = performance.now()
      const answer = await pool.request({ method: 'POST', path: '/api/v1/graphql', headers, body: nextBody() })
      const text = await answer.body.text()
      latencies.push(performance.now() - startedAt)
      if (answer.statusCode !== 200 || !text.includes('VERIFIED"')) throw new Error(`${answer.statusCode} ${text}`)
    }
  }
  const startedAt = performance.now()
  const usedBefore = processorMicroseconds(contender.pid)
  await Promise.all(Array.from({ length: connections }, (_, number) => lane(number)))
  const tookMs = performance.now() - startedAt
  latencies.sort((a, b) => a - b)
  const at = (share) => latencies[Math.floor(latencies.length * share)]
  const cpuUs = (processorMicroseconds(contender.pid) - usedBefore) / count
  return { perSecond: (count / tookMs) * 1000, p50: at(0.5), p99: at(0.99), cpuUs }
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]
const spread = (runs, key) => ({
  median: median(runs.map((run) => run[key])),
  lowest: Math.min(...runs.map((run) => run[key])),
  highest: Math.max(...runs.map((run) => run[key])),
})

try {
  const overTls = await startServer('tls', {})
  const plain = await startServer('plain', { TLS_TERMINATED_UPSTREAM: '1' })
  const ca = readFileSync(overTls.caFile)
  const yoga = fork(fileURLToPath(new URL('./yoga-server.mjs', import.meta.url)), [
    overTls.receiverCertFile,
    overTls.receiverKeyFile,
  ])
  children.push(yoga)
  const [yogaPorts] = await once(yoga, 'message')

  const callers = ({ pid, users }) => ({
    pid,
    tokens: users.filter(({ scopes }) => scopes.includes('VERIFY_KYC')).map(({ accessToken }) => accessToken),
  })
  const nobody = { pid: yoga.pid, tokens: ['none'] }
  const connect = (name, tls, port, { pid, tokens }) => ({
    name,
    pid,
    tls,
    tokens,
    runs: [],
    pool: new Pool(`${tls ? 'https' : 'http'}://localhost:${port}`, { connections, pipelining: 1, connect: { ca } }),
  })
  const portOf = (demo) => new URL(demo.secureUrl).port
  const contenders = [
    connect('kyc-relay, whole ingestion', false, portOf(plain), callers(plain)),
    connect('GraphQL Yoga, a constant', false, yogaPorts.plain, nobody),
    connect('kyc-relay, whole ingestion', true, portOf(overTls), callers(overTls)),
    connect('GraphQL Yoga, a constant', true, yogaPorts.secure, nobody),
  ]
  for (const contender of contenders) await load(contender, warmUp)
  for (let round = 0; round < rounds; round += 1) {
    for (const contender of contenders) contender.runs.push(await load(contender, submissions))
  }

  const rows = contenders.map(({ name, tls, runs }, index) => {
    const [mine, theirs] = [contenders[index], contenders[index + 1]]
    return {
      contender: `${name}${tls ? ', TLS' : ''}`,
      ...spread(runs, 'perSecond'),
      p50Ms: spread(runs, 'p50').median,
      p99Ms: spread(runs, 'p99').median,
      cpuUs: spread(runs, 'cpuUs').median,
      // Round against round: what else the machine did meets both.
      ...(index % 2 === 0
        ? { ratioToYoga: median(mine.runs.map((run, round) => run.perSecond / theirs.runs[round].perSecond)) }
        : {}),
    }
  })
  console.table(
    Object.fromEntries(
      rows.map(({ contender, ...row }) => [
        contender,
        Object.fromEntries(
          Object.entries(row).map(([key, value]) => [key, Number(value.toFixed(key === 'ratioToYoga' ? 2 : 1))]),
        ),
      ]),
    ),
  )
  const machine = { node: process.version, cpu: os.cpus()[0]?.model ?? '', cores: os.cpus().length }
  const results = new URL('./results/', import.meta.url)
  mkdirSync(results, { recursive: true })
  writeFileSync(
    new URL('ingestion.json', results),
    `${JSON.stringify({ name: 'ingestion', unit: 'submissions per second', machine, connections, rounds, submissions, rows }, null, 2)}\n`,
  )
  await Promise.all(contenders.map(({ pool }) => pool.destroy()))
} finally {
  for (const child of children) child.kill('SIGINT')
  await Promise.all(children.map((child) => child.exitCode ?? child.signalCode ?? once(child, 'exit')))
  rmSync(folder, { recursive: true, force: true })
}
