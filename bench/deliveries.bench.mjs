// Measures deliveries per second of one process to a local sink. Each attempt is durably opened before it is sent and
// durably finished afterwards. Peers: pg-boss, which sends the same POST from a real PostgreSQL, and a loop of
// undici.request without records, which is the upper limit. All of them post by the same pool of open connections: this
// measures the queue. `sender.bench.mjs` measures the sender.
import { fileURLToPath } from 'node:url'
import { startContender } from './contender.mjs'
import { body, concurrency, endpoints } from './delivering-worker.mjs'
import { atLeast, inTurn, median, spread, writeReport } from './harness.mjs'

// A queue may be quick while it is short: everyone drains a short one and a longer one.
const sizes = (process.env.BENCH_DELIVERIES ?? '6000,20000').split(',').map(Number)
const rounds = Number(process.env.BENCH_ROUNDS ?? 8)
// In each round a contender starts anew, with a database of its own. It first delivers three queues that are not counted: the
// pace of every contender rises until the third, while its code is compiled.
const warmUps = 3
const warmUp = Number(process.env.BENCH_WARM_UP ?? 6_000)
const lanesOfPgBoss = Number(process.env.BENCH_LANES ?? 4)

const folder = fileURLToPath(new URL('.', import.meta.url))
const worker = (engine, bodies) => [new URL('./delivery-turns.mjs', import.meta.url), [folder, engine, bodies]]
/** The program of each contender, and its arguments. */
const contenders = {
  'undici.request, nothing recorded': [new URL('./undici-turns.mjs', import.meta.url)],
  'kyc-relay on SQLite': worker('sqlite', 'clear'),
  'kyc-relay on PostgreSQL': worker('postgres', 'clear'),
  'kyc-relay on SQLite, sealed bodies': worker('sqlite', 'sealed'),
  'kyc-relay on PostgreSQL, sealed bodies': worker('postgres', 'sealed'),
  'pg-boss on PostgreSQL, batches of 64': [new URL('./pg-boss-turns.mjs', import.meta.url), [String(lanesOfPgBoss)]],
}
// BENCH_ONLY is the name of a contender, or a word: `sqlite` runs those with that word in their name.
const only = process.env.BENCH_ONLY ?? ''
const isRun = (name) => (contenders[only] ? name === only : name.toLowerCase().includes(only.toLowerCase()))
for (const name of Object.keys(contenders).filter((name) => !isRun(name))) delete contenders[name]
const notMeasured = { 'BullMQ on Redis': 'needs a Redis' }

/** Delivers a queue of this length, after the warm-ups. */
async function measure([program, args], size) {
  const contender = await startContender(program, args)
  try {
    for (let queue = 0; queue < warmUps; queue += 1) await contender.deliver(warmUp)
    return await contender.deliver(size)
  } finally {
    await contender.stop()
  }
}

/** What each contender made of a queue of this length, round by round. */
async function measureAll(size) {
  const times = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]))
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, contender] of inTurn(Object.entries(contenders), round)) {
      if (notMeasured[name] !== undefined) continue
      try {
        times[name].push(await measure(contender, size))
      } catch (error) {
        notMeasured[name] = error.message
      }
    }
  }
  return times
}

/** The medians of a length, and the ratios that matter. */
function summaryOf(size, times) {
  const rows = Object.entries(times)
    .filter(([name]) => notMeasured[name] === undefined)
    .map(([contender, measured]) => {
      return {
        deliveries: size,
        contender,
        ...spread(measured.map(({ perSecond }) => perSecond)),
        cpuUs: median(measured.map(({ cpuUs }) => cpuUs)),
      }
    })
  const medianOf = (name) => rows.find(({ contender }) => contender === name)?.median ?? NaN
  const ratios = [
    ['kyc-relay on SQLite', 'undici.request, nothing recorded', 0.3],
    ['kyc-relay on SQLite', 'pg-boss on PostgreSQL, batches of 64', 1.1],
    // pg-boss slows down on a longer queue.
    ['kyc-relay on PostgreSQL', 'pg-boss on PostgreSQL, batches of 64', size < 20_000 ? 0.9 : 1.3],
    ['kyc-relay on SQLite, sealed bodies', 'kyc-relay on SQLite', 0.9],
    ['kyc-relay on PostgreSQL, sealed bodies', 'kyc-relay on PostgreSQL', 0.9],
  ].map(([ours, against, reach]) => ({
    deliveries: size,
    ours,
    against,
    ratio: medianOf(ours) / medianOf(against),
    reach,
  }))
  return { rows, ratios }
}

function show(size, { rows, ratios }) {
  console.log(
    `${size} deliveries of ${body.length} bytes to ${endpoints} endpoints; per second, median of ${rounds} rounds.\n`,
  )
  console.log(`${''.padEnd(40)}  median  lowest  highest  CPU µs`)
  for (const { contender, median, lowest, highest, cpuUs } of rows) {
    const figures = [median, lowest, highest, cpuUs]
    const widths = [8, 8, 9, 8]
    console.log(contender.padEnd(40) + figures.map((figure, n) => figure.toFixed(0).padStart(widths[n])).join(''))
  }
  console.log('\nRatio of the medians')
  for (const { ours, against, ratio, reach } of ratios) {
    const verdict = Number.isNaN(ratio)
      ? 'not measured'
      : `${ratio.toFixed(2)}   reach ≥ ${reach}: ${ratio >= reach ? 'yes' : 'no'}`
    console.log(`  ${`${ours} / ${against}`.padEnd(66)}${verdict}`)
  }
  console.log()
}

const summaries = []
for (const size of sizes) {
  const summary = summaryOf(size, await measureAll(size))
  summaries.push(summary)
  show(size, summary)
}
console.log(
  'CPU µs: processor time of the delivering process per delivery, without that of a database server beside it.',
)
for (const [contender, why] of Object.entries(notMeasured))
  console.log(`${contender.padEnd(40)}  not measured (${why})`)

writeReport('deliveries', {
  unit: 'deliveries per second',
  sizes: {
    deliveries: sizes.join(' and '),
    endpoints,
    rounds,
    'warm-ups of a contender': warmUps,
    'deliveries of each warm-up': warmUp,
    concurrency,
  },
  setup: {
    'all of them': 'post by a pool of undici that keeps its connections, without TLS; `sender` measures the sender',
    'kyc-relay': 'the worker of the built package; each attempt is stored before its POST and its result after it',
    'pg-boss': `\`fetch\` and \`complete\` of batches of 64 by ${lanesOfPgBoss} lanes, at most 10 connections; its own \`work\` polls more seldom`,
    'sealed bodies': 'under the keys of 10,000 users, with 20,000 unwrapped keys in memory as in the server',
    PostgreSQL: 'ordinary settings, on this machine, at most 10 connections',
    'undici.request': '64 lanes, nothing recorded: the limit',
  },
  rows: summaries.flatMap(({ rows }) => rows),
  ratios: summaries.flatMap(({ ratios }) => ratios),
  goals: summaries
    .flatMap(({ ratios }) => ratios)
    .filter(({ ratio }) => !Number.isNaN(ratio))
    .map(({ deliveries: size, ours, against, ratio, reach }) =>
      atLeast(`${ours} over ${against}, ${size.toLocaleString('en-US')} deliveries`, ratio, reach),
    ),
  notMeasured,
})
process.exit(0)
