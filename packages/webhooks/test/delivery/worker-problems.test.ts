import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createDeliveryWorker, WebhookError, type DeliveryWorkerDeps } from '../../src/delivery/index.js'
import { createMemoryWebhookStore } from '../../src/testing/index.js'
import {
  accepted,
  allGranted,
  appId,
  grant,
  newId,
  oneKey,
  publish,
  refused,
  registerEndpoint,
} from './delivery-samples.js'
import { VirtualTime } from './virtual-time.js'

let time: VirtualTime
let store: ReturnType<typeof createMemoryWebhookStore>
let told: [problem: string, error: unknown][]
let sentTo: string[]

beforeEach(() => {
  time = new VirtualTime()
  store = createMemoryWebhookStore({ nowMs: () => time.nowMs })
  told = []
  sentTo = []
})
afterEach(() => void vi.restoreAllMocks())

function depsWith(overrides: Partial<DeliveryWorkerDeps> = {}): DeliveryWorkerDeps {
  return {
    store,
    grants: allGranted,
    signingKeys: oneKey,
    send: async ({ url }) => {
      sentTo.push(url)
      return accepted
    },
    now: () => time.now(),
    random: () => 0.5,
    timers: time,
    onProblem: (problem, error) => told.push([problem, error]),
    ...overrides,
  }
}
const codeOf = (error: unknown) => (error instanceof WebhookError ? error.code : (error as Error | undefined)?.message)
const toldCodes = () => told.map(([problem, error]) => [problem, codeOf(error)])

const down = new Error('the directory is down')
const otherUser = '02000000-0000-4000-8000-000000000002'
const otherApp = '0b000000-0000-4000-8000-00000000000b'

describe('a worker tells what fails, with its cause', () => {
  test.each<[string, Partial<DeliveryWorkerDeps>, string, string | undefined]>([
    ['grants that reject', { grants: { find: () => Promise.reject(down) } }, 'GRANTS_FAILED', down.message],
    [
      'a look-up of grants that throws at once',
      {
        grants: {
          find() {
            throw down
          },
        },
      },
      'GRANTS_FAILED',
      down.message,
    ],
    ['null for all grants', { grants: { find: async () => null as never } }, 'GRANTS_MISMATCH', 'GRANTS_MISMATCH'],
    ['null for all keys', { signingKeys: { current: async () => null as never } }, 'KEYS_MISMATCH', 'KEYS_MISMATCH'],
    ['too few grants', { grants: { find: async () => [] } }, 'GRANTS_MISMATCH', 'GRANTS_MISMATCH'],
    [
      'a grant of another user',
      { grants: { find: async (pairs) => pairs.map((pair) => ({ ...grant, ...pair, userId: otherUser })) } },
      'GRANTS_MISMATCH',
      'GRANTS_MISMATCH',
    ],
    [
      'a grant to another app',
      { grants: { find: async (pairs) => pairs.map((pair) => ({ ...grant, ...pair, appId: otherApp })) } },
      'GRANTS_MISMATCH',
      'GRANTS_MISMATCH',
    ],
    ['keys that reject', { signingKeys: { current: () => Promise.reject(down) } }, 'KEYS_FAILED', down.message],
    [
      'the key of another app',
      { signingKeys: { current: async (ids) => ids.map(() => ({ appId: otherApp, key: 'k', version: 1 })) } },
      'KEYS_MISMATCH',
      'KEYS_MISMATCH',
    ],
    [
      'a key that names no app',
      { signingKeys: { current: async (ids) => ids.map(() => ({ key: 'k', version: 1 }) as never) } },
      'KEYS_MISMATCH',
      'KEYS_MISMATCH',
    ],
    ['a sender that throws', { send: () => Promise.reject(down) }, 'ATTEMPT_FAILED', down.message],
    [
      'a sender that returns nothing',
      { send: () => Promise.resolve(undefined as never) },
      'ATTEMPT_FAILED',
      'SEND_RESULT_INVALID',
    ],
    ['a sender that returns null', { send: async () => null as never }, 'ATTEMPT_FAILED', 'SEND_RESULT_INVALID'],
    ['a sender that returns a status', { send: async () => 200 as never }, 'ATTEMPT_FAILED', 'SEND_RESULT_INVALID'],
  ])('%s', async (_name, overrides, problem, cause) => {
    await publish(store, [await registerEndpoint(store)])
    await createDeliveryWorker(depsWith(overrides)).runOnce()
    expect(toldCodes()).toContainEqual([problem, cause])
    expect(sentTo).toEqual([])
  })

  test.each(['now', 'random'] as const)('the %s that throws once an answer came', async (name) => {
    await publish(store, [await registerEndpoint(store)])
    let isBroken = false
    const works = { now: () => new Date(0), random: () => 0.5 }[name]
    const broken = () => {
      if (isBroken) throw down
      return works()
    }
    const send = async () => {
      isBroken = true
      return { ...accepted, cause: 'HTTP_STATUS' as const, status: 500 }
    }
    await createDeliveryWorker(depsWith({ send, [name]: broken })).runOnce()
    expect(toldCodes()).toEqual([['ATTEMPT_FAILED', down.message]])
  })

  test('a look-up that does not answer in time', async () => {
    await publish(store, [await registerEndpoint(store)])
    const silent = { find: () => new Promise<never>(() => {}) }
    const run = createDeliveryWorker(depsWith({ grants: silent })).runOnce()
    await time.pass(5_001)
    await run
    expect(toldCodes()).toEqual([['GRANTS_FAILED', 'LOOK_UP_TIMED_OUT']])
  })

  test('a claim and a result that the store refuses', async () => {
    await publish(store, [await registerEndpoint(store)])
    const claims = createDeliveryWorker(depsWith({ store: { ...store, claimDue: () => Promise.reject(down) } }))
    claims.start()
    await time.pass(10)
    await claims.stop()
    let refusals = 2
    const recordAttemptResults: typeof store.recordAttemptResults = (results) =>
      (refusals -= 1) > 0 ? Promise.reject(down) : store.recordAttemptResults(results)
    const results = createDeliveryWorker(depsWith({ store: { ...store, recordAttemptResults } }))
    results.start()
    await time.pass(2_000)
    await results.stop()
    expect(told).toEqual([
      ['CLAIM_FAILED', down],
      ['RECORD_FAILED', down],
    ])
  })
})

test('answers in another order reach nobody with the wrong grant or key', async () => {
  const endpoint = await registerEndpoint(store)
  const users = [otherUser, grant.userId, '03000000-0000-4000-8000-000000000003']
  for (const userId of users) await publish(store, [endpoint], { userId, eventId: newId() })
  const revoked = users[0] ?? ''
  const answer = (pairs: Parameters<typeof allGranted.find>[0]) =>
    pairs.map((pair) => (pair.userId === revoked ? null : { ...grant, ...pair }))
  const backwards = { find: async (pairs: Parameters<typeof allGranted.find>[0]) => answer(pairs).reverse() }
  const worker = createDeliveryWorker(depsWith({ grants: backwards }))
  await worker.runOnce()
  // Asked one by one, the look-up has only one order.
  expect(sentTo).toHaveLength(2)
  const { items } = await store.listDeliveries({ appId, limit: 10 })
  expect(items.find(({ userId }) => userId === revoked)?.state).toBe('CANCELLED')
  expect(toldCodes()).toEqual([['GRANTS_MISMATCH', 'GRANTS_MISMATCH']])
})

test('an attempt that sent nothing because no look-up gave a usable answer does not count, and spoils no other', async () => {
  const endpoints = [await registerEndpoint(store), await registerEndpoint(store, { appId: otherApp })]
  const [own] = await Promise.all([
    publish(store, endpoints.slice(0, 1)),
    publish(store, endpoints.slice(1), { appId: otherApp }),
  ])
  const outcomeOf = async (overrides: Partial<DeliveryWorkerDeps>) => {
    await createDeliveryWorker(depsWith(overrides)).runOnce()
    await time.pass(60_000)
    const deliveryId = own.deliveries[0]?.deliveryId ?? ''
    const found = await store.findDelivery({ appId, deliveryId })
    return [found?.state, found?.attemptsMade, found?.attempts[0]?.report?.cause, sentTo.length]
  }
  const blank = async (ids: readonly string[]) =>
    ids.map((id) => ({ appId: id, key: id === appId ? ' ' : 'k', version: 1 }))
  expect(await outcomeOf({ signingKeys: { current: blank } })).toEqual(['PENDING', 0, 'SIGNING_KEY_MISSING', 1])
  await publish(store, endpoints.slice(1), { appId: otherApp })
  const withoutScopes = async (pairs: Parameters<typeof allGranted.find>[0]) =>
    pairs.map((pair) => ({ ...grant, ...pair, ...(pair.appId === appId ? { scopes: null as never } : {}) }))
  expect(await outcomeOf({ grants: { find: withoutScopes } })).toEqual(['PENDING', 0, 'GRANTS_UNAVAILABLE', 2])
  expect(toldCodes()).toContainEqual(['GRANTS_MISMATCH', 'GRANTS_MISMATCH'])
})

test('UUIDs are compared in any letter case, other ids exactly', async () => {
  const endpoint = await registerEndpoint(store)
  await publish(store, [endpoint])
  const upper = { find: async () => [{ ...grant, userId: grant.userId.toUpperCase() }] }
  await createDeliveryWorker(depsWith({ grants: upper })).runOnce()
  expect(sentTo).toHaveLength(1)
  await publish(store, [endpoint], { userId: 'bob' })
  const otherBob = { find: async () => [{ ...grant, userId: 'Bob' }] }
  await createDeliveryWorker(depsWith({ grants: otherBob })).runOnce()
  expect([sentTo.length, ...(toldCodes()[0] ?? [])]).toEqual([1, 'GRANTS_MISMATCH', 'GRANTS_MISMATCH'])
})

test('problems are printed by default, each code once a minute', async () => {
  const printed: unknown[][] = []
  vi.spyOn(console, 'error').mockImplementation((...line: unknown[]) => void printed.push(line))
  await publish(store, [await registerEndpoint(store)])
  const { onProblem: _, ...silent } = depsWith({ grants: { find: () => Promise.reject(down) } })
  const worker = createDeliveryWorker(silent)
  worker.start()
  await time.pass(50_000)
  expect(printed).toEqual([['kyc-relay delivery worker: GRANTS_FAILED', down]])
  await time.pass(50_000)
  await worker.stop()
  expect(printed).toHaveLength(2)
})

describe('a worker checks its options when it is created', () => {
  const wrong = (deps: unknown) => {
    try {
      createDeliveryWorker(deps as DeliveryWorkerDeps)
      return null
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error
      return [error.code, error.violations.map(({ pointer, code }) => `${pointer} ${code}`)]
    }
  }

  test('everything that is missing is named at once', () => {
    const all = ['/store', '/grants', '/signingKeys', '/send', '/now', '/random'].map(
      (pointer) => `${pointer} REQUIRED`,
    )
    expect(wrong({})).toEqual(['OPTIONS_INVALID', all])
    expect(() => createDeliveryWorker({} as DeliveryWorkerDeps)).toThrow(
      'store, grants, signingKeys, send, now, random',
    )
  })

  test.each<[object, string]>([
    [{ store: {} }, '/store TYPE'],
    [{ grants: async () => [] }, '/grants TYPE'],
    [{ signingKeys: { current: 'key' } }, '/signingKeys TYPE'],
    [{ send: 'https' }, '/send TYPE'],
    [{ openHeaders: {} }, '/openHeaders TYPE'],
    [{ bodySealer: {} }, '/bodySealer TYPE'],
    [{ eventTypes: [{ name: 'ORDER_SHIPPED' }] }, '/eventTypes TYPE'],
    [{ timers: { schedule: () => undefined } }, '/timers TYPE'],
    [{ onResultWritten: 'log' }, '/onResultWritten TYPE'],
    [{ onClaimed: 1 }, '/onClaimed TYPE'],
    [{ onEndpointHealthChanged: {} }, '/onEndpointHealthChanged TYPE'],
    [{ onProblem: null }, '/onProblem REQUIRED'],
    [{ onResultWriten: () => undefined }, '/onResultWriten UNKNOWN_FIELD'],
    [{ options: null }, '/options TYPE'],
    [{ options: 7 }, '/options TYPE'],
    [{ options: [] }, '/options TYPE'],
    [{ options: { concurrency: 0 } }, '/options/concurrency TYPE'],
    [{ now: Date.now }, '/now TYPE'],
    [{ now: () => new Date(Number.NaN) }, '/now TYPE'],
    [{ options: { maxBatch: Number.NaN } }, '/options/maxBatch TYPE'],
    [{ options: { maxOpen: 1.5 } }, '/options/maxOpen TYPE'],
    [{ options: { concurrency: Infinity } }, '/options/concurrency TYPE'],
    [{ options: { shareForHealthy: 1.1 } }, '/options/shareForHealthy TYPE'],
    [{ options: { maxInFlightPerEndpoint: { healthy: 4 } } }, '/options/maxInFlightPerEndpoint/failing TYPE'],
    [{ options: { stopTimeoutMs: Infinity } }, '/options/stopTimeoutMs TYPE'],
    [{ options: { lookUpTimeoutMs: 2 ** 31 } }, '/options/lookUpTimeoutMs TYPE'],
    [{ options: { retry: { maxAttempts: 0 } } }, '/options/retry/maxAttempts TYPE'],
    [{ options: { retry: { baseMs: Number.NaN } } }, '/options/retry/baseMs TYPE'],
    [{ options: { retry: { jitter: 2 } } }, '/options/retry/jitter TYPE'],
    [{ options: { unsent: { retryMs: -1 } } }, '/options/unsent/retryMs TYPE'],
    [{ options: { leaseMs: 39_999 } }, '/options/leaseMs TYPE'],
    [{ options: { scopeRule: 'ALL' } }, '/options/scopeRule TYPE'],
    [{ options: { userAgent: 'a\nb' } }, '/options/userAgent TYPE'],
    [{ options: { userAgent: 7 } }, '/options/userAgent TYPE'],
    [{ options: { maxConcurrency: 4 } }, '/options/maxConcurrency UNKNOWN_FIELD'],
    [{ options: { retry: { attempts: 3 } } }, '/options/retry/attempts UNKNOWN_FIELD'],
    [{ options: { retry: null } }, '/options/retry TYPE'],
    [{ options: { retry: 'fast' } }, '/options/retry TYPE'],
    [{ options: { unsent: null } }, '/options/unsent TYPE'],
    [{ options: { maxInFlightPerEndpoint: null } }, '/options/maxInFlightPerEndpoint TYPE'],
    [
      { options: { maxInFlightPerEndpoint: { healthy: 4, failing: 1, heathy: 1 } } },
      '/options/maxInFlightPerEndpoint/heathy UNKNOWN_FIELD',
    ],
    [{ options: { unsent: { giveUpMs: 1 } } }, '/options/unsent/giveUpMs UNKNOWN_FIELD'],
    [{ options: { attemptTimeoutMs: 35_001 } }, '/options/leaseMs TYPE'],
  ])('%j', (overrides, violation) => {
    expect(wrong({ ...depsWith(), ...overrides })).toEqual(['OPTIONS_INVALID', [violation]])
  })

  test('the limits themselves, and options that are undefined, are accepted', () => {
    expect(wrong({ ...depsWith(), options: { leaseMs: 40_000, concurrency: undefined } })).toBeNull()
  })

  test('parts of a schedule that are undefined have their defaults', async () => {
    const event = await publish(store, [await registerEndpoint(store)])
    const retry = { maxAttempts: undefined, baseMs: undefined } as never
    const worker = createDeliveryWorker(depsWith({ send: async () => refused, options: { retry } }))
    await worker.runOnce()
    const found = await store.findDelivery({ appId, deliveryId: event.deliveries[0]?.deliveryId ?? '' })
    expect(found?.nextAttemptAt?.getTime()).toBe(time.nowMs + 30_000)
  })
})
