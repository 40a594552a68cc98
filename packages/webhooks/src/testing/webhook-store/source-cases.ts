import { deepEqual, equal } from 'node:assert/strict'
import { webhookStoreCase, type WebhookStoreCase } from './harness.js'
import { appA, createSamples, listAll, race, userTwo, wideClaim } from './sample-records.js'

const everyByte = Uint8Array.from({ length: 1_024 }, (_, index) => index % 256)

/** Cases about the ids of events at their source. */
export const sourceCases: readonly WebhookStoreCase[] = [
  webhookStoreCase(
    'WS-SOURCE-1',
    'A known sourceEventId MUST return user, type and body of the original, whatever is published under it',
    async ({ store, other }) => {
      const { registered, event } = createSamples()
      const endpoint = await registered(store)
      const source = { sourceEventId: 'deposit-1' }
      const published = event([endpoint], { ...source, body: everyByte })
      const first = await store.insertEvent(published)
      const others = [{}, { userId: userTwo }, { type: 'TRANSACTION_CREATE' as const }, { body: new Uint8Array(3) }]
      for (const changed of others) {
        const { original, ...again } = await other.insertEvent(event([endpoint], { ...source, ...changed }))
        deepEqual({ ...again, original: null }, { ...first, duplicate: true })
        deepEqual([original?.userId, original?.type], [published.userId, published.type])
        deepEqual([...(original?.body ?? [])], [...everyByte])
      }
      equal((await listAll(store)).length, 1)
    },
  ),

  webhookStoreCase(
    'WS-SOURCE-2',
    'An event withheld for a missing scope MUST give its sourceEventId to the first that is not withheld',
    async ({ store, other }) => {
      const { registered, event } = createSamples()
      const endpoint = await registered(store)
      const source = { sourceEventId: 'deposit-1' }
      const none = { ...source, body: new Uint8Array(), deliveries: [] }
      const withheld = await store.insertEvent(event([], { ...none, withheld: 'SCOPE_NOT_GRANTED' }))
      const still = await other.insertEvent(event([], { ...none, withheld: 'NO_GRANT' }))
      deepEqual([still.eventId, still.duplicate], [withheld.eventId, true])
      const answers = await race(store, other, (handle) => handle.insertEvent(event([endpoint], source)), 10)
      equal(answers.filter(({ duplicate }) => !duplicate).length, 1)
      equal(new Set(answers.map(({ eventId }) => eventId)).size, 1)
      equal(
        answers.some(({ eventId }) => eventId === withheld.eventId),
        false,
      )
      equal((await store.claimDue(wideClaim)).claimed.length, 1)
    },
  ),

  webhookStoreCase(
    'WS-SOURCE-3',
    'An event withheld for a missing endpoint MUST keep its sourceEventId',
    async ({ store, other }) => {
      const { registered, event } = createSamples()
      const source = { sourceEventId: 'deposit-1' }
      const first = await store.insertEvent(event([], { ...source, withheld: 'NO_ENDPOINT' }))
      const again = await other.insertEvent(event([await registered(store)], source))
      deepEqual([again.eventId, again.duplicate], [first.eventId, true])
      deepEqual(await listAll(store), [])
    },
  ),

  webhookStoreCase(
    'WS-SOURCE-4',
    'Source ids MUST be told apart byte for byte, and an empty one MUST be an id like any other',
    async ({ store, other }) => {
      const { registered, event } = createSamples()
      const endpoint = await registered(store)
      const ids = ['', ' ', 'deposit', 'deposit ', ' deposit', 'caf\u00e9', 'cafe\u0301', 'ﬁ', 'fi', '1', '01', 'null']
      for (const sourceEventId of ids) {
        const inserted = await store.insertEvent(event([endpoint], { sourceEventId }))
        equal(inserted.duplicate, false, `insertEvent of the new sourceEventId ${JSON.stringify(sourceEventId)}`)
      }
      for (const sourceEventId of ids) {
        const again = await other.insertEvent(event([endpoint], { sourceEventId }))
        equal(again.duplicate, true, `insertEvent of the known sourceEventId ${JSON.stringify(sourceEventId)}`)
      }
      equal((await other.insertEvent(event([endpoint]))).duplicate, false, 'insertEvent without a sourceEventId')
    },
  ),

  webhookStoreCase(
    'WS-SOURCE-5',
    'The answer for a known sourceEventId MUST name the endpoint that has the delivery now',
    async ({ store, other }) => {
      const { endpoint, registered, event } = createSamples()
      const [old, kept] = [await registered(store), await registered(store)]
      const source = { sourceEventId: 'deposit-1' }
      const first = await store.insertEvent(event([old, kept], source))
      const replacement = endpoint()
      await other.replaceEndpoint({ appId: appA, endpointId: old.endpointId, replacement })
      const again = await other.insertEvent(event([kept], source))
      deepEqual(
        again.deliveries,
        first.deliveries.map((one) =>
          one.endpointId === old.endpointId ? { ...one, endpointId: replacement.endpointId } : one,
        ),
      )
    },
  ),
]
