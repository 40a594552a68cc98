import { deepEqual, equal, rejects } from 'node:assert/strict'
import { appA, appB, userTwo } from '../webhook-store/sample-records.js'
import { recoveryStoreCase } from './harness.js'

const idsOf = (events: readonly { readonly eventId: string }[]) => events.map(({ eventId }) => eventId)

/** Cases about the events that a recovery looks at. */
export const eventListCases = [
  recoveryStoreCase(
    'RS-EVENTS-1',
    'A recovery MUST look at the events of its app and its endpoint’s types, oldest first, without test events',
    async ({ store, webhooks, samples, publish, started, listNext }) => {
      const endpoint = await samples.registered(webhooks, {
        eventTypes: ['WIDGET_DEPOSIT_COMPLETE', 'TRANSACTION_DECLINE'],
      })
      const one = await publish([endpoint])
      await publish([], { appId: appB })
      const two = await publish([], { type: 'TRANSACTION_DECLINE', userId: userTwo, withheld: 'SCOPE_NOT_GRANTED' })
      await publish([], { test: true })
      await publish([], { type: 'TRANSACTION_CREATE' })
      const three = await publish([], { withheld: 'NO_ENDPOINT' })
      const recoveryId = await started(endpoint)
      const listed = await listNext(recoveryId)
      deepEqual(
        listed.map(({ eventId, userId, type, withheld, erased }) => ({ eventId, userId, type, withheld, erased })),
        [one, two, three].map(({ eventId, userId, type, withheld }) => {
          return { eventId, userId, type, withheld, erased: false }
        }),
      )
      const range = { appId: appA, endpointId: endpoint.endpointId, since: new Date(0), after: null, limit: 10 }
      const until = new Date(Number(listed[2]?.place.createdAt) + 1)
      const eventTypes = ['TRANSACTION_DECLINE', 'TRANSACTION_CREATE'] as const
      deepEqual(
        idsOf(await store.listEvents({ ...range, until, eventTypes })),
        [two.eventId],
        'the types that are asked',
      )
    },
  ),

  recoveryStoreCase(
    'RS-EVENTS-2',
    'An endpoint of all types MUST NOT be brought a type that it has to name',
    async ({ store, webhooks, samples, publish, started, listNext }) => {
      const all = await samples.registered(webhooks)
      const named = await samples.registered(webhooks, { eventTypes: ['KYC_STATUS_CHANGED'] })
      const changed = await publish([], { type: 'KYC_STATUS_CHANGED', withheld: 'NO_ENDPOINT' })
      const other = await publish([], { withheld: 'NO_ENDPOINT' })
      deepEqual(idsOf(await listNext(await started(all))), [other.eventId])
      deepEqual(idsOf(await listNext(await started(named))), [changed.eventId])
      const range = { appId: appA, endpointId: all.endpointId, since: new Date(0), after: null, limit: 10 }
      const until = new Date('9999-12-31T00:00:00Z')
      const eventTypes = ['KYC_STATUS_CHANGED'] as const
      deepEqual(await store.listEvents({ ...range, until, eventTypes }), [], 'not even if it is asked for')
    },
  ),

  recoveryStoreCase(
    'RS-EVENTS-3',
    'A range MUST include `since`, exclude `until`, and end at the start of the recovery at the latest',
    async ({ webhooks, samples, publish, started, listNext, store }) => {
      const endpoint = await samples.registered(webhooks)
      const published: string[] = []
      for (let n = 0; n < 4; n += 1) published.push((await publish([], { withheld: 'NO_ENDPOINT' })).eventId)
      const whole = await started(endpoint)
      const times = (await listNext(whole)).map(({ place }) => place.createdAt)
      await store.stopRecovery({ appId: appA, recoveryId: whole })
      const part = await started(endpoint, { since: times[1] ?? new Date(), until: times[3] ?? null })
      deepEqual(idsOf(await listNext(part)), published.slice(1, 3))
      await store.stopRecovery({ appId: appA, recoveryId: part })
      const open = await started(endpoint, { since: times[3] ?? new Date(), until: new Date('9999-12-31T00:00:00Z') })
      await publish([], { withheld: 'NO_ENDPOINT' })
      deepEqual(idsOf(await listNext(open)), published.slice(3), 'an event after the start')
    },
  ),

  recoveryStoreCase(
    'RS-EVENTS-4',
    'Events after a place MUST be listed, at most `limit`, each once although their times are equal',
    async ({ store, webhooks, samples, advance, started, listNext }) => {
      const endpoint = await samples.registered(webhooks)
      const published: string[] = []
      for (let n = 0; n < 5; n += 1) {
        if (n === 3) await advance(1)
        const made = samples.event([], { withheld: 'NO_ENDPOINT' })
        await webhooks.insertEvent(made)
        published.push(made.eventId)
      }
      const recoveryId = await started(endpoint)
      const [first] = await listNext(recoveryId)
      const step = await store.findNextStep({ appId: appA, recoveryId, mostWaiting: 10 })
      const seen: string[] = []
      let after = null
      for (let page = 0; page < 4 && step !== null; page += 1) {
        const events = await store.listEvents({ ...step, after, limit: 2 })
        equal(events.length, page < 2 ? 2 : page === 2 ? 1 : 0, `events of page ${page + 1}`)
        seen.push(...idsOf(events))
        after = events.at(-1)?.place ?? after
      }
      deepEqual([first?.eventId, ...seen], [published[0], ...published])
    },
  ),

  recoveryStoreCase(
    'RS-EVENTS-5',
    'An event MUST be told as acknowledged or pending by the deliveries to the lineage, and to no other',
    async ({ webhooks, samples, publish, started, listNext, end }) => {
      const endpoint = await samples.registered(webhooks)
      const elsewhere = await samples.registered(webhooks)
      const acknowledged = await publish([endpoint])
      await end('delivered')
      const failed = await publish([endpoint])
      await end('failed')
      const ofAnother = await publish([elsewhere])
      await end('delivered')
      const both = await publish([endpoint])
      await end('failed')
      const [last] = (await webhooks.listDeliveries({ appId: appA, eventId: both.eventId, limit: 1 })).items
      await webhooks.resendDelivery({ appId: appA, deliveryId: last?.deliveryId ?? '', newDeliveryId: samples.id() })
      const waitsAtAnother = await publish([elsewhere])
      const replacement = samples.endpoint()
      await webhooks.replaceEndpoint({ appId: appA, endpointId: endpoint.endpointId, replacement })
      const heir = (await webhooks.listEndpoints(appA)).find((one) => one.endpointId === replacement.endpointId)
      const listed = await listNext(await started(heir ?? endpoint))
      deepEqual(
        listed.map(({ eventId, delivered }) => [eventId, delivered]),
        [
          [acknowledged.eventId, 'ACKNOWLEDGED'],
          [failed.eventId, null],
          [ofAnother.eventId, null],
          [both.eventId, 'PENDING'],
          [waitsAtAnother.eventId, null],
        ],
      )
    },
  ),

  recoveryStoreCase(
    'RS-EVENTS-6',
    'An event whose body is gone MUST be told as erased',
    async ({ webhooks, other, samples, publish, started, listNext }) => {
      const endpoint = await samples.registered(webhooks)
      const blanked = await publish([], { withheld: 'NO_ENDPOINT' })
      const empty = await publish([], { withheld: 'SCOPE_NOT_GRANTED', body: new Uint8Array() })
      const waiting = await publish([endpoint])
      await other.blankBodies()
      const listed = await listNext(await started(endpoint))
      deepEqual(
        listed.map(({ eventId, erased }) => [eventId, erased]),
        [
          [blanked.eventId, true],
          [empty.eventId, true],
          [waiting.eventId, false],
        ],
      )
    },
  ),

  recoveryStoreCase(
    'RS-EVENTS-7',
    'A time that is none MUST be refused: without events a recovery looks done',
    async ({ store, webhooks, samples }) => {
      const { endpointId } = await samples.registered(webhooks)
      const range = { appId: appA, endpointId, since: new Date(0), until: new Date(1), eventTypes: null, after: null }
      for (const time of [new Date(NaN), undefined])
        for (const name of ['since', 'until'])
          await rejects(
            store.listEvents({ ...range, limit: 10, [name]: time }),
            `listEvents rejects ${name} ${String(time)}`,
          )
    },
  ),
]
