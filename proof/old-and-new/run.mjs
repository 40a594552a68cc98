// Runs the same seeded commands against an earlier version of the server and this one, over the wire, and compares what
// comes of each: answers, codes, headers, what receivers got, when they got it again, and the kinds of audit entries.
//
//   git worktree add ../earlier ea07280 && (cd ../earlier && npm ci && npm run build)
//   npm run prove -- old-and-new --before ../earlier [--commands 100000] [--seed 1] [--lanes 16] [--minutes 60] [--control]
//
// It leaves with 0 when everything is equal but for what intended-differences.mjs lists, with 1 when something differs.
// With --control this version runs with other settings, and the run must find that.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { compareCases } from './case-table.mjs'
import { createLane, eventExamplesOf } from './commands.mjs'
import { asListedNow, intendedDifferences } from './intended-differences.mjs'
import { createLaneSide } from './lane-side.mjs'
import { createNormaliser, differences } from './normalise.mjs'
import { createRandom } from '../random.mjs'
import { startSide } from './side.mjs'

const { values: given } = parseArgs({
  options: {
    before: { type: 'string' },
    commands: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    lanes: { type: 'string', default: '16' },
    minutes: { type: 'string', default: '10000' },
    control: { type: 'boolean', default: false },
  },
})
const [most, seed, laneCount, minutes] = [given.commands, given.seed, given.lanes, given.minutes].map(Number)
if (given.before === undefined || ![most, seed, laneCount, minutes].every(Number.isInteger)) {
  console.error(
    'usage: npm run prove -- old-and-new --before <folder> [--commands N] [--seed N] [--lanes N] [--minutes N] [--control]',
  )
  process.exit(2)
}
const root = fileURLToPath(new URL('../..', import.meta.url))
const controlSettings = { SUBMISSION_POLICY: '{"acceptItin":true}', DELIVERY_RETRY_BASE_MS: '15' }
const mostShown = 20
const settleEvery = 40

const startedAt = performance.now()
const endsAt = startedAt + minutes * 60_000
const before = await startSide({ checkout: path.resolve(given.before), name: 'before' })
const now = await startSide({ checkout: root, name: 'now', variables: given.control ? controlSettings : {} })
const sides = [before, now]

const counts = {}
const statuses = {}
const unexpected = []
const tally = { narrowed: 0, erased: 0 }
const matched = new Map(intendedDifferences.map(({ why }) => [why, 0]))

/** Sorts the differences of one observation into intended ones and others. */
function judge(observed, context) {
  for (const difference of observed) {
    const one = { ...context, ...difference }
    const rule = intendedDifferences.find(({ matches }) => matches(one, { ...context, tally }))
    if (rule === undefined) unexpected.push(one)
    else matched.set(rule.why, matched.get(rule.why) + 1)
  }
}

const withoutAnswers = ({ kind, at, before: was, now: is, command }) => ({ kind, at, before: was, now: is, command })

let left = most
let planned = 0
async function runLane(number) {
  const name = `lane${number}`
  const lane = createLane({ name, random: createRandom(seed, name), rows, examples })
  const isGiven = (id) => givenIds.has(id)
  const givenIds = new Set()
  const laneSides = sides.map((side) =>
    createLaneSide({
      side,
      lane: name,
      normaliser: createNormaliser({ isGiven, origins: { receiver: side.receiver.origin, ...side.origins } }),
    }),
  )
  const settle = { kind: 'settle', settle: true }
  let executed = 0
  for (let sinceSettled = 1; left > 0 && performance.now() < endsAt; sinceSettled += 1) {
    const batch = sinceSettled % settleEvery === 0 ? [settle] : lane.next()
    for (const command of batch) {
      left -= 1
      const text = JSON.stringify(command)
      for (const [id] of text.matchAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g))
        givenIds.add(id)
      executed += 1
      const [was, is] = await Promise.all(laneSides.map((side) => side.execute(command, executed)))
      const { kind } = command
      counts[kind] = (counts[kind] ?? 0) + 1
      if (was?.status !== undefined) {
        const answer = `${kind} ${was.status}${was.body?.errors?.[0]?.extensions?.code ?? was.body?.code ?? ''}`
        statuses[answer] = (statuses[answer] ?? 0) + 1
      }
      if (kind === 'narrowedGrant' && was?.body?.data?.postKycVerification != null) tally.narrowed += 1
      if (kind === 'erasure' && command.method === 'DELETE' && is?.status === 200) tally.erased += 1
      judge(differences(asListedNow(was), is), { kind, command, was, is })
    }
  }
  const [was, is] = await Promise.all(laneSides.map((side) => side.execute(settle, executed + 1)))
  judge(differences(was, is), { kind: 'settle', command: settle, was, is })
  planned += laneSides.reduce((sum, side) => sum + side.planned(), 0)
}

let failure = null
let rows
let newRules = 0
const examples = eventExamplesOf(path.resolve(given.before))
try {
  const compared = await compareCases(sides, path.resolve(given.before))
  ;({ steady: rows, newRules } = compared)
  for (const one of compared.differing) judge([one], { was: {}, is: {} })
  await Promise.all(Array.from({ length: laneCount }, (_, number) => runLane(number)))
  const [endBefore, endNow] = await Promise.all(sides.map((side) => side.stop()))
  judge(differences(endBefore, endNow), { kind: 'end', command: null, was: endBefore, is: endNow })
} catch (error) {
  failure = error
  for (const side of sides) side.kill()
} finally {
  for (const side of sides) side.remove()
}

const commands = Object.values(counts).reduce((sum, one) => sum + one, 0)
const seconds = (performance.now() - startedAt) / 1_000
console.log(`${commands} commands, seed ${seed}, ${laneCount} lanes, ${seconds.toFixed(0)} s`)
console.table(counts)
console.log(`Rows of the case table: ${rows?.length} judged alike, ${newRules} by a rule of this version alone`)
console.log(`Planned retries that were seen and judged: ${planned}`)
console.log(`Refused for overload and sent again: before ${before.refused()}, now ${now.refused()}`)
console.log('Intended differences, and how often each was met:')
for (const [why, count] of matched)
  console.log(`  ${String(count).padStart(7)}  ${why}${count === 0 ? ' (never met)' : ''}`)
if (matched.size === 0) console.log('  none')
console.log(`Other differences: ${unexpected.length}`)
for (const { kind, at, before: was, now: is, command } of unexpected.slice(0, mostShown)) {
  console.log(`  ${kind} ${at}\n    before ${JSON.stringify(was)}\n    now    ${JSON.stringify(is)}`)
  console.log(`    command ${JSON.stringify(command).slice(0, 400)}`)
}
const results = path.join(root, 'proof/results')
mkdirSync(results, { recursive: true })
const report = {
  commands,
  rows: rows?.length,
  newRules,
  seed,
  seconds,
  planned,
  counts,
  statuses,
  intended: Object.fromEntries(matched),
  unexpected: unexpected.map(withoutAnswers),
}
writeFileSync(path.join(results, 'old-and-new.json'), `${JSON.stringify(report, null, 2)}\n`)
if (failure !== null) throw failure
const found = unexpected.length > 0
if (given.control) console.log(found ? 'Control: the other settings were found.' : 'Control: NOT found.')
process.exitCode = found === given.control ? 0 : 1
