import { explained } from './explained.mjs'
import { runStryker } from './run-stryker.mjs'
import { smallestTarget, targets } from './targets.mjs'

const leastScore = 0.95
const killed = new Set(['Killed', 'Timeout'])
const alive = new Set(['Survived', 'NoCoverage'])

const sabotages = {
  'tests-of-something-else': {
    what: 'the tests of a part do not call it',
    breaks: /survives/,
    tests: ['packages/webhooks/test/delivery/retry-schedule.test.ts'],
  },
  'no-explanation': { what: 'a mutant that survives has no explanation', breaks: /survives/, explained: [] },
}

const isExplained = (list) => (mutant) =>
  list.some(
    (one) =>
      ['file', 'original', 'replacement'].every((name) => one[name] === mutant[name]) &&
      (one.within === undefined || mutant.line.includes(one.within)),
  )

export const mutation = {
  unit: 'mutants',
  isSameEachRun: true,
  seconds: 600,
  promises: [
    'The tests of the pure code that decides most notice at least 95 % of all small changes to it. Each change that they miss has a reviewed reason.',
  ],
  notTested:
    'Other files than those of `proof/mutation/targets.mjs`. Changes that run once when a module is loaded. The code for runtimes without `node:crypto`.',
  controls: Object.entries(sabotages).map(([name, { what, breaks }]) => ({ name, what, breaks })),
  controlSize: { count: 1 },
  smoke: { size: { count: 1 } },
  /** Changes whole parts, by turns from the seed on, each at most once. */
  async run({ budget, seed, control, isSmoke = false, log }) {
    const sizes = { mutants: 0, killed: 0, 'explained survivors': 0, parts: 0 }
    const violations = []
    const bug = sabotages[control]
    const list = bug?.explained ?? explained
    const parts = isSmoke ? [smallestTarget] : targets
    for (let turn = 0; turn < parts.length && !budget.isSpent(sizes.mutants); turn += 1) {
      const target = parts[(seed - 1 + turn) % parts.length]
      const mutants = await runStryker(target, bug?.tests)
      const survivors = mutants.filter(({ status }) => alive.has(status))
      const kills = mutants.filter(({ status }) => killed.has(status)).length
      const known = survivors.filter(isExplained(list))
      for (const one of survivors.filter((each) => !known.includes(each)))
        violations.push(`in ${one.file} \`${one.replacement}\` for \`${one.original}\` survives (--seed ${seed})`)
      sizes.mutants += kills + survivors.length
      sizes.killed += kills
      sizes['explained survivors'] += known.length
      sizes.parts += 1
      log(`${target.name}: ${kills} of ${kills + survivors.length} mutants killed`)
    }
    if (sizes.killed < leastScore * sizes.mutants) violations.push('the score is below 95 %')
    return { sizes, violations }
  },
}
