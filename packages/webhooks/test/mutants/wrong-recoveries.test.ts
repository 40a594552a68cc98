import { describe, expect, test } from 'vitest'
import type { RecoveryStore } from '../../src/delivery/index.js'
import { recoveryStoreCases } from '../../src/testing/index.js'
import type { MemoryWebhookData } from '../../src/testing/memory-webhook-data.js'
import { recoveryHarness } from '../testing/memory-handles.js'

type Spoil = NonNullable<Parameters<typeof recoveryHarness>[0]>

const change =
  (by: (store: RecoveryStore, data: MemoryWebhookData) => Partial<RecoveryStore>): Spoil =>
  ({ store }, data) => ({ store: { ...store, ...by(store, data) } })

/** One broken promise each, and the only case that notices. */
const wrong: readonly (readonly [what: string, caughtBy: string, spoil: Spoil])[] = [
  [
    'starts for an endpoint that was removed',
    'RS-START-1',
    change((store, data) => ({
      async startRecovery(request) {
        const stored = data.endpoints.get(request.endpointId)
        if (stored?.removed !== true) return store.startRecovery(request)
        stored.removed = false
        const answer = await store.startRecovery(request)
        stored.removed = true
        return answer
      },
    })),
  ],
  [
    'looks for a running recovery, then starts one',
    'RS-START-2',
    change((store, data) => ({
      async startRecovery(request) {
        const others = [...data.recoveries.values()].filter((one) => one.endpointId === request.endpointId)
        if (others.some(({ progress }) => progress.state === 'RUNNING')) return 'running'
        await Promise.resolve()
        for (const other of others) other.endpointId = `${other.endpointId} `
        const racing = [...data.recoveries.values()].filter((one) => one.endpointId === request.endpointId)
        for (const other of racing) other.endpointId = 'hidden'
        const answer = await store.startRecovery(request)
        for (const other of [...others, ...racing]) other.endpointId = request.endpointId
        return answer
      },
    })),
  ],
  [
    'shows a recovery to every app',
    'RS-FIND-1',
    change((store, data) => ({
      findRecovery: ({ recoveryId }) =>
        store.findRecovery({ recoveryId, appId: data.recoveries.get(recoveryId)?.range.appId ?? '' }),
    })),
  ],
  [
    'stops a recovery that has ended',
    'RS-FIND-1',
    change((store, data) => ({
      async stopRecovery(request) {
        const found = await store.stopRecovery(request)
        const stored = data.recoveries.get(request.recoveryId)
        if (found && stored !== undefined) stored.progress = { ...stored.progress, state: 'STOPPED' }
        return found
      },
    })),
  ],
  [
    'writes the step that was made when it was stopped',
    'RS-STOP-1',
    change((store, data) => ({
      async writeStep(request) {
        const stored = data.recoveries.get(request.recoveryId)
        if (stored?.progress.state !== 'STOPPED') return store.writeStep(request)
        stored.progress = { ...stored.progress, state: 'RUNNING' }
        const answer = await store.writeStep(request)
        stored.progress = { ...stored.progress, state: 'STOPPED' }
        return answer
      },
    })),
  ],
  [
    'lists by id',
    'RS-LIST-1',
    change((store) => ({
      listRunning: async ({ limit, ...rest }) =>
        (await store.listRunning({ limit: 200, ...rest }))
          .toSorted((one, other) => one.recoveryId.localeCompare(other.recoveryId))
          .slice(0, limit),
    })),
  ],
  [
    'lists nothing after a recovery that has ended',
    'RS-LIST-2',
    change((store, data) => ({
      async listRunning(request) {
        const after = data.recoveries.get(request.after?.recoveryId ?? '')
        return after !== undefined && after.progress.state !== 'RUNNING' ? [] : store.listRunning(request)
      },
    })),
  ],
  [
    'writes a step for an endpoint that was replaced',
    'RS-REPLACE-1',
    change((store, data) => ({
      async writeStep(request) {
        const stored = data.recoveries.get(request.recoveryId)
        return store.writeStep({ ...request, endpointId: stored?.endpointId ?? request.endpointId })
      },
    })),
  ],
  [
    'lets a recovery run on after the removal of its endpoint',
    'RS-REMOVE-1',
    ({ webhooks }, data) => ({
      webhooks: {
        ...webhooks,
        async removeEndpoint(request) {
          const before = [...data.recoveries.values()].map((one) => ({ one, progress: one.progress }))
          const answer = await webhooks.removeEndpoint(request)
          for (const { one, progress } of before) one.progress = progress
          return answer
        },
      },
    }),
  ],
  [
    'looks where a recovery stands, then writes',
    'RS-RACE-1',
    change((store, data) => ({
      async writeStep(request) {
        const stored = data.recoveries.get(request.recoveryId)
        const [after, next] = [stored?.after ?? null, request.after]
        const isThere = after === null ? next === null : after.position === next?.position
        if (!isThere) return 'stale'
        await Promise.resolve()
        return store.writeStep({ ...request, after: stored?.after ?? null })
      },
    })),
  ],
  [
    'looks at test events',
    'RS-EVENTS-1',
    change((store, data) => ({
      async listEvents(request) {
        for (const stored of data.events.values()) stored.event = { ...stored.event, test: false }
        return store.listEvents(request)
      },
    })),
  ],
  [
    'looks at types that are asked for, whatever the endpoint takes',
    'RS-EVENTS-1',
    change((store, data) => ({
      async listEvents(request) {
        const stored = data.endpoints.get(request.endpointId)
        if (stored === undefined || stored.endpoint.eventTypes === null) return store.listEvents(request)
        const before = stored.endpoint
        stored.endpoint = { ...before, eventTypes: request.eventTypes ?? before.eventTypes }
        const listed = await store.listEvents(request)
        stored.endpoint = before
        return listed
      },
    })),
  ],
  [
    'brings an endpoint of all types what it has to name',
    'RS-EVENTS-2',
    change((store, data) => ({
      async listEvents(request) {
        const stored = data.endpoints.get(request.endpointId)
        if (stored === undefined || stored.endpoint.eventTypes !== null || request.eventTypes === null) {
          return store.listEvents(request)
        }
        const before = stored.endpoint
        stored.endpoint = { ...before, eventTypes: request.eventTypes }
        const listed = await store.listEvents(request)
        stored.endpoint = before
        return listed
      },
    })),
  ],
  [
    'excludes `since`',
    'RS-EVENTS-3',
    change((store) => ({
      listEvents: (request) => store.listEvents({ ...request, since: new Date(Number(request.since) + 1) }),
    })),
  ],
  [
    'goes on after its start',
    'RS-EVENTS-3',
    change((store) => ({
      async findNextStep(request) {
        const step = await store.findNextStep(request)
        return step && { ...step, until: new Date(Number(step.until) + 60_000) }
      },
    })),
  ],
  [
    'takes the time alone for the place',
    'RS-EVENTS-4',
    change((store) => ({
      listEvents: (request) =>
        store.listEvents({
          ...request,
          after: request.after && { createdAt: request.after.createdAt, position: Infinity },
        }),
    })),
  ],
  [
    'takes what any lineage has acknowledged for acknowledged',
    'RS-EVENTS-5',
    change((store, data) => ({
      listEvents: async (request) =>
        (await store.listEvents(request)).map((one) => {
          const made = [...data.deliveries.values()].filter(({ event }) => event.eventId === one.eventId)
          return made.some(({ state }) => state === 'DELIVERED') ? { ...one, delivered: 'ACKNOWLEDGED' } : one
        }),
    })),
  ],
  [
    'tells no event as erased',
    'RS-EVENTS-6',
    change((store) => ({
      listEvents: async (request) => (await store.listEvents(request)).map((one) => ({ ...one, erased: false })),
    })),
  ],
  [
    'lists nothing without a time',
    'RS-EVENTS-7',
    change((store) => ({
      listEvents: async (request) => (Number.isNaN(Number(request.until)) ? [] : store.listEvents(request)),
    })),
  ],
  [
    'queues what it recovers by its due time, like all others',
    'RS-STEP-1',
    ({ webhooks }, data) => ({
      webhooks: {
        ...webhooks,
        async claimDue(request) {
          const recovered = [...data.deliveries].filter(([, one]) => one.recovered)
          for (const [deliveryId, one] of recovered) {
            const ordinary = { ...one, recovered: false }
            data.deliveries.set(deliveryId, ordinary)
            data.pending.set(deliveryId, ordinary)
          }
          return webhooks.claimDue(request)
        },
      },
    }),
  ],
  [
    'does not count what was skipped',
    'RS-STEP-2',
    change((store) => ({
      writeStep: (request) =>
        store.writeStep({ ...request, skipped: { acknowledged: 0, pending: 0, scope: 0, erased: 0 } }),
    })),
  ],
  [
    'delivers what was resent meanwhile',
    'RS-STEP-3',
    change((store, data) => ({
      async writeStep(request) {
        const hidden = [...data.deliveries.values()].filter(({ state }) => state === 'PENDING' || state === 'DELIVERED')
        const before = hidden.map((one) => ({ one, state: one.state }))
        for (const one of hidden) one.state = 'FAILED'
        const answer = await store.writeStep(request)
        for (const { one, state } of before) one.state = state
        return answer
      },
    })),
  ],
  [
    'delivers without a body what was blanked',
    'RS-STEP-4',
    change((store, data) => ({
      async writeStep(request) {
        for (const stored of data.events.values()) {
          if (stored.event.body.length === 0) stored.event = { ...stored.event, body: new Uint8Array(1) }
        }
        return store.writeStep(request)
      },
    })),
  ],
  [
    'makes steps without an end',
    'RS-STEP-5',
    change((store) => ({ findNextStep: (request) => store.findNextStep({ ...request, mostWaiting: Infinity }) })),
  ],
  [
    'counts a recovered delivery to what was published',
    'RS-STEP-6',
    ({ webhooks }, data) => ({
      webhooks: {
        ...webhooks,
        async insertEvent(event) {
          const answer = await webhooks.insertEvent(event)
          const all = [...data.deliveries.values()].filter((one) => one.event.eventId === answer.eventId)
          const deliveries = all.map(({ deliveryId, endpointId }) => ({ deliveryId, endpointId }))
          return answer.duplicate ? { ...answer, deliveries } : answer
        },
      },
    }),
  ],
]

async function failingCases(spoil?: Spoil): Promise<string[]> {
  const failing: string[] = []
  for (const { id, run } of recoveryStoreCases) await run(recoveryHarness(spoil)).catch(() => failing.push(id))
  return failing
}

describe('the cases of recoveries', () => {
  test.each(wrong)('catch a store that %s, by %s alone', async (_what, caughtBy, spoil) => {
    expect(await failingCases(spoil)).toEqual([caughtBy])
  })

  test('catch one wrong store each', () => {
    const caught = new Set(wrong.map(([, caughtBy]) => caughtBy))
    expect([...caught].sort()).toEqual(recoveryStoreCases.map(({ id }) => id).sort())
  })
})
