import type { EventTypes } from '../events/event-type-registry.js'
import type { GrantLookup } from '../publishing/grants.js'
import type { BodySealer } from '../sealing/body-sealer.js'
import type { OpenHeaders } from './endpoint-headers.js'
import type { Sender } from './sender.js'
import type { SigningKeys } from './signing-keys.js'
import type { WebhookStore } from './webhook-store.js'
import type { DeliveryWorkerObserver } from './worker-observer.js'
import type { DeliveryWorkerOptions } from './worker-options.js'
import type { WorkerTimers } from './worker-timers.js'

/** Dependencies and settings of a worker. */
export interface DeliveryWorkerDeps extends DeliveryWorkerObserver {
  readonly store: Pick<WebhookStore, 'claimDue' | 'claimExpired' | 'recordAttemptResults' | 'onDue'>
  readonly signingKeys: SigningKeys
  readonly grants: GrantLookup
  readonly send: Sender
  /** Opens static headers. Needed if endpoints have some: without it, nothing is sent to these. */
  readonly openHeaders?: OpenHeaders
  /** Opens sealed bodies. Needed if events were published with one: without it, nothing is sent of these. */
  readonly bodySealer?: BodySealer
  /** Result of `createEventTypes`, for event types of your own. Default: the event types of the service. */
  readonly eventTypes?: Pick<EventTypes, 'find'>
  /** Wall clock, for `Retry-After` dates and signed timestamps. */
  readonly now: () => Date
  /** A number from 0 up to 1, for jitter. */
  readonly random: () => number
  /** Monotonic time and timers; default `performance.now()`, `setTimeout` and `setImmediate`. */
  readonly timers?: WorkerTimers
  readonly options?: DeliveryWorkerOptions
}
