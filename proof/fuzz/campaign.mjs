import { createRandom } from '../random.mjs'
import { bugs, targets } from './targets.mjs'

const sabotages = {
  'accepts-loopback': ['a URL with a loopback address is accepted', /private address was accepted/],
  'mapped-is-public': ['an IPv4 address inside IPv6 counts as public', /counts as public/],
  'throws-on-surrogates': ['half a character makes the parser throw', /threw/],
  'echoes-a-value': ['a message repeats the input', /repeats a submitted value/],
  'empty-signature-is-right': ['an empty signature is accepted', /was accepted/],
}
const names = Object.keys(targets)

export const fuzz = {
  unit: 'inputs',
  seconds: 60,
  promises: [
    'No input makes `parseSubmission`, `checkEndpointUrl`, `isPublicAddress` or `verifyWebhook` throw anything but its own error, and no message repeats the input.',
    'No private address is accepted as a receiver, and no webhook without the right signature.',
  ],
  notTested:
    'The JSON scanner, the rules of documents and migrations, but for what `attack` and `leak` send. Inputs are not guided by coverage.',
  controls: Object.entries(sabotages).map(([name, [what, breaks]]) => ({ name, what, breaks })),
  controlSize: { count: 20_000 },
  smoke: { size: { count: 4_000 }, controls: Object.keys(sabotages) },
  async run({ budget, seed, control, log }) {
    const sizes = { inputs: 0 }
    const violations = []
    const [only, bug] = bugs[control] ?? [null, undefined]
    // Each input has a seed of its own, so that it alone can be repeated.
    for (let input = seed; !budget.isSpent(sizes.inputs) && violations.length < 20; input += 1) {
      const name = only ?? names[input % names.length]
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
