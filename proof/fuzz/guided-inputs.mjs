// Tries inputs, keeps those that reach something new, and changes what it kept: started by `guided-campaign.mjs`, with the
// packages instrumented. It tells its parent what it found.
import { createRandom } from '../random.mjs'
import { budgetOf } from '../budget.mjs'
import { acceptsOneOrder } from './behind-branches.mjs'
import { ReachedBranches } from './reached-branches.mjs'
import { changeChoices, repeatChoices } from './recorded-choices.mjs'
import { bugs, targets, turns } from './targets.mjs'

const { size, seed, control, isGuided } = JSON.parse(process.argv[2])
const shareOfNew = 0.2
const mostKept = 1_000
const newest = 4
const known = { ...bugs, 'behind-branches': ['checkEndpointUrl', { check: acceptsOneOrder }] }

// A migration works on files: its branches are those of SQLite, which nobody counts here.
const guided = turns.filter((name) => name !== 'migrations')
const budget = budgetOf(size)
const reached = new ReachedBranches()
const kept = Object.fromEntries(guided.map((name) => [name, []]))
const sizes = { inputs: 0, 'inputs kept': 0 }
const violations = []
const [only, bug] = known[control] ?? [null, undefined]

while (!budget.isSpent(sizes.inputs) && violations.length < 20) {
  const name = only ?? guided[sizes.inputs % guided.length]
  const choices = createRandom(seed + sizes.inputs, name)
  const some = kept[name]
  const isNew = !isGuided || some.length === 0 || choices.chance(shareOfNew)
  // The newest are those that were hardest to reach.
  const from = choices.chance(0.5) ? some.slice(-newest) : some
  const { random, made } = repeatChoices(
    isNew ? [] : changeChoices(choices, choices.pick(from), choices.pick(some)),
    choices,
  )
  let broken
  try {
    broken = await targets[name](random, `zq${sizes.inputs.toString(36)}zq`, bug)
  } catch (error) {
    broken = `${name} threw ${error?.name}`
  }
  sizes.inputs += 1
  if (broken !== null) violations.push(broken)
  if (!reached.collect()) continue
  sizes['inputs kept'] += 1
  some.push(made)
  if (some.length > mostKept) some.splice(choices.whole(mostKept / 2), 1)
}
process.send({ sizes: { ...sizes, 'branches and functions reached': reached.count }, violations })
