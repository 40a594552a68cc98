// Compares this checkout with an earlier one of this project, side by side: each of the named measurements runs in the
// one and then in the other, round after round, so that what else the machine does meets both.
//
//   git worktree add ../earlier ea07280 && (cd ../earlier && npm ci && npm run build)
//   npm run bench:against -- ../earlier                  verify-webhook, ingestion and deliveries, 5 rounds
//   npm run bench:against -- ../earlier 3 ingestion      one of them, 3 rounds
//
// verify-webhook runs in each checkout with its own files of bench/. For ingestion and deliveries both run side by side, and
// the load and the queues come from this checkout. A round of deliveries takes about seven minutes.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { ingestionPairs } from './against-ingestion.mjs'
import { deliveryPairs } from './against-deliveries.mjs'
import { median, writeReport } from './harness.mjs'

const deliveryRows = [
  { row: 'kyc-relay on SQLite', engine: 'sqlite', isSealed: false },
  { row: 'kyc-relay on PostgreSQL', engine: 'postgres', isSealed: false },
  // The earlier one may seal no bodies: its bodies are clear.
  { row: 'kyc-relay on SQLite, sealed bodies', engine: 'sqlite', isSealed: true },
  { row: 'kyc-relay on PostgreSQL, sealed bodies', engine: 'postgres', isSealed: true },
]

/**
 * `pairs` measures both side by side. Without it each runs its own file, both write the rows, and `pace` turns a figure into
 * work per time: more is better.
 */
const measurements = {
  'verify-webhook': { rows: ['verifyWebhook, text', 'signWebhook'], pace: (nanoseconds) => 1e9 / nanoseconds },
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
    rows: deliveryRows.map(({ row }) => row),
    async pairs() {
      const ofRows = []
      for (const row of deliveryRows) ofRows.push(await deliveryPairs(folders, rounds, row))
      return Array.from({ length: rounds }, (_, round) => ({
        now: ofRows.map((pairs) => pairs[round].now),
        before: ofRows.map((pairs) => pairs[round].before),
      }))
    },
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

/** Runs one measurement in one checkout, and answers the pace of each row. */
async function paces(which, name) {
  const folder = folders[which]
  const { rows, pace } = measurements[name]
  const child = spawn(process.execPath, ['--expose-gc', `${name}.bench.mjs`], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('exit', resolve))
  if (code !== 0) throw new Error(`${name} failed in ${folder}`)
  const report = JSON.parse(readFileSync(path.join(folder, 'results', `${name}.json`), 'utf8'))
  const medians = new Map(report.rows.map((row) => [row.contender, row.median]))
  return rows.map((row) => pace(medians.get(row)))
}

/** Runs one measurement in each checkout, round after round. */
async function pairsOfRuns(name) {
  const pairs = []
  for (let round = 0; round < rounds; round += 1) {
    const pair = {}
    // Whoever comes first finds the disk quieter: the two take turns.
    for (const which of round % 2 === 0 ? ['now', 'before'] : ['before', 'now']) pair[which] = await paces(which, name)
    pairs.push(pair)
  }
  return pairs
}

const summaries = []
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
