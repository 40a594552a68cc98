import { deepEqual, ok, rejects } from 'node:assert/strict'
import {
  appA,
  appB,
  between,
  claimOne,
  createSamples,
  near,
  recordResults,
  resultOf,
  userTwo,
} from '../webhook-store/sample-records.js'
import { feedStoreCase, listSettled } from './harness.js'

const start = new Date(0)

/** Cases about what `listAfter` returns for an event. */
export const listingCases = [
  feedStoreCase(
    'FS-LIST-1',
    'The feed MUST list the events after a cursor, in the order in which they became visible, at most `limit`',
    async ({ store, webhooks, other, advance }) => {
      const { event } = createSamples()
      const begin = await store.findCursor({ appId: appA, since: start })
      deepEqual(await listSettled(store, { appId: appA, cursor: begin, limit: 10 }), [], 'no event, no item')
      const ids: string[] = []
      for (let n = 0; n < 5; n += 1) {
        const made = event([])
        await (n % 2 === 0 ? webhooks : other.webhooks).insertEvent(made)
        ids.unshift(made.eventId)
        if (n === 2) await advance(1_000)
      }
      ids.reverse()
      const seen: string[] = []
      for (let cursor = begin, pages = 0; pages < 4; pages += 1) {
        const page = await listSettled(pages % 2 === 0 ? store : other.store, { appId: appA, cursor, limit: 2 })
        deepEqual(page.length, pages < 2 ? 2 : pages === 2 ? 1 : 0, `items of page ${pages + 1}`)
        seen.push(...page.map(({ eventId }) => eventId))
        cursor = page.at(-1)?.cursor ?? cursor
      }
      deepEqual(seen, ids, 'each event once, in order')
    },
  ),

  feedStoreCase(
    'FS-LIST-2',
    'The feed MUST give the exact body, the user, the type, the time of publishing and whether it is a test',
    async ({ store, webhooks, advance }) => {
      const { event } = createSamples()
      const body = new TextEncoder().encode('{"é":"\\u00e9", "amount":1.50}\n')
      const one = event([], { body, userId: userTwo, type: 'TRANSACTION_DECLINE', occurredAt: new Date(5) })
      const two = event([], { test: true })
      await webhooks.insertEvent(one)
      await advance(1_234)
      await webhooks.insertEvent(two)
      const listed = await listSettled(store, { appId: appA, cursor: await first(store), limit: 10 })
      const fieldsOf = listed.map(({ cursor: _, createdAt: __, ...fields }) => fields)
      const fields = ({ eventId, userId, type, test, body: bytes }: typeof one) => {
        return { eventId, userId, type, test, body: [...bytes], deliveries: [] }
      }
      deepEqual(
        fieldsOf.map((each) => ({ ...each, body: [...(each.body ?? [])] })),
        [fields(one), fields(two)],
      )
      const [at, later] = listed.map(({ createdAt }) => createdAt)
      near(between(at, later), 1_234, 'createdAt of listAfter after that of the event before')
    },
  ),

  feedStoreCase(
    'FS-LIST-3',
    'The feed MUST list events without deliveries too, and an event whose body was blanked without its body',
    async ({ store, webhooks, other }) => {
      const { event, registered } = createSamples()
      const waiting = await registered(webhooks)
      const missed = event([], { withheld: 'NO_ENDPOINT' })
      const withheld = event([], { withheld: 'SCOPE_NOT_GRANTED', body: new Uint8Array() })
      const kept = event([waiting])
      for (const each of [missed, withheld, kept]) await webhooks.insertEvent(each)
      const cursor = await first(store)
      const lengths = async () => {
        const listed = await listSettled(store, { appId: appA, cursor, limit: 10 })
        return listed.map(({ eventId, body }) => [eventId, body?.length ?? 0])
      }
      deepEqual(await lengths(), [
        [missed.eventId, missed.body.length],
        [withheld.eventId, 0],
        [kept.eventId, kept.body.length],
      ])
      await other.blankBodies()
      deepEqual(await lengths(), [
        [missed.eventId, 0],
        [withheld.eventId, 0],
        [kept.eventId, kept.body.length],
      ])
    },
  ),

  feedStoreCase(
    'FS-LIST-4',
    'The feed MUST list the last delivery of each state at each endpoint, oldest first',
    async ({ store, webhooks }) => {
      const { event, registered, id } = createSamples()
      const [one, two] = [await registered(webhooks), await registered(webhooks)]
      const made = event([one])
      const beside = event([two])
      await webhooks.insertEvent({ ...made, deliveries: [...made.deliveries, ...beside.deliveries] })
      const [toOne, toTwo] = [made.deliveries[0], beside.deliveries[0]]
      ok(toOne !== undefined && toTwo !== undefined)
      const resend = async (deliveryId: string) => {
        const newDeliveryId = id()
        deepEqual(await webhooks.resendDelivery({ appId: appA, deliveryId, newDeliveryId }), 'resent')
        return newDeliveryId
      }
      const both = (
        await webhooks.claimDue({
          limit: 2,
          leaseMs: 45_000,
          keepForHealthy: 0,
          maxInFlight: { healthy: 1, failing: 1 },
        })
      ).claimed
      await recordResults(webhooks, ...both.map(resultOf.failed))
      // At the first endpoint: FAILED, DELIVERED, FAILED again, and one that waits.
      await resend(toOne.deliveryId)
      await recordResults(webhooks, resultOf.delivered(await claimOne(webhooks)))
      await resend(toOne.deliveryId)
      await recordResults(webhooks, resultOf.failed(await claimOne(webhooks)))
      await resend(toOne.deliveryId)
      const [item] = await listSettled(store, { appId: appA, cursor: await first(store), limit: 10 })
      const at = ({ endpointId, xEventId }: typeof toOne, state: string) => ({ endpointId, xEventId, state })
      deepEqual(item?.deliveries, [
        at(toTwo, 'FAILED'),
        at(toOne, 'DELIVERED'),
        at(toOne, 'FAILED'),
        at(toOne, 'PENDING'),
      ])
    },
  ),

  feedStoreCase(
    'FS-LIST-5',
    'The feed MUST NOT list events of another app, and MUST reject its cursors and those of nobody',
    async ({ store, webhooks, other }) => {
      const { event } = createSamples()
      await webhooks.insertEvent(event([], { appId: appB }))
      await webhooks.insertEvent(event([]))
      await other.webhooks.insertEvent(event([], { appId: appB }))
      const ofA = await listSettled(store, { appId: appA, cursor: await first(store), limit: 10 })
      deepEqual(ofA.length, 1, 'events of the first app')
      const ofB = await listSettled(store, { appId: appB, cursor: await first(store, appB), limit: 10 })
      deepEqual(ofB.length, 2, 'events of the second app')
      const known = ofB[0]?.cursor ?? ''
      for (const cursor of [
        known,
        await first(store, appB),
        '',
        'x',
        `${ofA[0]?.cursor}x`,
        'MQ',
        `${ofA[0]?.cursor}=`,
      ]) {
        await rejects(
          async () => store.listAfter({ appId: appA, cursor, limit: 10 }),
          `listAfter rejects a cursor that this store did not create for the app`,
        )
      }
    },
  ),
]

const first = (store: Parameters<typeof listSettled>[0], appId: string = appA) =>
  store.findCursor({ appId, since: start })
