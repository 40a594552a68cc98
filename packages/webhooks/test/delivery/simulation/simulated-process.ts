import { createDeliveryWorker } from '../../../src/delivery/delivery-worker.js'
import { resultOfCause, type Sender, type SendResult } from '../../../src/delivery/sender.js'
import type { AttemptResult, WebhookStore } from '../../../src/delivery/webhook-store.js'
import type { DeliveryWorkerDeps } from '../../../src/delivery/worker-deps.js'
import { accepted, grant, refused } from '../delivery-samples.js'
import { behaviourOf, type Post, type World } from './world.js'

export interface SimulatedProcess {
  crash(): void
  /** Nothing of it moves for `ms` of virtual time. */
  pause(ms: number): void
}

/** Starts a process: what it started goes on in the world after its death, but nothing of it reaches the store any more. */
export function startProcess(world: World, onCrash: () => void): SimulatedProcess {
  const { time, store, data, claims, violations, sabotage, chance, between } = world
  let dead = false
  /** A process may die at any await. Another one takes its place a little later. */
  function step(): void {
    world.steps += 1
    if (dead || world.isOver || !chance(world.crashShare)) return
    dead = true
    world.crashes += 1
    time.schedule(onCrash, between(0, 5_000))
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
    if (world.resolverDown) return resultOfCause('RESOLVER_DOWN')
    world.steps += 1
    world.posts.push(post)
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
          claims.sawDue(answer.claimed)
          return answer
        }),
      ),
    claimExpired: (request) =>
      mine(
        overNetwork(async () => {
          const claimed = sabotage === 'never-takes-over' ? [] : await store.claimExpired(request)
          claims.sawExpired(claimed)
          return claimed
        }),
      ),
    recordAttemptResults: (results) =>
      mine(
        overNetwork(async () => {
          const given = results.map(spoil)
          const outdated = results.filter(({ fence }) => !claims.isNewest(fence))
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
    if (sabotage === 'interrupted-not-counted' && attempt.state === 'INTERRUPTED') return { ...result, attempt: unsent }
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
            .then(() => pairs.map((pair) => (world.revoked.has(pair.userId) ? null : { ...grant, ...pair }))),
        ),
    },
    signingKeys: {
      current: async (appIds) =>
        mine(Promise.resolve(appIds.map((appId) => (world.keysDown ? null : { appId, key: 'key', version: 1 })))),
    },
    send,
    now: () => time.now(),
    random: world.random,
    onProblem: () => undefined,
    onResultWritten: ({ outcome }) => {
      if (outcome === 'stale') world.stale += 1
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
