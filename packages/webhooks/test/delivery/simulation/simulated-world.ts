import type { Endpoint, WebhookStore } from '../../../src/delivery/webhook-store.js'
import { createMemoryWebhookData, createMemoryWebhookStore } from '../../../src/testing/index.js'
import { appId, publish, registerEndpoint } from '../delivery-samples.js'
import { VirtualTime } from '../virtual-time.js'
import { createSimulatedOperator } from './simulated-operator.js'
import { startProcess, type SimulatedProcess } from './simulated-process.js'
import { Claims, urlOf, type Behaviour, type Post, type Sabotage, type World } from './world.js'

type FoundDelivery = NonNullable<Awaited<ReturnType<WebhookStore['findDelivery']>>>

/** Seeded randomness (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export interface SimulationOptions {
  readonly sabotage?: Sabotage | undefined
  /** Share of the awaits at which the process dies. Default 0: processes die only between two events. */
  readonly crashShare?: number
  /** Minutes for which events come. The store grows with them. Default 30. */
  readonly minutes?: number
  /** True for partners and operators who change endpoints and deliveries. Default false. */
  readonly operated?: boolean
}

export interface SimulationResult {
  readonly violations: readonly string[]
  /** Awaits, timers and posts. */
  readonly steps: number
  readonly posts: number
  readonly crashes: number
  /** Results that came too late. */
  readonly stale: number
  readonly states: Readonly<Record<string, number>>
  /** Changes when anything that can be seen from outside changes. */
  readonly trace: string
}

const workers = 3
const hourMs = 3_600_000

/**
 * Half an hour, or longer, of a service with three worker processes that crash, a store that fails before or after it wrote, keys and
 * grants that come and go, and endpoints of every temper. Same seed, same history.
 */
export async function simulate(seed: number, options: SimulationOptions = {}): Promise<SimulationResult> {
  const { sabotage, crashShare = 0, minutes = 30, operated = false } = options
  const world = createWorld(seed, sabotage, crashShare)
  const { time, store, data, claims, posts, violations, random, chance, between } = world

  const behaviours: Behaviour[] = ['healthy', 'healthy', 'flaky', 'failing', 'hanging', 'slow']
  if (crashShare > 0) behaviours.push('resetting')
  const endpoints: Endpoint[] = []
  for (const behaviour of behaviours) {
    endpoints.push(await registerEndpoint(store, { url: urlOf(behaviour, endpoints.length) }))
  }
  const published: string[] = []
  const operator = createSimulatedOperator(world, endpoints, published)

  const processes: SimulatedProcess[] = []
  function start(index: number): void {
    processes[index] = startProcess(world, () => start(index))
  }
  for (let index = 0; index < workers; index += 1) start(index)

  while (time.monotonicMs() < minutes * 60_000) {
    await time.pass(between(1_000, 60_000))
    const to = endpoints.filter(() => chance(0.6))
    const userId = `user-${Math.floor(random() * 5)}`
    if (to.length > 0) {
      const event = await publish(store, to, { userId })
      published.push(...event.deliveries.map(({ deliveryId }) => deliveryId))
    }
    if (chance(0.15)) {
      const index = Math.floor(random() * processes.length)
      processes[index]?.crash()
      world.crashes += 1
      start(index)
    }
    if (chance(0.1)) processes[Math.floor(random() * processes.length)]?.pause(between(10_000, 120_000))
    if (chance(0.1)) world.keysDown = !world.keysDown
    if (chance(0.1)) world.resolverDown = !world.resolverDown
    if (chance(0.01)) world.revoked.add(userId)
    else if (chance(0.2)) world.revoked.delete(userId)
    if (operated) await operator.act(userId)
    if (chance(0.2)) claims.checkFinal()
  }
  world.isOver = true
  world.keysDown = false
  world.resolverDown = false
  await operator.resumeAll()
  // The longest schedule there is: four delays, five attempts, every lease. An endpoint that hangs takes one attempt after
  // the other, half a minute each, so that its backlog may last for a day. With a known bug it may never end.
  const mostHours = sabotage === undefined ? 72 : 8
  for (let hour = 0; hour < 8 || (data.pending.size > 0 && hour < mostHours); hour += 1) {
    await time.pass(hourMs)
    claims.checkFinal()
  }

  const states = await judgeDeliveries(world, published)
  const { steps, crashes, stale } = world
  return { violations, steps, posts: posts.length, crashes, stale, states, trace: traceOf(posts) }
}

function createWorld(seed: number, sabotage: Sabotage | undefined, crashShare: number): World {
  const random = seeded(seed)
  const time = new VirtualTime()
  const data = createMemoryWebhookData()
  const violations: string[] = []
  return {
    time,
    data,
    violations,
    random,
    sabotage,
    crashShare,
    store: createMemoryWebhookStore({ nowMs: () => time.nowMs, data }),
    claims: new Claims(data, violations),
    chance: (probability) => random() < probability,
    between: (low, high) => low + random() * (high - low),
    posts: [],
    revoked: new Set(),
    steps: 0,
    crashes: 0,
    stale: 0,
    keysDown: false,
    resolverDown: false,
    isOver: false,
  }
}

/** Compares each delivery with what the endpoints saw, and counts the deliveries by state. */
async function judgeDeliveries({ store, posts, violations }: World, published: readonly string[]) {
  const states: Record<string, number> = {}
  const deliveriesOf = new Map<string, FoundDelivery[]>()
  for (const deliveryId of published) {
    const delivery = await store.findDelivery({ appId, deliveryId })
    if (delivery === null) {
      violations.push('I5 lost')
      continue
    }
    deliveriesOf.set(delivery.xEventId, [...(deliveriesOf.get(delivery.xEventId) ?? []), delivery])
    states[delivery.state] = (states[delivery.state] ?? 0) + 1
    if (delivery.state === 'PENDING') violations.push('I5 never ended')
    if (delivery.attemptsMade > 5) violations.push('I6 more than five attempts')
    if (delivery.state === 'FAILED' && delivery.attemptsMade !== 5)
      violations.push('I6 FAILED before the fifth attempt')
    for (const [index, attempt] of delivery.attempts.entries()) {
      const next = delivery.attempts[index + 1]
      if (attempt.state === 'STARTED') violations.push('an attempt was left open')
      if (next === undefined || attempt.endedAt === null || attempt.state === 'UNSENT') continue
      const gapMs = next.startedAt.getTime() - attempt.endedAt.getTime()
      if (gapMs < 30_000 * 6 ** (attempt.number - 1) * 0.8 - 1) violations.push('I10 too soon')
    }
  }
  // What is sent again has the same X-Event-ID.
  for (const [xEventId, deliveries] of deliveriesOf) {
    const seen = posts.filter((post) => post.xEventId === xEventId)
    const attempts = deliveries.reduce((sum, delivery) => sum + delivery.attempts.length, 0)
    if (seen.length > 5 * deliveries.length) violations.push('I6 more than five POSTs')
    if (seen.length > attempts) violations.push('I6 a POST without an opened attempt')
    const delivered = deliveries.filter(({ state }) => state === 'DELIVERED')
    if (seen.filter(({ answeredStatus }) => answeredStatus === 200).length < delivered.length)
      violations.push('I7 DELIVERED without a 2xx')
    if (new Set(seen.map(({ signature }) => signature)).size > 1) violations.push('I8 different bytes')
  }
  return states
}

function traceOf(posts: readonly Post[]): string {
  let hash = 0
  for (const character of posts.map(({ atMs, endpoint }) => `${atMs.toFixed(3)} ${endpoint}`).join('\n')) {
    hash = (Math.imul(hash, 31) + character.charCodeAt(0)) | 0
  }
  return hash.toString(16)
}
