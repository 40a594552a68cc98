import { deepEqual, ok } from 'node:assert/strict'
import type { Endpoint, PreparedEvent, WebhookStore } from '../../delivery/webhook-store.js'
import type { RecoverableEvent, RecoveryStore } from '../../recovery/recovery-store.js'
import { createRecordedCalls } from '../recorded-calls.js'
import { appA, claimOne, createSamples, recordResults, resultOf } from '../webhook-store/sample-records.js'

/** One handle on a harness's data. */
export interface RecoveryStoreHandle {
  readonly store: RecoveryStore
  /** Webhook store on the same data, for endpoints and events. */
  readonly webhooks: WebhookStore
  /** Blanks the bodies of all events without a pending delivery, as retention does. */
  blankBodies(): Promise<void>
  /** Closes only this handle. */
  close(): Promise<void>
}

/** What a backend provides. Every case gets a fresh harness on empty data. */
export interface RecoveryStoreHarness {
  /**
   * Opens a handle. A second call opens another one on the same data, like another process. A call after all handles
   * were closed sees the written data.
   */
  open(): Promise<RecoveryStoreHandle>
  /** Advances the store's clock by `ms` milliseconds for every handle. The clock does not move otherwise. */
  advance(ms: number): Promise<void>
}

/** One rule of the {@link RecoveryStore} port. `run` rejects when the store breaks it. */
export interface RecoveryStoreCase {
  /** Stable, `RS-…`. */
  readonly id: string
  /** A sentence with MUST. */
  readonly name: string
  /** Rejects when the store breaks the rule in `name`. */
  run(harness: RecoveryStoreHarness): Promise<void>
}

/** What a case works with: two handles, and calls on the first app. */
export interface RecoveryUse {
  readonly store: RecoveryStore
  readonly webhooks: WebhookStore
  readonly other: RecoveryStoreHandle
  readonly samples: ReturnType<typeof createSamples>
  advance(ms: number): Promise<void>
  /** Publishes an event a second after the last one, so that places differ in time. */
  publish(endpoints: readonly Endpoint[], fields?: Partial<PreparedEvent>): Promise<PreparedEvent>
  /** Starts a recovery of all events that are there, a second after the last one. */
  started(endpoint: Endpoint, fields?: Partial<StartRequest>): Promise<string>
  /** Lists the events that a recovery looks at next. */
  listNext(recoveryId: string, limit?: number): Promise<readonly RecoverableEvent[]>
  /** Claims the one delivery that is due and ends it. */
  end(state: 'delivered' | 'failed'): Promise<void>
  /** Writes a step with a delivery for each of these events. */
  write(recoveryId: string, events: readonly RecoverableEvent[], fields?: Partial<StepRequest>): Promise<string>
}

/** Argument of {@link RecoveryStore.startRecovery}. */
export type StartRequest = Parameters<RecoveryStore['startRecovery']>[0]
type StepRequest = Parameters<RecoveryStore['writeStep']>[0]

/** A recovery that left out nothing. */
export const skippedNone = { acknowledged: 0, pending: 0, scope: 0, erased: 0 }

/** Creates a case that closes its handles afterwards, also after a failure. */
export function recoveryStoreCase(
  id: string,
  name: string,
  run: (use: RecoveryUse) => Promise<void>,
): RecoveryStoreCase {
  return {
    id,
    name,
    async run(harness) {
      const [one, other] = [await harness.open(), await harness.open()]
      const { record, explain } = createRecordedCalls()
      const recorded = (handle: RecoveryStoreHandle) => {
        return { ...handle, store: record(handle.store), webhooks: record(handle.webhooks) }
      }
      try {
        await explain(() => run(createUse(recorded(one), recorded(other), (ms) => harness.advance(ms))))
      } finally {
        await one.close()
        await other.close()
      }
    },
  }
}

function createUse(
  { store, webhooks }: RecoveryStoreHandle,
  other: RecoveryStoreHandle,
  advance: (ms: number) => Promise<void>,
): RecoveryUse {
  const samples = createSamples()

  async function findStep(recoveryId: string) {
    const step = await store.findNextStep({ appId: appA, recoveryId, mostWaiting: 1_000 })
    ok(step !== null, 'findNextStep of a running recovery')
    return step
  }

  return {
    store,
    webhooks,
    other,
    samples,
    advance,

    async publish(endpoints, fields = {}) {
      await advance(1_000)
      const made = samples.event(endpoints, fields)
      await webhooks.insertEvent(made)
      return made
    },

    async started({ appId, endpointId }, fields = {}) {
      await advance(1_000)
      const { recoveryId = samples.id() } = fields
      const range = { since: new Date(0), until: null, eventTypes: null }
      deepEqual(await store.startRecovery({ recoveryId, appId, endpointId, ...range, ...fields }), 'started')
      return recoveryId
    },

    async listNext(recoveryId, limit = 100) {
      return store.listEvents({ ...(await findStep(recoveryId)), limit })
    },

    async end(state) {
      await recordResults(webhooks, resultOf[state](await claimOne(webhooks)))
    },

    async write(recoveryId, events, fields = {}) {
      const { endpointId, after } = await findStep(recoveryId)
      const deliveries = events.map(({ eventId }) => ({ deliveryId: samples.id(), eventId, xEventId: samples.id() }))
      const request = { appId: appA, recoveryId, endpointId, after, next: null, skipped: skippedNone, deliveries }
      return store.writeStep({ ...request, ...fields })
    },
  }
}
