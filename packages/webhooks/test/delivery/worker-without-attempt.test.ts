import { beforeEach, describe, expect, test } from 'vitest'
import { type WebhookStore } from '../../src/delivery/index.js'
import type { SigningKey } from '../../src/internal/index.js'
import { resultOfCause } from '../../src/delivery/sender.js'
import { allGranted, appId, grant, newId, oneKey, publish, refused, registerEndpoint } from './delivery-samples.js'
import {
  createWorker,
  lookSeldom,
  problems,
  read,
  senderOf,
  sent,
  setUpWorker,
  statesOf,
  store,
  time,
} from './worker-fixture.js'

beforeEach(setUpWorker)

describe('what is not sent', () => {
  test('a grant revoked since is found before the attempt and cancels', async () => {
    const event = await publish(store, [await registerEndpoint(store)])
    await createWorker({ grants: { find: async (pairs) => pairs.map(() => null) } }).runOnce()
    expect(sent).toEqual([])
    expect(await read(event.deliveries[0])).toMatchObject({
      state: 'CANCELLED',
      cancelReason: 'GRANT_REVOKED',
      attemptsMade: 0,
    })
  })

  test('a body that an erasure blanked after the publishing cancels', async () => {
    const event = await publish(store, [await registerEndpoint(store)])
    const claimDue: typeof store.claimDue = async (request) => {
      const answer = await store.claimDue(request)
      return { ...answer, claimed: answer.claimed.map((one) => ({ ...one, body: new Uint8Array() })) }
    }
    await createWorker({ store: { ...store, claimDue } }).runOnce()
    expect(sent).toEqual([])
    expect(await read(event.deliveries[0])).toMatchObject({ state: 'CANCELLED', cancelReason: 'USER_ERASED' })
  })

  test.each([
    ['all', 'CANCELLED'],
    ['any', 'DELIVERED'],
  ] as const)('a scope missing: rule %s gives %s', async (scopeRule, state) => {
    await publish(store, [await registerEndpoint(store)], { type: 'TRANSACTION_CREATE' })
    const some = { find: async () => [{ ...grant, scopes: ['LIST_PAYMENT'] }] }
    await createWorker({ grants: some, options: { scopeRule } }).runOnce()
    expect(await statesOf()).toEqual([state])
  })

  test('a missing signing key gives the number back, is looked for ever less often, and given up after 24 h', async () => {
    lookSeldom()
    const event = await publish(store, [await registerEndpoint(store)])
    const recordedAtMs: number[] = []
    const noKey = { signingKeys: { current: async () => [null] } }
    const worker = createWorker({ ...noKey, onResultWritten: () => recordedAtMs.push(time.monotonicMs()) })
    worker.start()
    await time.pass(95_000)
    expect(recordedAtMs).toEqual([0, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 62_000, 92_000])
    expect((await read(event.deliveries[0]))?.attempts.at(-1)).toMatchObject({
      state: 'UNSENT',
      report: { cause: 'SIGNING_KEY_MISSING' },
    })
    await time.pass(24 * 3_600_000)
    await worker.stop()
    expect(await read(event.deliveries[0])).toMatchObject({ state: 'FAILED', attemptsMade: 0 })
  })

  test.each([
    [
      'a key store that fails',
      { signingKeys: { current: () => Promise.reject(new Error('down')) } },
      'SIGNING_KEY_MISSING',
    ],
    ['a grant look-up that fails', { grants: { find: () => Promise.reject(new Error('down')) } }, 'GRANTS_UNAVAILABLE'],
    ['a grant look-up that answers short', { grants: { find: async () => [] } }, 'GRANTS_UNAVAILABLE'],
    ['our own resolver being down', { send: async () => resultOfCause('RESOLVER_DOWN') }, 'RESOLVER_DOWN'],
    ['a process without a socket left', { send: async () => resultOfCause('OUT_OF_SOCKETS') }, 'OUT_OF_SOCKETS'],
    ['an outbound proxy that fails', { send: async () => resultOfCause('PROXY_FAILED') }, 'PROXY_FAILED'],
  ] as const)('%s gives the number back, is tried every second, and given up in time', async (_name, broken, cause) => {
    lookSeldom()
    const event = await publish(store, [await registerEndpoint(store)])
    const recordedAtMs: number[] = []
    const worker = createWorker({
      ...broken,
      onResultWritten: () => recordedAtMs.push(time.monotonicMs()),
      options: { unsent: { giveUpAfterMs: 600_000 } },
    })
    worker.start()
    await time.pass(5_500)
    expect(recordedAtMs).toEqual([0, 1_000, 2_000, 3_000, 4_000, 5_000])
    expect(await read(event.deliveries[0])).toMatchObject({ state: 'PENDING', attemptsMade: 0 })
    expect((await read(event.deliveries[0]))?.attempts.at(-1)).toMatchObject({ state: 'UNSENT', report: { cause } })
    await time.pass(700_000)
    await worker.stop()
    expect(await read(event.deliveries[0])).toMatchObject({ state: 'FAILED', attemptsMade: 0 })
  })

  test('a signing key without a text is no answer', async () => {
    const event = await publish(store, [await registerEndpoint(store)])
    const current = async (appIds: readonly string[]) => appIds.map((id) => ({ appId: id, version: 7 }) as SigningKey)
    await createWorker({ signingKeys: { current } }).runOnce()
    expect(await read(event.deliveries[0])).toMatchObject({
      attemptsMade: 0,
      attempts: [{ state: 'UNSENT', report: { cause: 'SIGNING_KEY_MISSING' } }],
    })
    expect(problems).toContain('KEYS_MISMATCH')
  })

  test.each([29_999, 30_000, 44_000])(
    'a claim that takes %i ms leaves the endpoint its five attempts',
    async (tookMs) => {
      lookSeldom()
      const event = await publish(store, [await registerEndpoint(store)])
      const claimDue: typeof store.claimDue = async (request) => {
        const claimed = await store.claimDue(request)
        await time.sleep(tookMs)
        return claimed
      }
      const done = createWorker({ store: { ...store, claimDue } }).runOnce()
      await time.pass(tookMs)
      await done
      const isInTime = tookMs < 30_000
      expect(sent.map(({ timeoutMs }) => timeoutMs)).toEqual(isInTime ? [1] : [])
      expect(await read(event.deliveries[0])).toMatchObject(
        isInTime
          ? { state: 'DELIVERED', attemptsMade: 1 }
          : {
              state: 'PENDING',
              attemptsMade: 0,
              attempts: [{ state: 'UNSENT', report: { cause: 'NO_TIME_LEFT', keyVersion: 7 } }],
            },
      )
    },
  )

  test('a pause counts toward the 24 h, and what waited for its end is tried before it is given up', async () => {
    lookSeldom()
    const endpoint = await registerEndpoint(store)
    const event = await publish(store, [endpoint])
    let isDown = true
    const worker = createWorker({ signingKeys: { current: async (ids) => (isDown ? [null] : oneKey.current(ids)) } })
    worker.start()
    await time.pass(5_000)
    await store.pauseEndpoint({ ...endpoint, by: 'PARTNER' })
    await time.pass(25 * 3_600_000)
    expect(await read(event.deliveries[0])).toMatchObject({ state: 'PENDING', attemptsMade: 0 })
    isDown = false
    await store.resumeEndpoint({ ...endpoint, by: 'PARTNER' })
    await time.pass(120_000)
    await worker.stop()
    expect(await read(event.deliveries[0])).toMatchObject({ state: 'DELIVERED', attemptsMade: 1 })
  })

  test('once the key is back, the delivery has all its attempts', async () => {
    lookSeldom()
    const event = await publish(store, [await registerEndpoint(store)])
    let key: SigningKey | null = null
    const worker = createWorker({ signingKeys: { current: async () => [key] }, send: senderOf(() => refused) })
    worker.start()
    await time.pass(3_600_000)
    key = { appId, key: 'fz_live_example', version: 1 }
    await time.pass(6 * 3_600_000)
    await worker.stop()
    expect(sent).toHaveLength(5)
    expect(await read(event.deliveries[0])).toMatchObject({ state: 'FAILED', attemptsMade: 5 })
  })

  test('a look-up that hangs is given up in time', async () => {
    const event = await publish(store, [await registerEndpoint(store)])
    const done = createWorker({ grants: { find: () => new Promise(() => {}) } }).runOnce()
    await time.pass(10_000)
    await done
    expect((await read(event.deliveries[0]))?.attempts[0]?.report?.cause).toBe('GRANTS_UNAVAILABLE')
  })

  test('one user whose grant cannot be read keeps no neighbour back', async () => {
    const endpoint = await registerEndpoint(store)
    await publish(store, [endpoint])
    await publish(store, [endpoint], { userId: newId() })
    const find: typeof allGranted.find = async (pairs) => {
      if (pairs.some((pair) => pair.userId !== grant.userId)) throw new Error('poison')
      return allGranted.find(pairs)
    }
    await createWorker({ grants: { find } }).runOnce()
    expect(await statesOf()).toEqual(['DELIVERED', 'PENDING'])
  })

  test('an attempt that could not begin in its 30 seconds is not sent', async () => {
    await publish(store, [await registerEndpoint(store)])
    const stalled: WebhookStore = {
      ...store,
      async claimDue(request) {
        const answer = await store.claimDue(request)
        time.stall(31_000)
        return answer
      },
    }
    await createWorker({ store: stalled }).runOnce()
    expect(sent).toEqual([])
  })
})
