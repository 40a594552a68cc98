import { deepEqual, equal } from 'node:assert/strict'
import { appA, appB, race } from '../webhook-store/sample-records.js'
import { recoveryStoreCase, skippedNone } from './harness.js'

/** Cases about the start, the end and the endpoint of a recovery. */
export const lifeCases = [
  recoveryStoreCase(
    'RS-START-1',
    'A recovery MUST be started only for an endpoint of the app that is there',
    async ({ store, webhooks, samples, started }) => {
      const [here, gone] = [await samples.registered(webhooks), await samples.registered(webhooks)]
      await webhooks.removeEndpoint({ appId: appA, endpointId: gone.endpointId })
      const range = { since: new Date(0), until: null, eventTypes: null }
      const start = (appId: string, endpointId: string) =>
        store.startRecovery({ recoveryId: samples.id(), appId, endpointId, ...range })
      equal(await start(appA, samples.id()), 'not_found', 'an unknown endpoint')
      equal(await start(appB, here.endpointId), 'not_found', "another app's endpoint")
      equal(await start(appA, gone.endpointId), 'not_found', 'a removed endpoint')
      deepEqual(await store.listRunning({ limit: 10 }), [])
      const recoveryId = await started(here)
      deepEqual(await store.listRunning({ limit: 10 }), [{ appId: appA, recoveryId }])
    },
  ),

  recoveryStoreCase(
    'RS-START-2',
    'Of any number of recoveries that are started for an endpoint at once, exactly one MUST run',
    async ({ store, webhooks, other, samples, started }) => {
      const [one, two] = [await samples.registered(webhooks), await samples.registered(webhooks)]
      const range = { since: new Date(0), until: null, eventTypes: null }
      const request = { appId: appA, endpointId: one.endpointId, ...range }
      const ids: readonly string[] = Array.from({ length: 50 }, () => samples.id())
      const answers = await Promise.all(
        ids.map((recoveryId, n) => (n % 2 === 0 ? store : other.store).startRecovery({ ...request, recoveryId })),
      )
      deepEqual(answers.filter((answer) => answer === 'started').length, 1, 'recoveries that were started')
      deepEqual(answers.filter((answer) => answer === 'running').length, 49, 'recoveries that were refused')
      await started(two)
      const running = await other.store.listRunning({ limit: 10 })
      equal(running.length, 2, 'each endpoint has its own')
      await store.stopRecovery({ appId: appA, recoveryId: running[0]?.recoveryId ?? '' })
      await started(one)
    },
  ),

  recoveryStoreCase(
    'RS-FIND-1',
    'A recovery MUST be found and stopped by its app only, and one that has ended MUST stay as it is',
    async ({ store, webhooks, other, samples, started, write }) => {
      const endpoint = await samples.registered(webhooks)
      const recoveryId = await started(endpoint)
      for (const [appId, id] of [
        [appB, recoveryId],
        [appA, samples.id()],
      ] as const) {
        equal(await store.findRecovery({ appId, recoveryId: id }), null, 'findRecovery')
        equal(await store.stopRecovery({ appId, recoveryId: id }), false, 'stopRecovery')
        equal(await store.findNextStep({ appId, recoveryId: id, mostWaiting: 10 }), null, 'findNextStep')
      }
      const progress = { recoveryId, matched: 0, created: 0, skipped: skippedNone }
      deepEqual(await other.store.findRecovery({ appId: appA, recoveryId }), { ...progress, state: 'RUNNING' })
      equal(await write(recoveryId, []), 'written')
      deepEqual(await store.findRecovery({ appId: appA, recoveryId }), { ...progress, state: 'DONE' })
      equal(await other.store.stopRecovery({ appId: appA, recoveryId }), true, 'stopRecovery of one that has ended')
      deepEqual(await store.findRecovery({ appId: appA, recoveryId }), { ...progress, state: 'DONE' })
    },
  ),

  recoveryStoreCase(
    'RS-STOP-1',
    'A stopped recovery MUST write no more steps, also one that was being made',
    async ({ store, webhooks, other, samples, publish, started, listNext, write }) => {
      const endpoint = await samples.registered(webhooks)
      await publish([], { withheld: 'NO_ENDPOINT' })
      const recoveryId = await started(endpoint)
      const events = await listNext(recoveryId)
      equal(await other.store.stopRecovery({ appId: appA, recoveryId }), true)
      const [{ eventId } = { eventId: '' }] = events
      const request = { appId: appA, recoveryId, endpointId: endpoint.endpointId, after: null, next: null }
      const delivery = { deliveryId: samples.id(), eventId, xEventId: samples.id() }
      equal(await store.writeStep({ ...request, skipped: skippedNone, deliveries: [delivery] }), 'stale', 'writeStep')
      equal(await store.findNextStep({ ...request, mostWaiting: 10 }), null, 'findNextStep')
      deepEqual(await store.listRunning({ limit: 10 }), [])
      equal((await store.findRecovery(request))?.state, 'STOPPED')
      deepEqual((await webhooks.listDeliveries({ appId: appA, limit: 10 })).items, [])
      equal(await write(await started(endpoint), events), 'written', 'a new recovery goes on')
    },
  ),

  recoveryStoreCase(
    'RS-LIST-1',
    'Running recoveries MUST be listed oldest first, at most `limit`',
    async ({ store, webhooks, samples, started }) => {
      const ids: string[] = []
      // Ids and endpoints in another order: a list by either would begin at the wrong end.
      const named = Array.from({ length: 4 }, () => samples.id()).reverse()
      const endpoints = []
      for (const _ of named) endpoints.unshift(await samples.registered(webhooks))
      for (const [n, endpoint] of endpoints.entries()) {
        ids.push(await started(endpoint, { recoveryId: named[n] ?? samples.id() }))
      }
      const stopped = ids.splice(1, 1)[0] ?? ''
      await store.stopRecovery({ appId: appA, recoveryId: stopped })
      const list = async (limit: number) => (await store.listRunning({ limit })).map(({ recoveryId }) => recoveryId)
      deepEqual(await list(10), ids)
      deepEqual(await list(2), ids.slice(0, 2))
    },
  ),

  recoveryStoreCase(
    'RS-LIST-2',
    'Running recoveries MUST be listed after one that was listed, also if that one has ended meanwhile',
    async ({ store, webhooks, samples, started }) => {
      const ids: string[] = []
      for (let n = 0; n < 3; n += 1) ids.push(await started(await samples.registered(webhooks)))
      const listAfter = async (recoveryId = '') => {
        const listed = await store.listRunning({ limit: 10, after: { appId: appA, recoveryId } })
        return listed.map((one) => one.recoveryId)
      }
      deepEqual(await listAfter(ids[0]), ids.slice(1))
      await store.stopRecovery({ appId: appA, recoveryId: ids[1] ?? '' })
      deepEqual(await listAfter(ids[1]), ids.slice(2))
      deepEqual(await listAfter(ids[2]), [])
    },
  ),

  recoveryStoreCase(
    'RS-REPLACE-1',
    'A replacement MUST carry a recovery on, and a step for the replaced endpoint MUST NOT be written',
    async ({ store, webhooks, other, samples, publish, started, listNext, write }) => {
      const endpoint = await samples.registered(webhooks)
      await publish([], { withheld: 'NO_ENDPOINT' })
      const recoveryId = await started(endpoint)
      const events = await listNext(recoveryId)
      const replacement = samples.endpoint()
      const old = { appId: appA, endpointId: endpoint.endpointId }
      equal(await other.webhooks.replaceEndpoint({ ...old, replacement }), 'replaced')
      const [{ eventId } = { eventId: '' }] = events
      const step = { ...old, recoveryId, after: null, next: null, skipped: skippedNone }
      const deliveries = [{ deliveryId: samples.id(), eventId, xEventId: samples.id() }]
      equal(await store.writeStep({ ...step, deliveries }), 'stale', 'writeStep for the replaced endpoint')
      const next = await store.findNextStep({ appId: appA, recoveryId, mostWaiting: 10 })
      deepEqual([next?.endpointId, next?.lineageId], [replacement.endpointId, endpoint.lineageId])
      equal(await write(recoveryId, await listNext(recoveryId)), 'written')
      const { items } = await webhooks.listDeliveries({ appId: appA, limit: 10 })
      deepEqual(
        items.map((one) => [one.eventId, one.endpointId, one.url]),
        [[eventId, replacement.endpointId, replacement.url]],
      )
    },
  ),

  recoveryStoreCase(
    'RS-REMOVE-1',
    'The removal of an endpoint MUST stop its recovery, also if its lineage goes on',
    async ({ store, webhooks, other, samples, started }) => {
      const endpoint = await samples.registered(webhooks)
      const beside = await samples.registered(webhooks, { url: endpoint.url })
      const [stopped, goesOn] = [await started(endpoint), await started(beside)]
      await other.webhooks.removeEndpoint({ appId: appA, endpointId: endpoint.endpointId })
      equal((await store.findRecovery({ appId: appA, recoveryId: stopped }))?.state, 'STOPPED')
      equal((await store.findRecovery({ appId: appA, recoveryId: goesOn }))?.state, 'RUNNING')
    },
  ),

  recoveryStoreCase(
    'RS-RACE-1',
    'A step that several callers write at once MUST be written by one of them',
    async ({ store, webhooks, other, samples, publish, started, listNext }) => {
      const endpoint = await samples.registered(webhooks)
      for (let n = 0; n < 3; n += 1) await publish([], { withheld: 'NO_ENDPOINT' })
      const recoveryId = await started(endpoint)
      const events = await listNext(recoveryId, 2)
      const xEventIds: readonly string[] = events.map(() => samples.id())
      const step = { appId: appA, recoveryId, endpointId: endpoint.endpointId, after: null, skipped: skippedNone }
      const next = events.at(-1)?.place ?? null
      const recoveries = new Map([
        [webhooks, store],
        [other.webhooks, other.store],
      ])
      const answers = await race(webhooks, other.webhooks, (one) => {
        const deliveries = events.map(({ eventId }, n) => {
          return { deliveryId: samples.id(), eventId, xEventId: xEventIds[n] ?? '' }
        })
        return (recoveries.get(one) ?? store).writeStep({ ...step, next, deliveries })
      })
      equal(answers.filter((answer) => answer === 'written').length, 1, 'callers that wrote the step')
      equal((await webhooks.listDeliveries({ appId: appA, limit: 200 })).items.length, 2, 'deliveries')
      const progress = await store.findRecovery({ appId: appA, recoveryId })
      deepEqual(progress, { recoveryId, state: 'RUNNING', matched: 2, created: 2, skipped: skippedNone })
    },
  ),
]
