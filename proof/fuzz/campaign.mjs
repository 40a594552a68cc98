import { createRandom } from '../random.mjs'
import { bugs, targets, turns } from './targets.mjs'

const sabotages = {
  'accepts-loopback': ['a URL with a loopback address is accepted', /private address was accepted/],
  'mapped-is-public': ['an IPv4 address inside IPv6 counts as public', /counts as public/],
  'throws-on-surrogates': ['half a character makes the parser throw', /threw/],
  'echoes-a-value': ['a message repeats the input', /repeats a submitted value/],
  'empty-signature-is-right': ['an empty signature is accepted', /was accepted/],
  'last-duplicate-wins': ['the last of two equal keys counts', /DUPLICATE_KEY was accepted/],
  'expiry-before-issue': ['a document may expire before its issue', /instead of ".*expirationDate INCONSISTENT_DATES/],
  'keeps-half-a-migration': ['a migration that fails leaves what it did before', /half of a migration stayed/],
  'any-date-will-do': ['`Retry-After` counts in any form that the engine reads', /instead of/],
}

export const fuzz = {
  unit: 'inputs',
  seconds: 60,
  promises: [
    'No input makes `parseSubmission`, `checkEndpointUrl`, `isPublicAddress` or `verifyWebhook` throw anything but its own error, and no message repeats the input.',
    'No private address is accepted as a receiver, and no webhook without the right signature.',
    'A body of JSON is accepted with the value that is written there, or refused with its reason. So it is with a document of a submission, field by field.',
    'A retry waits as long as `Retry-After` asks, but not less than the schedule and not more than two hours.',
    'A migration of a SQLite file is done wholly or not at all, and no row is lost.',
  ],
  notTested:
    'Migrations of PostgreSQL. The package ships its first migration only, so those after it belong to the campaign. Inputs are not guided by coverage; those of `fuzz-guided` are.',
  controls: Object.entries(sabotages).map(([name, [what, breaks]]) => ({ name, what, breaks })),
  controlSize: { count: 20_000 },
  smoke: { size: { count: 2_000 }, controls: Object.keys(sabotages) },
  async run({ budget, seed, control, log }) {
    const sizes = { inputs: 0 }
    const violations = []
    const [only, bug] = bugs[control] ?? [null, undefined]
    // Each input has a seed of its own, so that it alone can be repeated.
    for (let input = seed; !budget.isSpent(sizes.inputs) && violations.length < 20; input += 1) {
      const name = only ?? turns[input % turns.length]
      const random = createRandom(input, name)
      let broken
      try {
        broken = await targets[name](random, `zq${random.uuid().slice(0, 8)}`, bug)
      } catch (error) {
        broken = `${name} threw ${error?.name}`
      }
      sizes.inputs += 1
      if (broken !== null) violations.push(`${broken}: npm run prove -- fuzz --seed ${input} --count 1`)
    }
    log(`${sizes.inputs} inputs, ${violations.length} violations`)
    return { sizes, violations }
  },
}
