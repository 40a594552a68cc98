import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { fuzz } from './campaign.mjs'

const child = fileURLToPath(new URL('./guided-inputs.mjs', import.meta.url))
const instrument = new URL('./instrument.mjs', import.meta.url).href

const behindBranches = {
  name: 'behind-branches',
  what: 'a URL is accepted that chance does not find, behind five branches',
  breaks: /an unfit URL was accepted/,
}
const ofMigrations = ['keeps-half-a-migration']

/** Tries inputs in a process of its own, where the branches of our sources are counted. */
export async function tryInputs({ size, seed, control = null, isGuided = true }) {
  const given = JSON.stringify({ size, seed, control, isGuided })
  const process = fork(child, [given], { execArgv: ['--import', 'tsx', '--import', instrument] })
  const told = once(process, 'message')
  const left = once(process, 'exit').then(([code]) => {
    if (code !== 0) throw new Error(`The process that tries inputs left with ${code}.`)
  })
  await Promise.race([told, left.then(() => told)])
  await left
  return (await told)[0]
}

export const fuzzGuided = {
  unit: 'inputs',
  seconds: 60,
  promises: fuzz.promises.filter((promise) => !promise.includes('migration')),
  notTested: 'Migrations, which `fuzz` tests. Branches of libraries.',
  controls: [behindBranches, ...fuzz.controls.filter(({ name }) => !ofMigrations.includes(name))],
  controlSize: { count: 60_000 },
  smoke: { size: { count: 2_000 } },
  async run({ budget, seed, control, log }) {
    const { sizes, violations } = await tryInputs({ size: budget.size, seed, control })
    log(`${sizes.inputs} inputs, ${violations.length} violations`)
    // What comes first decides what is kept, so that all inputs are tried again.
    const again = `npm run prove -- fuzz-guided --seed ${seed} --count ${sizes.inputs}`
    return { sizes, violations: violations.map((violation) => `${violation}: ${again}`) }
  },
}
