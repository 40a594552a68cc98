import { recoverEvents, type GrantLookup, type PreparedEvent } from '@kyc-relay/webhooks/delivery'
import { countRecovery, type RecoverEventsDeps } from '@kyc-relay/webhooks/internal'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { bytes, claimRequest, endpoint, event, report, startOfTests, uuid } from '../samples.js'
import { storeEngines, type Stores } from './store-engines.js'

let now = startOfTests.getTime()
const clock = () => new Date(now)
const { engines, guard } = storeEngines(clock)

/** Claims all that is due. */
const all = { ...claimRequest, limit: 200, maxInFlight: { healthy: 200, failing: 200 }, keepForHealthy: 0 }
const hook = endpoint('a')
const { appId, endpointId } = hook
const grantOf = (userId: string) => ({
  appId,
  userId,
  appName: 'App',
  accountId: uuid('account'),
  externalReferenceId: 'r',
  scopes: ['LIST_PAYMENT', 'LIST_PURCHASES'],
})
/** Every user granted every scope, but for one. */
const everyScope: GrantLookup = {
  find: (pairs) => Promise.resolve(pairs.map(({ userId }) => (userId === uuid('revoked') ? null : grantOf(userId)))),
}

describe.each(engines)('a recovery on $engine', ({ start, open, stop }) => {
  let stores: Stores
  let ids = 0
  const deps = (): RecoverEventsDeps => ({
    store: stores.recoveries,
    grants: everyScope,
    newId: () => uuid(`recovered ${(ids += 1)}`),
  })
  beforeAll(start)
  afterAll(stop)
  beforeEach(async () => {
    stores = await open()
    await stores.webhooks.registerEndpoint(hook, 5)
    return () => stores.close()
  })

  async function publish(name: string, fields: Partial<PreparedEvent> = {}) {
    now += 1000
    const made = event(name, fields.withheld ? [] : [hook], fields)
    await stores.webhooks.insertEvent(made)
    return made.eventId
  }

  /** Ends what is due: acknowledged, or failed for ever. */
  async function end(state: 'DELIVERED' | 'FAILED') {
    const { claimed } = await stores.webhooks.claimDue(all)
    const attempt = state === 'DELIVERED' ? 'SUCCEEDED' : 'FAILED'
    await stores.webhooks.recordAttemptResults(
      claimed.map(({ fence }) => ({ fence, attempt: { state: attempt, report }, next: { state } })),
    )
    return claimed.map(({ eventId }) => eventId)
  }

  async function recover(fields: { since?: Date; until?: Date | null; name?: string; of?: string } = {}) {
    const { since = startOfTests, until = null, name = 'recovery', of = endpointId } = fields
    const recoveryId = uuid(name)
    now += 1000
    const request = { recoveryId, appId, endpointId: of, since, until, eventTypes: null }
    return { recoveryId, answer: await stores.recoveries.startRecovery(request) }
  }

  async function runAll() {
    for (let steps = 0; (await recoverEvents(deps())) > 0; steps += 1) expect(steps).toBeLessThan(100)
  }

  const progress = (recoveryId: string) => stores.recoveries.findRecovery({ appId, recoveryId })

  test('makes no delivery of an event of another app', async () => {
    const theirs = endpoint('theirs', uuid('another app'))
    await stores.webhooks.registerEndpoint(theirs, 5)
    const { eventId } = await stores.webhooks.insertEvent(event('theirs', [theirs], { appId: theirs.appId }))
    const { recoveryId } = await recover()
    const deliveries = [{ deliveryId: uuid('made'), eventId, xEventId: uuid('made') }]
    const skipped = { acknowledged: 0, pending: 0, scope: 0, erased: 0 }
    const step = { appId, recoveryId, endpointId, after: null, next: null, deliveries, skipped }
    expect(await stores.recoveries.writeStep(step)).toBe('written')
    expect(await progress(recoveryId)).toMatchObject({ created: 0 })
    expect(await stores.webhooks.findDelivery({ appId, deliveryId: uuid('made') })).toBeNull()
  })

  // A recovery whose types cannot be read would never end.
  const wrongTypes = [{ eventTypes: 'WIDGET_DEPOSIT_COMPLETE' }, { eventTypes: {} }, { eventTypes: [null] }]
  const wrongTimes = [{ since: undefined }, { since: null }, { since: new Date(NaN) }, { until: new Date(NaN) }]
  test.each([...wrongTimes, ...wrongTypes])('does not start with %j', async (wrong) => {
    const request = {
      recoveryId: uuid('wrong'),
      appId,
      endpointId,
      since: startOfTests,
      until: null,
      eventTypes: null,
    }
    const started = stores.recoveries.startRecovery({ ...request, ...wrong } as never)
    await expect(started).rejects.toMatchObject({ code: 'ARGUMENT_INVALID', retryable: false })
  })

  test('without an end goes up to now', async () => {
    const request = { recoveryId: uuid('open'), appId, endpointId, since: startOfTests, eventTypes: null }
    expect(await stores.recoveries.startRecovery(request as never)).toBe('started')
  })

  test('delivers what was not acknowledged, oldest first', async () => {
    const acknowledged = await publish('acknowledged')
    expect(await end('DELIVERED')).toEqual([acknowledged])
    const failed = await publish('failed')
    await end('FAILED')
    const unseen = await publish('unseen', { withheld: 'NO_ENDPOINT', body: bytes('{"n":1}') })
    await publish('test', { test: true })
    await end('FAILED')
    const pending = await publish('pending')
    const range = { appId, endpointId, since: startOfTests, until: new Date(now + 1), eventTypes: null }
    const skipped = { acknowledged: 1, pending: 1, scope: 0, erased: 0 }
    expect(await countRecovery(deps(), range)).toEqual({ matched: 4, skipped })
    const { recoveryId, answer } = await recover()
    expect(answer).toBe('started')
    expect(await progress(recoveryId)).toMatchObject({ state: 'RUNNING', matched: 0, created: 0 })
    await runAll()
    expect(await progress(recoveryId)).toEqual({ recoveryId, state: 'DONE', matched: 4, created: 2, skipped })
    expect(await end('DELIVERED')).toEqual([pending, failed, unseen])
    const again = (await stores.webhooks.listDeliveries({ appId, eventId: failed, limit: 9 })).items
    expect(again.map(({ state, attemptsMade }) => [state, attemptsMade])).toEqual([
      ['DELIVERED', 1],
      ['FAILED', 1],
    ])
    await recover({ name: 'second' })
    await runAll()
    expect(await progress(uuid('second'))).toMatchObject({ state: 'DONE', created: 0, skipped: { acknowledged: 4 } })
  })

  test('needs the scope when the event was published and now, and the body', async () => {
    await publish('withheld', { withheld: 'SCOPE_NOT_GRANTED', body: new Uint8Array() })
    await publish('revoked', { userId: uuid('revoked') })
    await publish('erased')
    await end('FAILED')
    now += 1000
    await stores.retention.removeOld({ bodyAgeMs: 0 })
    await publish('kept')
    await end('FAILED')
    await recover()
    await runAll()
    const skipped = { acknowledged: 0, pending: 0, scope: 2, erased: 1 }
    expect(await progress(uuid('recovery'))).toMatchObject({ state: 'DONE', matched: 4, created: 1, skipped })
  })

  test('goes on behind any number of older ones that wait for their endpoints', async () => {
    await publish('missed', { withheld: 'NO_ENDPOINT', body: bytes('{}') })
    for (let n = 0; n < 100; n += 1) {
      const one = endpoint(`waiting-${n}`)
      await stores.webhooks.registerEndpoint(one, 200)
      expect(await recover({ name: `waiting-${n}`, of: one.endpointId })).toMatchObject({ answer: 'started' })
    }
    const { recoveryId } = await recover()
    const waits: RecoverEventsDeps['store'] = {
      ...stores.recoveries,
      findNextStep: async (request) =>
        request.recoveryId === recoveryId ? stores.recoveries.findNextStep(request) : null,
    }
    expect(await recoverEvents({ ...deps(), store: waits })).toBe(1)
    expect(await progress(recoveryId)).toMatchObject({ state: 'DONE', created: 1 })
  })

  test('brings an endpoint of all types nothing that it has to name', async () => {
    await publish('named only', { type: 'KYC_STATUS_CHANGED', withheld: 'NO_ENDPOINT', body: bytes('{}') })
    const missed = await publish('missed', { withheld: 'NO_ENDPOINT', body: bytes('{}') })
    await recover()
    await runAll()
    expect(await end('FAILED')).toEqual([missed])
    const named = { ...endpoint('b'), eventTypes: ['KYC_STATUS_CHANGED'] as const }
    await stores.webhooks.registerEndpoint(named, 5)
    await recover({ name: 'named', of: named.endpointId })
    await runAll()
    expect(await progress(uuid('named'))).toMatchObject({
      state: 'DONE',
      matched: 1,
      created: 0,
      skipped: { scope: 1 },
    })
  })

  test('has a range from since, inclusive, to until, exclusive, which ends at its start at the latest', async () => {
    const published: string[] = []
    const times: Date[] = []
    for (const name of ['one', 'two', 'three', 'four']) {
      published.push(await publish(name))
      times.push(clock())
    }
    await end('FAILED')
    await recover({ since: times[1]!, until: times[3]! })
    await runAll()
    expect(await end('FAILED')).toEqual(published.slice(1, 3))
    await recover({ name: 'open', since: times[3]!, until: new Date(now + 9_000_000) })
    await publish('later')
    await end('FAILED')
    await runAll()
    expect(await end('FAILED')).toEqual(published.slice(3))
  })

  test('is one for an endpoint, is stopped, carried on by a replacement, and ended by a removal', async () => {
    await publish('one')
    await end('FAILED')
    expect((await recover({ of: uuid('unknown') })).answer).toBe('not_found')
    expect((await recover()).answer).toBe('started')
    expect((await recover({ name: 'second' })).answer).toBe('running')
    for (const one of [
      { appId: uuid('another'), recoveryId: uuid('recovery') },
      { appId, recoveryId: uuid('x') },
    ]) {
      expect(await stores.recoveries.findRecovery(one)).toBeNull()
      expect(await stores.recoveries.stopRecovery(one)).toBe(false)
    }
    expect(await stores.recoveries.stopRecovery({ appId, recoveryId: uuid('recovery') })).toBe(true)
    await runAll()
    expect(await progress(uuid('recovery'))).toMatchObject({ state: 'STOPPED', created: 0 })
    expect((await recover({ name: 'third' })).answer).toBe('started')
    const replacement = { ...endpoint('b'), appId }
    await stores.webhooks.replaceEndpoint({ appId, endpointId, replacement })
    expect(await stores.recoveries.listRunning({ limit: 5 })).toEqual([{ appId, recoveryId: uuid('third') }])
    await runAll()
    expect(await progress(uuid('third'))).toMatchObject({ state: 'DONE', created: 1 })
    const [made] = (await stores.webhooks.listDeliveries({ appId, limit: 1 })).items
    expect(made).toMatchObject({ state: 'PENDING', endpointId: replacement.endpointId, attemptsMade: 0 })
    await recover({ name: 'last', of: replacement.endpointId })
    await stores.webhooks.removeEndpoint({ appId, endpointId: replacement.endpointId })
    await runAll()
    expect(await progress(uuid('last'))).toMatchObject({ state: 'STOPPED', created: 0 })
  })

  test('goes on in bounded steps, after what is published meanwhile, and waits in a pause', async () => {
    const old: string[] = []
    for (let n = 0; n < 90; n += 1) old.push(await publish(`old ${n}`, { withheld: 'NO_ENDPOINT', body: bytes('{}') }))
    await recover()
    expect(await recoverEvents(deps())).toBe(1)
    expect(await progress(uuid('recovery'))).toMatchObject({ state: 'RUNNING', matched: 4, created: 4 })
    const live = await publish('live')
    const few = { ...claimRequest, limit: 2, maxInFlight: { healthy: 2, failing: 2 } }
    const { claimed } = await stores.webhooks.claimDue(few)
    expect(claimed.map(({ eventId }) => eventId)).toEqual([live, old[0]])
    await stores.webhooks.pauseEndpoint({ appId, endpointId, by: 'PARTNER' })
    await runAll()
    expect(await progress(uuid('recovery'))).toMatchObject({ state: 'DONE', created: 90 })
    expect(await stores.webhooks.claimDue(claimRequest)).toEqual({ claimed: [], nextDueInMs: null })
    await stores.webhooks.resumeEndpoint({ appId, endpointId, by: 'PARTNER' })
    expect((await stores.webhooks.claimDue(few)).nextDueInMs).toBe(0)
  })

  test('makes each delivery once, however many processes do its steps', async () => {
    for (let n = 0; n < 95; n += 1) await publish(`old ${n}`, { withheld: 'NO_ENDPOINT', body: bytes('{}') })
    await recover()
    for (let turn = 0; turn < 30; turn += 1) await Promise.all(Array.from({ length: 8 }, () => recoverEvents(deps())))
    expect(await progress(uuid('recovery'))).toMatchObject({ state: 'DONE', matched: 95, created: 95 })
    const made = new Set<string>()
    let cursor: string | null = null
    do {
      const page = await stores.webhooks.listDeliveries({ appId, limit: 200, ...(cursor === null ? {} : { cursor }) })
      for (const { xEventId } of page.items) made.add(xEventId)
      cursor = page.nextCursor
    } while (cursor !== null)
    expect(made.size).toBe(95)
  })
})

test('no statement of a recovery writes or locks rows of more than one app', () => {
  expect([...guard.refused]).toEqual([])
  expect([...guard.readsOverAll].filter((tables) => tables.includes('recoveries'))).toEqual(['kyc_relay_recoveries'])
})
