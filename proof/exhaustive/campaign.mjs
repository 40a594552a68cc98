import { createHash } from 'node:crypto'
import { brokenBy, brokenByRest, violations as texts } from './invariants.mjs'
import { actionsOf, after, firstState, textOf } from './world.mjs'

/** Known bugs, and the promise that each breaks. */
const sabotages = {
  'no-fence': ['a result is applied after another worker took the attempt over', 'staleResult'],
  'attempt-not-counted': ['an attempt that a crash ended gives its number back', 'postedUncounted'],
  'believes-timeouts': ['a timeout counts as delivered', 'notAccepted'],
  'never-takes-over': ['nobody takes over what a dead worker had in flight', 'stuckDelivery'],
  'one-attempt-more': ['a delivery has one attempt too many', 'tooManyAttempts'],
  'gives-up-early': ['a delivery fails one attempt too early', 'failedEarly'],
  'claims-while-paused': ['a claim does not look at pauses', 'claimedWhilePaused'],
  reopens: ['a resend opens the old delivery again', 'leftFinalState'],
  'new-id': ['a recovered event gets an X-Event-ID of its own', 'secondId'],
  'recovers-nothing': ['a running recovery finds nothing to do', 'stuckRecovery'],
  'recovers-acknowledged': ['a recovery does not look at what was acknowledged', 'recoveredAgain'],
  'recovers-waiting': ['a recovery does not look at what waits', 'recoveredAgain'],
  'writes-unchecked': ['a recovery does not look again when it writes', 'recoveredAgain'],
}

const changes = ['revoke', 'pause', 'replace', 'resend']
const one = { endpoints: ['a'], deliveries: ['a'], workers: 2, maxAttempts: 2 }
const two = { ...one, endpoints: ['a', 'b'], deliveries: ['a', 'b'] }
const three = { ...two, deliveries: ['a', 'a', 'b'] }

/** Each is enumerated on its own, small ones first. */
const worlds = [
  ...changes.map((change) => ({ ...one, changes: [change, 'recover'] })),
  ...changes.map((change) => ({ ...two, changes: [change] })),
  { ...one, deliveries: ['a', 'a'], changes: ['recover'] },
  { ...one, changes },
  { ...one, maxAttempts: 1, changes: [...changes, 'recover'] },
  { ...three, changes: [] },
  ...changes.map((change) => ({ ...three, changes: [change] })),
  { ...two, changes: ['recover'] },
  { ...three, maxAttempts: 1, changes: ['recover'] },
]
/** The smallest world in which every known bug shows. */
const worldOfControls = { ...one, changes: ['pause', 'resend', 'recover'] }

const hash = (text) => createHash('sha256').update(text).digest('base64').slice(0, 20)

/** Visits every state of a world, nearest first. Returns the shortest trace to a broken promise, or null. */
async function enumerate(world, sabotage, mayGoOn) {
  const first = await firstState(world)
  const firstKey = hash(textOf(first))
  const cameFrom = new Map([[firstKey, null]])
  const traceTo = (key) => {
    const names = []
    for (let at = cameFrom.get(key); at !== null; at = cameFrom.get(at.key)) names.unshift(at.name)
    return names
  }
  let transitions = 0
  let level = [{ key: firstKey, state: first }]
  while (level.length > 0) {
    const nextLevel = []
    for (const { key, state } of level) {
      if (!mayGoOn(cameFrom.size)) return { states: cameFrom.size, transitions, complete: false, found: null }
      const { byThemselves, byPeople } = actionsOf(state, { ...world, sabotage })
      let moves = false
      for (const [name, act] of Object.entries({ ...byThemselves, ...byPeople })) {
        const next = await after(state, act)
        transitions += 1
        const broken = brokenBy(state, next, world.maxAttempts)
        if (broken !== null) return found(broken, [...traceTo(key), name])
        const nextKey = hash(textOf(next))
        if (nextKey !== key && name in byThemselves) moves = true
        if (cameFrom.has(nextKey)) continue
        cameFrom.set(nextKey, { key, name })
        nextLevel.push({ key: nextKey, state: next })
      }
      const stuck = moves ? null : brokenByRest(state)
      if (stuck !== null) return found(stuck, traceTo(key))
    }
    level = nextLevel
  }
  return { states: cameFrom.size, transitions, complete: true, found: null }

  function found(what, trace) {
    return { states: cameFrom.size, transitions, complete: false, found: `${what}: ${trace.join(', ')}` }
  }
}

export const exhaustive = {
  unit: 'states',
  isSameEachRun: true,
  seconds: 300,
  promises: [
    'Every reachable state of a small world keeps the promises of a delivery. Two workers crash, and each change comes at any moment.',
  ],
  notTested:
    'More workers, endpoints, deliveries and attempts. A recovery with two other changes, or of three deliveries, where each delivery has two attempts. Any two changes where there are several deliveries. The store is the one in memory.',
  controls: Object.entries(sabotages).map(([name, [what, violation]]) => ({
    name,
    what,
    violation,
    breaks: new RegExp(`^${texts[violation]}: `, 'u'),
  })),
  smoke: { size: { count: 3_000 }, controls: Object.keys(sabotages) },
  async run({ budget, control, log }) {
    const sizes = { states: 0, transitions: 0, 'worlds enumerated completely': 0 }
    const violations = []
    for (const world of control === null ? worlds : [worldOfControls]) {
      if (budget.isSpent(sizes.states) || violations.length > 0) break
      const result = await enumerate(world, control, (states) => !budget.isSpent(sizes.states + states))
      sizes.states += result.states
      sizes.transitions += result.transitions
      if (result.complete) sizes['worlds enumerated completely'] += 1
      if (result.found !== null) violations.push(result.found)
      log(`${JSON.stringify(world)}: ${result.states} states, complete: ${result.complete}`)
    }
    return { sizes, violations }
  },
}
