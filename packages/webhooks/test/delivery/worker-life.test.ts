import { beforeEach, describe, expect, test } from 'vitest'
import { type WebhookStore } from '../../src/delivery/index.js'
import { accepted, allGranted, oneKey, publish, registerEndpoint } from './delivery-samples.js'
import { settlePromises } from './virtual-time.js'
import { createWorker, read, senderOf, sent, setUpWorker, store, time } from './worker-fixture.js'

beforeEach(setUpWorker)

/** A store that answers its first claim only after `endFirst`. */
function storeWhoseFirstClaimHangs() {
  let count = 0
  let endFirst = () => {}
  const claimDue: WebhookStore['claimDue'] = async (request) => {
    count += 1
    if (count === 1) await new Promise<void>((resolve) => (endFirst = resolve))
    return store.claimDue(request)
  }
  return { store: { ...store, claimDue }, count: () => count, endFirst: () => endFirst() }
}

describe('starting, waking and stopping', () => {
  test('an event published while it runs is sent at once by the hint', async () => {
    const endpoint = await registerEndpoint(store)
    const worker = createWorker()
    worker.start()
    worker.start()
    await time.pass(10_500)
    await publish(store, [endpoint])
    await time.pass(0)
    expect(sent).toHaveLength(1)
    await worker.stop()
  })

  test('without a hint it is found by polling within a second', async () => {
    const { onDue: _onDue, ...silent } = store
    const endpoint = await registerEndpoint(store)
    const worker = createWorker({ store: silent })
    worker.start()
    await time.pass(10_500)
    await publish(silent, [endpoint])
    await time.pass(1_000)
    expect(sent).toHaveLength(1)
    await worker.stop()
  })

  test('an idle worker looks once per poll interval, and asks for no grants and keys', async () => {
    let looks = 0
    let lookUps = 0
    const counting: WebhookStore = { ...store, claimDue: (request) => ((looks += 1), store.claimDue(request)) }
    const worker = createWorker({
      store: counting,
      grants: { find: (pairs) => ((lookUps += 1), allGranted.find(pairs)) },
      signingKeys: { current: (appIds) => ((lookUps += 1), oneKey.current(appIds)) },
    })
    worker.start()
    // A second start runs nothing more.
    worker.start()
    await time.pass(60_000)
    expect({ looks, lookUps }).toEqual({ looks: 61, lookUps: 0 })
    await worker.stop()
  })

  test('stopping during a look for expired claims claims nothing that is due', async () => {
    let looks = 0
    const claimExpired: WebhookStore['claimExpired'] = (request) =>
      time.sleep(100).then(() => store.claimExpired(request))
    const claimDue: WebhookStore['claimDue'] = (request) => ((looks += 1), store.claimDue(request))
    const worker = createWorker({ store: { ...store, claimExpired, claimDue } })
    worker.start()
    await time.pass(50)
    const stopping = worker.stop()
    await time.pass(100)
    await stopping
    expect(looks).toBe(0)
  })

  test('stopping claims nothing more and waits for what is under way', async () => {
    const endpoint = await registerEndpoint(store)
    const event = await publish(store, [endpoint])
    const worker = createWorker({ send: senderOf(() => time.sleep(20_000).then(() => accepted)) })
    worker.start()
    await time.pass(1_000)
    let stopped = false
    const stopping = worker.stop().then(() => (stopped = true))
    const late = await publish(store, [endpoint])
    await time.pass(18_999)
    expect(stopped).toBe(false)
    await time.pass(1)
    await stopping
    expect(await read(event.deliveries[0])).toMatchObject({ state: 'DELIVERED' })
    expect(await read(late.deliveries[0])).toMatchObject({ state: 'PENDING', attemptsMade: 0 })
    expect(worker.status()).toMatchObject({ running: false, inFlight: 0 })
  })

  test('stopping ends after 35 seconds even if an outcome cannot be written', async () => {
    await publish(store, [await registerEndpoint(store)])
    const outcomes: string[] = []
    const worker = createWorker({
      store: { ...store, recordAttemptResults: () => Promise.reject(new Error('down')) },
      onResultWritten: ({ outcome }) => outcomes.push(outcome),
    })
    worker.start()
    await time.pass(1_000)
    const stopping = worker.stop()
    await time.pass(35_000)
    await stopping
    await settlePromises()
    expect(outcomes).toEqual(['abandoned'])
    expect(time.nextAtMs()).toBeNull()
  })

  test('it can be started again', async () => {
    const endpoint = await registerEndpoint(store)
    const worker = createWorker()
    worker.start()
    await time.pass(10)
    await worker.stop()
    await publish(store, [endpoint])
    await time.pass(5_000)
    expect(sent).toEqual([])
    worker.start()
    await time.pass(10)
    await worker.stop()
    expect(sent).toHaveLength(1)
  })

  test('it writes outcomes again after a stop that gave some up', async () => {
    const endpoint = await registerEndpoint(store)
    const first = await publish(store, [endpoint])
    let down = true
    const worker = createWorker({
      store: {
        ...store,
        recordAttemptResults: (results) =>
          down ? Promise.reject(new Error('down')) : store.recordAttemptResults(results),
      },
    })
    worker.start()
    await time.pass(1_000)
    const stopping = worker.stop()
    await time.pass(35_000)
    await stopping
    down = false
    const second = await publish(store, [endpoint])
    worker.start()
    await time.pass(120_000)
    await worker.stop()
    expect(await read(second.deliveries[0])).toMatchObject({ state: 'DELIVERED', attemptsMade: 1 })
    // Its first attempt was interrupted.
    expect(await read(first.deliveries[0])).toMatchObject({ state: 'DELIVERED', attemptsMade: 2 })
    expect(sent).toHaveLength(3)
  })

  test('a claim that outlives its stop does not go on beside the next start', async () => {
    const claims = storeWhoseFirstClaimHangs()
    const worker = createWorker({ store: claims.store })
    worker.start()
    await time.pass(10)
    const stopping = worker.stop()
    await time.pass(35_000)
    await stopping
    worker.start()
    claims.endFirst()
    await time.pass(60_000)
    // The one that hung, one more because the stop woke the worker, and those of the second start.
    expect(claims.count()).toBe(1 + 1 + 61)
    await worker.stop()
  })

  test('of two stops the later one does not end the start after the first', async () => {
    const claims = storeWhoseFirstClaimHangs()
    const worker = createWorker({ store: claims.store })
    worker.start()
    await time.pass(10)
    const first = worker.stop()
    await time.pass(20_000)
    const second = worker.stop()
    await time.pass(15_000)
    await first
    worker.start()
    await time.pass(30_000)
    await second
    expect(worker.status()).toMatchObject({ running: true })
    claims.endFirst()
    await worker.stop()
  })

  test('stopping what was never started is fine', async () => {
    await createWorker().stop()
  })
})
