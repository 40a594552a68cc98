import { simulate as simulateWorld } from '../../packages/webhooks/test/delivery/simulation/simulated-world.ts'

const sabotages = {
  'interrupted-not-counted': ['an interrupted attempt gives its number back', /^I6/],
  'believes-timeouts': ['a timeout counts as delivered', /^I7/],
  'retries-at-once': ['a retry comes after one second', /^I10/],
  'gives-up-early': ['a delivery fails after four attempts', /^I6/],
  'never-takes-over': ['nobody takes over what a dead process had in flight', /^I5/],
  'sixth-attempt': ['a delivery has a sixth attempt', /^I6/],
  'no-fence': ['a result is applied after another process took the attempt over', /^I11/],
  'ignores-pauses': ['a paused endpoint is served on', /^I12/],
  'ignores-cancellation': ['deliveries of a user go on after they were cancelled', /^I14/],
}

const progressEvery = 100

/**
 * By its seed: one world of four is long, so that its store grows. In every other one processes also die at any await. In two of
 * three, partners and operators change endpoints and deliveries meanwhile.
 */
const worldOf = (seed) => ({
  minutes: seed % 4 === 3 ? 240 : 30,
  crashShare: seed % 2 === 0 ? 0.002 : 0,
  operated: seed % 3 > 0,
})

export const simulate = {
  unit: 'steps',
  seconds: 60,
  promises: [
    'A delivery ends `DELIVERED`, `FAILED` or `CANCELLED`, whichever await a worker dies at.',
    'A delivery has at most five attempts, each spaced by the retry schedule. `FAILED` means five attempts.',
    '`DELIVERED` means that the receiver answered 2xx. Nothing leaves a final state. A stale result changes nothing.',
    'Nothing new is sent to a paused or removed endpoint, nor for a user whose deliveries were cancelled.',
  ],
  notTested:
    'Ingestion and publishing. The store is the one in memory, which the differential test of the storage package compares with the engines.',
  controls: Object.entries(sabotages).map(([name, [what, breaks]]) => ({ name, what, breaks })),
  controlSize: { count: 60_000 },
  smoke: { size: { count: 5_000 } },
  async run({ budget, seed, control, log }) {
    const sizes = { steps: 0, worlds: 0, crashes: 0, posts: 0, 'virtual minutes': 0 }
    const violations = []
    for (let world = 0; !budget.isSpent(sizes.steps) && violations.length === 0; world += 1) {
      const shape = worldOf(seed + world)
      const result = await simulateWorld(seed + world, { ...shape, sabotage: control ?? undefined })
      const command = `npm run prove -- simulate --seed ${seed + world} --count 1`
      violations.push(...result.violations.map((violation) => `${violation}: ${command}`))
      sizes.steps += result.steps
      sizes.worlds += 1
      sizes.crashes += result.crashes
      sizes.posts += result.posts
      sizes['virtual minutes'] += shape.minutes
      if (sizes.worlds % progressEvery === 0) log(`${sizes.steps} steps in ${sizes.worlds} worlds`)
    }
    log(`${sizes.steps} steps in ${sizes.worlds} worlds, ${violations.length} violations`)
    return { sizes, violations }
  },
}
