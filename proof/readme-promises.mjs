import { figuresOf } from './figures.mjs'

/** The promises of the README, each with the sizes of the campaigns that try to break it. */
export const promises = [
  {
    promise: 'Each `externalVerificationId` is accepted once. A replay gets the original answer and writes nothing.',
    triedWith: { crash: ['kills', 'repeated requests'] },
  },
  {
    promise: 'What was acknowledged is stored, also after a loss of power.',
    triedWith: { power: ['cuts'] },
  },
  {
    promise: 'An event and its deliveries are written together, or neither is.',
    triedWith: { crash: ['kills', 'events'] },
  },
  {
    promise: 'A delivery has at most five attempts. It ends `DELIVERED`, `FAILED` or `CANCELLED`, also after a crash.',
    triedWith: { simulate: ['steps'], exhaustive: ['states'] },
  },
  {
    promise:
      'All personal data is sealed before it is stored. Of a document number only a keyed hash is stored. No error and no log line contains a submitted value.',
    triedWith: { leak: ['requests'], attack: ['inputs'] },
  },
  {
    promise: 'Webhooks go to public HTTPS addresses only.',
    triedWith: { fuzz: ['inputs'], 'fuzz-guided': ['inputs'] },
  },
]

const begin = '<!-- Written by `npm run prove -- report`. -->'
const end = '<!-- End of what the report writes. -->'

/** A README with the figures of these results. Throws if it has no place for them. */
export function withFigures(readme, campaigns, results) {
  const rows = promises.map(({ promise, triedWith }) => {
    const tried = Object.entries(triedWith).map(([name, sizes]) => {
      const figures = figuresOf(campaigns[name], results[name] ?? [])
      const counts = sizes.map((size) => `${(figures.sizes[size] ?? 0).toLocaleString('en-US')} ${size}`)
      return { name, text: `${counts.join(', ')} ([${name}](docs/reliability.md#${name}))`, found: figures.violations }
    })
    const found = tried.reduce((sum, one) => sum + one.found, 0)
    return `| ${promise} | ${tried.map(({ text }) => text).join(', ')} | ${found.toLocaleString('en-US')} |`
  })
  const table = ['| Promise | Tried with | Violations |', '| --- | --- | --- |', ...rows].join('\n')
  const [before, rest] = readme.split(begin)
  const after = rest?.split(end)[1]
  if (after === undefined) throw new Error('The README has no place for the figures.')
  return `${before}${begin}\n\n${table}\n\n${end}${after}`
}
