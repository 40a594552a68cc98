import { readFeed, type GrantLookup, type PreparedEvent } from '@kyc-relay/webhooks/delivery'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { bytes, claimRequest, endpoint, event, report, startOfTests, uuid } from '../samples.js'
import { storeEngines, type Stores } from './store-engines.js'

let now = startOfTests.getTime()
const { engines, guard } = storeEngines(() => new Date(now))

const hook = endpoint('a')
const { appId, endpointId } = hook
/** Every user granted every scope, but for one. */
const grants: GrantLookup = {
  find: (pairs) =>
    Promise.resolve(
      pairs.map(({ userId }) =>
        userId === uuid('revoked')
          ? null
          : {
              appId,
              userId,
              appName: 'App',
              accountId: uuid('account'),
              externalReferenceId: 'r',
              scopes: ['LIST_PAYMENT', 'LIST_PURCHASES'],
            },
      ),
    ),
}

describe.each(engines)('the feed on $engine', ({ start, open, stop }) => {
  let stores: Stores
  beforeAll(start)
  afterAll(stop)
  beforeEach(async () => {
    now = startOfTests.getTime()
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

  /** Waits for transactions of other databases of the server, which hold back what comes after them. */
  async function settle() {
    for (const until = Date.now() + 20_000; ((await stores.feed.measureLag()) ?? 0) > 0;) {
      if (Date.now() > until) throw new Error('a transaction stays open')
    }
  }

  async function read(after: string | null, fields: Partial<Parameters<typeof readFeed>[1]> = {}) {
    await settle()
    const request = { appId, after, eventTypes: null, keptSince: startOfTests, limit: 100, ...fields }
    return readFeed({ feed: stores.feed, webhooks: stores.webhooks, grants }, request)
  }

  async function page(after: string | null, fields: Partial<Parameters<typeof readFeed>[1]> = {}) {
    const answer = await read(after, fields)
    if (answer.outcome !== 'page') throw new Error(answer.outcome)
    return { ids: answer.items.map((item) => item.eventId), items: answer.items, next: answer.nextCursor }
  }

  test('lists each event once, with a cursor on every page, also on an empty one', async () => {
    const empty = await page(null)
    expect(empty.ids).toEqual([])
    const published = []
    for (const name of ['one', 'two', 'three']) published.push(await publish(name))
    const first = await page(empty.next, { limit: 2 })
    expect(first.ids).toEqual(published.slice(0, 2))
    const second = await page(first.next, { limit: 2 })
    expect(second.ids).toEqual(published.slice(2))
    const third = await page(second.next)
    expect(third).toMatchObject({ ids: [], next: second.next })
    const later = await publish('later')
    expect((await page(third.next)).ids).toEqual([later])
    expect((await page(null)).ids).toEqual([...published, later])
  })

  test.each([
    { limit: 0 },
    { limit: 101 },
    { limit: 2.5 },
    { limit: '2' as never },
    { keptSince: new Date(Number.NaN) },
    { keptSince: '2026-01-01' as never },
  ])('refuses %j', async (wrong) => {
    await publish('one')
    await expect(read(null, wrong)).rejects.toMatchObject({ code: 'OPTIONS_INVALID' })
  })

  test('gives the exact body and the X-Event-ID of each endpoint', async () => {
    const body = bytes('{"amount":"1.50","é":1}')
    await publish('acknowledged', { body })
    const { claimed } = await stores.webhooks.claimDue(claimRequest)
    await stores.webhooks.recordAttemptResults(
      claimed.map(({ fence }) => ({
        fence,
        attempt: { state: 'SUCCEEDED', report },
        next: { state: 'DELIVERED' },
      })),
    )
    const [delivery] = (await stores.webhooks.listDeliveries({ appId, limit: 9 })).items
    await stores.webhooks.resendDelivery({ appId, deliveryId: delivery!.deliveryId, newDeliveryId: uuid('again') })
    await publish('missed', { withheld: 'NO_ENDPOINT', body: bytes('{}') })
    const { items } = await page(null)
    expect([...items[0]!.body]).toEqual([...body])
    const acknowledged = { endpointId, xEventId: claimed[0]!.xEventId, state: 'DELIVERED' }
    expect(items[0]!.deliveries).toContainEqual(acknowledged)
    expect(items[0]!.deliveries.filter((one) => one.endpointId === endpointId && one.state !== null)).toHaveLength(1)
    expect(items[1]!.deliveries).toMatchObject([{ endpointId, state: null }])
  })

  test('leaves out tests, erased events, other types, and what is no longer granted', async () => {
    await publish('test', { test: true })
    await publish('revoked', { userId: uuid('revoked') })
    await publish('withheld', { withheld: 'SCOPE_NOT_GRANTED', body: new Uint8Array() })
    const kept = await publish('kept')
    const other = await publish('other', { type: 'TRANSACTION_DECLINE' })
    expect((await page(null)).ids).toEqual([kept, other])
    expect((await page(null, { eventTypes: ['TRANSACTION_DECLINE'] })).ids).toEqual([other])
    const foreign = await page(null, { appId: uuid('another app') })
    expect(foreign.ids).toEqual([])
    await expect(read(foreign.next)).rejects.toMatchObject({ code: 'CURSOR_INVALID' })
  })

  test('goes on over many events that are left out', async () => {
    for (let n = 0; n < 230; n += 1) await publish(`test ${n}`, { test: true })
    const last = await publish('last')
    expect((await page(null)).ids).toEqual([last])
  })

  test('says when events after the cursor are no longer kept, and with what to go on', async () => {
    const old = await publish('old')
    const { next, ids } = await page(null)
    expect(ids).toEqual([old])
    now += 86_400_000
    const keptSince = new Date(now)
    expect((await page(next, { keptSince })).ids).toEqual([])
    await publish('lost')
    now += 1000
    const later = new Date(now)
    const kept = await publish('kept')
    const expired = await read(next, { keptSince: later })
    if (expired.outcome !== 'expired') throw new Error(expired.outcome)
    expect((await page(expired.oldest, { keptSince: later })).ids).toEqual([kept])
    expect((await page(null, { keptSince: later })).ids).toEqual([kept])
    const nothing = await page(null, { keptSince: new Date(now + 1) })
    expect(nothing.ids).toEqual([])
    const next2 = await publish('next')
    expect((await page(nothing.next, { keptSince: new Date(now) })).ids).toEqual([next2])
  })

  test('skips no event and repeats none when the clock steps back', async () => {
    await publish('lost')
    now += 60_000
    const early = await publish('early')
    now -= 30_000
    const stepped = await publish('stepped')
    const keptSince = new Date(now + 1)
    const last = await publish('last')
    const seen: string[] = []
    for (let after: string | null = null; seen.length < 3;) {
      const { ids, next } = await page(after, { keptSince, limit: 1 })
      seen.push(...ids)
      if (after === next) break
      after = next
    }
    expect(seen).toEqual([early, stepped, last])
  })

  test('refuses a cursor that it did not make, or that is ahead of the database', async () => {
    await publish('one')
    const { next } = await page(null)
    const forge = (text: string) => Buffer.from(text).toString('base64url')
    const text = Buffer.from(next, 'base64url').toString()
    for (const cursor of [
      '',
      'x',
      `${next}=`,
      forge(`${text}x`),
      forge(text.replace('f', 'f0')),
      forge('f1.1'),
      `A${next}`,
    ]) {
      await expect(read(cursor)).rejects.toMatchObject({ code: 'CURSOR_INVALID' })
    }
    const ahead = [`f999999999999999999.1.${appId}`, `f999999999999999999.999999999999999.${appId}`]
    for (const cursor of ahead) expect(await read(forge(cursor))).toEqual({ outcome: 'unknown' })
  })
})

test('no statement of the feed reads rows of more than one app', () => {
  expect([...guard.refused]).toEqual([])
  expect([...guard.readsOverAll].filter((tables) => tables.includes('events'))).toEqual([])
})
