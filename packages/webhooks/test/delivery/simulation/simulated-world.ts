import { createDeliveryWorker } from '../../../src/delivery/delivery-worker.js'
import type { DeliveryWorkerDeps } from '../../../src/delivery/worker-deps.js'
import { resultOfCause, type Sender, type SendResult } from '../../../src/delivery/sender.js'
import type {
  AttemptResult,
  ClaimedDelivery,
  DeliveryState,
  Endpoint,
  WebhookStore,
} from '../../../src/delivery/webhook-store.js'
import { createMemoryWebhookData, createMemoryWebhookStore } from '../../../src/testing/index.js'
import { accepted, appId, grant, publish, refused, registerEndpoint } from '../delivery-samples.js'
import { VirtualTime } from '../virtual-time.js'

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

/** One POST as the endpoint saw it. */
interface Post {
  readonly xEventId: string
  readonly endpoint: string
  readonly signature: string
  readonly atMs: number
  answeredStatus: number | null
}

type Behaviour = 'healthy' | 'flaky' | 'failing' | 'hanging' | 'slow' | 'resetting'

/** Deliberate mistakes, each of which the invariants must notice. */
export type Sabotage =
  | 'interrupted-not-counted'
  | 'believes-timeouts'
  | 'retries-at-once'
  | 'gives-up-early'
  | 'never-takes-over'
  | 'sixth-attempt'
  | 'no-fence'

export interface SimulationOptions {
  readonly sabotage?: Sabotage | undefined
  /** Share of the awaits at which the process dies. Default 0: processes die only between two events. */
  readonly crashShare?: number
  /** Minutes for which events come. The store grows with them. Default 30. */
  readonly minutes?: number
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
  const { sabotage, crashShare = 0, minutes = 30 } = options
  const random = seeded(seed)
  const chance = (probability: number) => random() < probability
  const between = (low: number, high: number) => low + random() * (high - low)
  const time = new VirtualTime()
  const data = createMemoryWebhookData()
  const store = createMemoryWebhookStore({ nowMs: () => time.nowMs, data })
  const posts: Post[] = []
  const violations: string[] = []
  let steps = 0
  let crashes = 0
  let stale = 0
  let keysDown = false
  let resolverDown = false
  const revoked = new Set<string>()

  const behaviours: Behaviour[] = ['healthy', 'healthy', 'flaky', 'failing', 'hanging', 'slow']
  if (crashShare > 0) behaviours.push('resetting')
  const endpoints: { readonly endpoint: Endpoint; readonly behaviour: Behaviour }[] = []
  for (const behaviour of behaviours) {
    const url = `https://${behaviour}-${endpoints.length}.example.com/`
    endpoints.push({ endpoint: await registerEndpoint(store, { url }), behaviour })
  }
  const behaviourOf = (url: string) => endpoints.find(({ endpoint }) => endpoint.url === url)?.behaviour ?? 'healthy'

  /** Token of the last claim of each delivery. */
  const fences = new Map<string, string>()
  const notFenced = (deliveryId: string, token: string) => fences.get(deliveryId) !== token
  function sawClaim(claimed: readonly ClaimedDelivery[]): void {
    for (const { deliveryId, fence } of claimed) {
      if (fence.attempt > 5) violations.push('I6 a sixth attempt was claimed')
      if (seenFinal.has(deliveryId)) violations.push('I9 a final delivery was claimed')
      fences.set(deliveryId, fence.token)
    }
  }

  /** A process: what it started goes on in the world after its death, but nothing of it reaches the store any more. */
  function startProcess(index: number): { crash(): void; pause(ms: number): void } {
    let dead = false
    /** A process may die at any await. Another one takes its place a little later. */
    function step(): void {
      steps += 1
      if (dead || isOver || !chance(crashShare)) return
      dead = true
      crashes += 1
      time.schedule(() => (processes[index] = startProcess(index)), between(0, 5_000))
    }
    let pausedUntilMs = 0
    /** Nothing of a paused process moves; the world around it does. */
    const resumed = async () => {
      while (time.nowMs < pausedUntilMs) await time.sleep(pausedUntilMs - time.nowMs)
    }
    const never = new Promise<never>(() => {})
    const mine = <T>(promise: Promise<T>): Promise<T> =>
      promise.then(
        async (value) => {
          await resumed()
          step()
          return dead ? never : value
        },
        async (error: unknown) => {
          await resumed()
          if (dead) return never
          throw error
        },
      )

    async function overNetwork<T>(write: () => Promise<T>): Promise<T> {
      await time.sleep(between(0, 20))
      step()
      if (dead) return never
      if (chance(0.02)) throw new Error('lost before the write')
      const answer = await write()
      step()
      await time.sleep(between(0, 20))
      // The write happened; its answer did not come.
      if (chance(0.02)) throw new Error('lost after the write')
      return answer
    }

    const send: Sender = async ({ url, headers, timeoutMs }) => {
      const post: Post = {
        xEventId: headers['x-event-id'] ?? '',
        endpoint: url,
        signature: headers['x-hmac-signature'] ?? '',
        atMs: time.nowMs,
        answeredStatus: null,
      }
      if (resolverDown) return resultOfCause('RESOLVER_DOWN')
      steps += 1
      posts.push(post)
      const answer = async (): Promise<SendResult> => {
        const behaviour = behaviourOf(url)
        const tookMs = behaviour === 'slow' ? between(5_000, 40_000) : between(5, 200)
        if (behaviour === 'resetting') {
          await time.sleep(between(0, 100))
          return resultOfCause('CONNECTION_LOST')
        }
        if (behaviour === 'hanging' || tookMs > timeoutMs) {
          await time.sleep(timeoutMs)
          return resultOfCause('TIMEOUT')
        }
        await time.sleep(tookMs)
        const fine = behaviour === 'healthy' || behaviour === 'slow' || (behaviour === 'flaky' && chance(0.5))
        post.answeredStatus = fine ? 200 : 500
        return fine ? accepted : refused
      }
      return mine(answer())
    }

    const faulty: WebhookStore = {
      ...store,
      claimDue: (request) =>
        mine(
          overNetwork(async () => {
            const answer = await store.claimDue(request)
            sawClaim(answer.claimed)
            return answer
          }),
        ),
      claimExpired: (request) =>
        mine(
          overNetwork(async () => {
            const claimed = sabotage === 'never-takes-over' ? [] : await store.claimExpired(request)
            sawClaim(claimed)
            return claimed
          }),
        ),
      recordAttemptResults: (results) =>
        mine(
          overNetwork(async () => {
            const given = results.map(spoil)
            const outdated = results.filter(({ fence }) => notFenced(fence.deliveryId, fence.token))
            const answer = await store.recordAttemptResults(given)
            const refused = new Set(answer.stale.map(({ deliveryId }) => deliveryId))
            if (outdated.some(({ fence }) => !refused.has(fence.deliveryId)))
              violations.push('I11 a stale result was applied')
            return answer
          }),
        ),
      onDue: async (wake) => store.onDue(() => (dead ? undefined : wake())),
    }
    const spoil = (result: AttemptResult): AttemptResult => {
      const { attempt, next, fence } = result
      const unsent = { ...attempt, state: 'UNSENT' as const }
      const token = data.deliveries.get(fence.deliveryId)?.open?.token
      if (sabotage === 'no-fence' && token !== undefined) return { ...result, fence: { ...fence, token } }
      if (sabotage === 'interrupted-not-counted' && attempt.state === 'INTERRUPTED')
        return { ...result, attempt: unsent }
      if (sabotage === 'believes-timeouts' && attempt.report.cause === 'TIMEOUT') {
        return { ...result, next: { state: 'DELIVERED' } }
      }
      if (sabotage === 'retries-at-once' && next.state === 'PENDING') {
        return { ...result, next: { ...next, delayMs: 1_000 } }
      }
      if (sabotage === 'gives-up-early' && fence.attempt === 4 && attempt.state === 'FAILED') {
        return { ...result, next: { state: 'FAILED' } }
      }
      if (sabotage === 'sixth-attempt' && next.state === 'FAILED') {
        return { ...result, attempt: unsent, next: { state: 'PENDING', delayMs: 60_000 } }
      }
      return result
    }
    const deps: DeliveryWorkerDeps = {
      store: faulty,
      grants: {
        find: async (pairs) =>
          mine(
            time
              .sleep(between(0, 5))
              .then(() => pairs.map((pair) => (revoked.has(pair.userId) ? null : { ...grant, ...pair }))),
          ),
      },
      signingKeys: {
        current: async (appIds) =>
          mine(Promise.resolve(appIds.map((appId) => (keysDown ? null : { appId, key: 'key', version: 1 })))),
      },
      send,
      now: () => time.now(),
      random,
      onProblem: () => undefined,
      onResultWritten: ({ outcome }) => {
        if (outcome === 'stale') stale += 1
      },
      timers: {
        monotonicMs: () => time.monotonicMs(),
        schedule: (callback, delayMs) =>
          time.schedule(
            () =>
              void resumed().then(() => {
                step()
                if (!dead) callback()
              }),
            delayMs,
          ),
      },
      options: { pollIntervalMs: 60_000, takeOverIntervalMs: 30_000 },
    }
    createDeliveryWorker(deps).start()
    return {
      crash() {
        dead = true
      },
      pause(ms) {
        pausedUntilMs = time.nowMs + ms
      },
    }
  }

  const seenFinal = new Map<string, DeliveryState>()
  function checkAbsorption(): void {
    for (const { deliveryId, state } of data.deliveries.values()) {
      const before = seenFinal.get(deliveryId)
      if (before !== undefined && before !== state) violations.push(`left ${before}`)
      if (state !== 'PENDING') seenFinal.set(deliveryId, state)
    }
  }

  let isOver = false
  const processes: ReturnType<typeof startProcess>[] = []
  for (let index = 0; index < workers; index += 1) processes.push(startProcess(index))
  const published: { readonly deliveryId: string; readonly url: string; readonly atMs: number }[] = []
  while (time.monotonicMs() < minutes * 60_000) {
    await time.pass(between(1_000, 60_000))
    const to = endpoints.filter(() => chance(0.6))
    const userId = `user-${Math.floor(random() * 5)}`
    if (to.length > 0) {
      const event = await publish(
        store,
        to.map(({ endpoint }) => endpoint),
        { userId },
      )
      for (const { deliveryId, endpointId } of event.deliveries) {
        const url = to.find(({ endpoint }) => endpoint.endpointId === endpointId)?.endpoint.url ?? ''
        published.push({ deliveryId, url, atMs: time.nowMs })
      }
    }
    if (chance(0.15)) {
      const index = Math.floor(random() * processes.length)
      processes[index]?.crash()
      crashes += 1
      processes[index] = startProcess(index)
    }
    if (chance(0.1)) processes[Math.floor(random() * processes.length)]?.pause(between(10_000, 120_000))
    if (chance(0.1)) keysDown = !keysDown
    if (chance(0.1)) resolverDown = !resolverDown
    if (chance(0.01)) revoked.add(userId)
    if (chance(0.2)) checkAbsorption()
  }
  isOver = true
  keysDown = false
  resolverDown = false
  // The longest schedule there is: four delays, five attempts, every lease. An endpoint that hangs takes one attempt after
  // the other, half a minute each, so that its backlog may last for a day. With a known bug it may never end.
  const mostHours = sabotage === undefined ? 72 : 8
  for (let hour = 0; hour < 8 || (data.pending.size > 0 && hour < mostHours); hour += 1) {
    await time.pass(hourMs)
    checkAbsorption()
  }

  const states: Record<string, number> = {}
  const postsOf = new Map<string, Post[]>()
  for (const post of posts) postsOf.set(post.xEventId, [...(postsOf.get(post.xEventId) ?? []), post])
  for (const { deliveryId } of published) {
    const delivery = await store.findDelivery({ appId, deliveryId })
    if (delivery === null) {
      violations.push('I5 lost')
      continue
    }
    states[delivery.state] = (states[delivery.state] ?? 0) + 1
    const seen = postsOf.get(delivery.xEventId) ?? []
    if (delivery.state === 'PENDING') violations.push('I5 never ended')
    if (seen.length > 5) violations.push('I6 more than five POSTs')
    if (delivery.attemptsMade > 5) violations.push('I6 more than five attempts')
    if (delivery.state === 'FAILED' && delivery.attemptsMade !== 5)
      violations.push('I6 FAILED before the fifth attempt')
    if (delivery.state === 'DELIVERED' && !seen.some(({ answeredStatus }) => answeredStatus === 200)) {
      violations.push('I7 DELIVERED without a 2xx')
    }
    if (new Set(seen.map(({ signature }) => signature)).size > 1) violations.push('I8 different bytes')
    for (const [index, attempt] of delivery.attempts.entries()) {
      const next = delivery.attempts[index + 1]
      if (attempt.state === 'STARTED') violations.push('an attempt was left open')
      if (next === undefined || attempt.endedAt === null || attempt.state === 'UNSENT') continue
      const gapMs = next.startedAt.getTime() - attempt.endedAt.getTime()
      if (gapMs < 30_000 * 6 ** (attempt.number - 1) * 0.8 - 1) violations.push('I10 too soon')
    }
    if (seen.length > delivery.attempts.length) violations.push('I6 a POST without an opened attempt')
  }
  return { violations, steps, posts: posts.length, crashes, stale, states, trace: traceOf(posts) }
}

function traceOf(posts: readonly Post[]): string {
  let hash = 0
  for (const character of posts.map(({ atMs, endpoint }) => `${atMs.toFixed(3)} ${endpoint}`).join('\n')) {
    hash = (Math.imul(hash, 31) + character.charCodeAt(0)) | 0
  }
  return hash.toString(16)
}
