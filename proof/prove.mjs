// Runs one campaign and its controls, and adds a line to proof/results/<campaign>.jsonl, which is committed.
//   npm run prove -- crash --seconds 600 --seed 7
//   npm run prove -- crash --count 20              a fixed size instead of a time
//   npm run prove -- crash --only answer-before-commit   one control alone
//   npm run prove -- crash --skip-controls         the campaign alone
//   npm run prove -- all --only-controls           the controls of every campaign
//   npm run prove -- all --seconds 120             every campaign, one after another
//   npm run prove -- report                        writes docs/reliability.md and the figures of README.md from the results
// It leaves with 0 when the campaign found nothing and each of its controls was caught, else with 1.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { campaigns } from './campaigns.mjs'
import { addResult } from './results.mjs'
import { runCampaign, runControl } from './run-campaign.mjs'

const [name, ...rest] = process.argv.slice(2)

async function leaveWith(program, args) {
  const [code] = await once(
    spawn(process.execPath, [...process.execArgv, program, ...args], { stdio: 'inherit' }),
    'exit',
  )
  return code ?? 1
}

const here = fileURLToPath(import.meta.url)
if (name === 'old-and-new') {
  process.exit(await leaveWith(fileURLToPath(new URL('./old-and-new/run.mjs', import.meta.url)), rest))
}
if (name === 'report') {
  const { writePages } = await import('./report.mjs')
  await writePages()
  process.exit(0)
}
if (name === 'all') {
  const failed = []
  for (const each of Object.keys(campaigns)) if ((await leaveWith(here, [each, ...rest])) !== 0) failed.push(each)
  if (failed.length > 0) console.error(`Failed: ${failed.join(', ')}`)
  process.exit(failed.length === 0 ? 0 : 1)
}

const { values: given } = parseArgs({
  args: rest,
  options: {
    seconds: { type: 'string' },
    count: { type: 'string' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    'skip-controls': { type: 'boolean', default: false },
    'only-controls': { type: 'boolean', default: false },
  },
})
const numbers = [given.seconds, given.count, given.seed].filter((text) => text !== undefined).map(Number)
if (!Object.hasOwn(campaigns, name ?? '') || !numbers.every(Number.isSafeInteger)) {
  console.error('usage: npm run prove -- <campaign> [--seconds N | --count N] [--seed N]')
  console.error(`campaigns: ${Object.keys(campaigns).join(', ')}, all; also old-and-new and report`)
  process.exit(2)
}
const campaign = await campaigns[name]()
if (campaign.isPossible?.() === false) {
  console.error(`The campaign ${name} cannot run on this machine. proof/README.md says what it needs.`)
  process.exit(1)
}
const seed = Number(given.seed)
const size = { seconds: Number(given.seconds ?? campaign.seconds), count: given.count && Number(given.count) }
const command = `npm run prove -- ${name} ${process.argv.slice(3).join(' ')}`.trim()
const mostShown = 10
const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).trim()
/** The commit, marked if a file differs from it. Results of other runs do not count. */
const commitHere = () =>
  git('rev-parse', '--short', 'HEAD') +
  (git('status', '--porcelain', '--', ':/', ':!/proof/results') === '' ? '' : '-dirty')

const options = { seed, log: console.error }

const controlResults = {}
for (const control of campaign.controls) {
  if (given['skip-controls'] || (given.only !== undefined && given.only !== control.name)) continue
  const { caught, others } = await runControl(campaign, control, options)
  controlResults[control.name] = caught !== null
  const said = caught === null ? `NOT CAUGHT: ${others.join('; ')}` : `caught: ${caught}`
  console.error(`Control ${control.name} (${control.what}): ${said}`)
}
const isWhole = given.only === undefined && !given['only-controls']
const { sizes, violations, seconds } = isWhole
  ? await runCampaign(campaign, { size, ...options })
  : { sizes: {}, violations: [], seconds: 0 }
for (const violation of violations.slice(0, mostShown)) console.error(`VIOLATION ${violation}`)
const line = {
  campaign: name,
  seed,
  seconds,
  sizes,
  violations: violations.length,
  controls: controlResults,
  command,
  commit: commitHere(),
}
if (isWhole) console.log(addResult(line))
const isRight = violations.length === 0 && Object.values(controlResults).every(Boolean)
process.exit(isRight ? 0 : 1)
