// Compares this checkout with an earlier one of this project, side by side: each of the named measurements runs in the
// one and then in the other, round after round, so that what else the machine does meets both.
//
//   git worktree add ../earlier ea07280 && (cd ../earlier && npm ci && npm run build)
//   npm run bench:against -- ../earlier                  verify-webhook, ingestion and deliveries, 5 rounds
//   npm run bench:against -- ../earlier 3 ingestion      one of them, 3 rounds
//
// Every checkout runs its own files of bench/, so that both may change; what is compared are the rows named below. The load of
// ingestion comes from this checkout.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { ingestionPairs } from './against-ingestion.mjs'
import { median, writeReport } from './harness.mjs'

/**
 * Rows of this checkout. The earlier one writes them too, or the row in `before`. `pace` turns a figure into work per time:
 * more is better.
 */
const measurements = {
  'verify-webhook': { rows: ['verifyWebhook, text', 'signWebhook'], pace: (nanoseconds) => 1e9 / nanoseconds, env: {} },
  ingestion: {
    rows: ['kyc-relay, whole ingestion', 'kyc-relay, whole ingestion, TLS'],
    // Both servers run side by side: in a run for each, one of them met quieter minutes.
    async pairs() {
      const plain = await ingestionPairs(folders, rounds, false)
      const overTls = await ingestionPairs(folders, rounds, true)
      return plain.map((pair, n) => ({
        now: [pair.now, overTls[n].now],
        before: [pair.before, overTls[n].before],
      }))
    },
  },
  deliveries: {
    rows: [
      'kyc-relay on SQLite',
      'kyc-relay on PostgreSQL',
      'kyc-relay on SQLite, sealed bodies',
      'kyc-relay on PostgreSQL, sealed bodies',
    ],
    // The earlier one may seal no bodies.
    before: {
      'kyc-relay on SQLite, sealed bodies': 'kyc-relay on SQLite',
      'kyc-relay on PostgreSQL, sealed bodies': 'kyc-relay on PostgreSQL',
    },
    pace: (perSecond) => perSecond,
    env: { BENCH_ROUNDS: '1', BENCH_DELIVERIES: '6000' },
    // What ran before in the same process would slow a row, and the two checkouts have other rows.
    hasProcessPerRow: true,
  },
}

const here = fileURLToPath(new URL('.', import.meta.url))
const [earlier, givenRounds = '5', ...givenNames] = process.argv.slice(2)
const rounds = Number(givenRounds)
const names = givenNames.length > 0 ? givenNames : Object.keys(measurements)
const known = names.every((name) => measurements[name] !== undefined)
if (earlier === undefined || !Number.isInteger(rounds) || rounds < 1 || !known) {
  console.error(`usage: npm run bench:against -- <folder> [rounds] [${Object.keys(measurements).join('] [')}]`)
  process.exit(2)
}
const folders = { now: here, before: path.join(path.resolve(earlier), 'bench') }

/** Runs rows of one measurement in one checkout, in one process, and answers the pace of each row. */
async function paces(which, name, rows) {
  const folder = folders[which]
  const { before = {}, pace, env, hasProcessPerRow } = measurements[name]
  const nameOf = (row) => (which === 'before' ? (before[row] ?? row) : row)
  const only = hasProcessPerRow ? { BENCH_ONLY: nameOf(rows[0]) } : {}
  const child = spawn(process.execPath, ['--expose-gc', `${name}.bench.mjs`], {
    cwd: folder,
    env: { ...process.env, ...env, ...only },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('exit', resolve))
  if (code !== 0) throw new Error(`${name} failed in ${folder}`)
  const report = JSON.parse(readFileSync(path.join(folder, 'results', `${name}.json`), 'utf8'))
  const medians = new Map(report.rows.map((row) => [row.contender, row.median]))
  return rows.map((row) => pace(medians.get(nameOf(row))))
}

const summaries = []
/** Runs one measurement in each checkout, round after round. */
async function pairsOfRuns(name) {
  const { rows, hasProcessPerRow } = measurements[name]
  const groups = hasProcessPerRow ? rows.map((row) => [row]) : [rows]
  const pairs = []
  for (let round = 0; round < rounds; round += 1) {
    const pair = { now: [], before: [] }
    // Whoever comes first finds the disk quieter: the two take turns.
    const order = round % 2 === 0 ? ['now', 'before'] : ['before', 'now']
    for (const group of groups) for (const which of order) pair[which].push(...(await paces(which, name, group)))
    pairs.push(pair)
  }
  return pairs
}

for (const name of names) {
  const { rows, pairs: ownPairs } = measurements[name]
  const pairs = ownPairs === undefined ? await pairsOfRuns(name) : await ownPairs()
  rows.forEach((row, n) => {
    const ratios = pairs.map(({ now, before }) => now[n] / before[n])
    summaries.push({
      measurement: name,
      row,
      now: median(pairs.map(({ now }) => now[n])),
      before: median(pairs.map(({ before }) => before[n])),
      ratio: median(ratios),
      lowest: Math.min(...ratios),
      highest: Math.max(...ratios),
    })
  })
}

console.log(
  `Per second, medians of ${rounds} rounds; ratio now / before of each round, and their lowest and highest.\n`,
)
console.table(
  Object.fromEntries(
    summaries.map(({ measurement, row, ...figures }) => [
      `${measurement}: ${row}`,
      Object.fromEntries(Object.entries(figures).map(([key, value]) => [key, Number(value.toPrecision(3))])),
    ]),
  ),
)
writeReport('against', { unit: 'per second', rounds, rows: summaries })
