import type { WithheldReason } from '../delivery/webhook-store.js'
import type { EventName } from '../events/event-types.js'

/** Numbers of events that a recovery left out, by reason. */
export interface SkippedEvents {
  /** The lineage of the endpoint has acknowledged the event. */
  readonly acknowledged: number
  /** A delivery of the event to the lineage is pending. */
  readonly pending: number
  /** The user had not granted the scope when the event was published, or has not now. */
  readonly scope: number
  /** The body was erased with the user's data, or after its retention time. */
  readonly erased: number
}

/** State of a recovery. */
export interface RecoveryProgress {
  readonly recoveryId: string
  /** `STOPPED` by the partner, or by the removal of the endpoint. */
  readonly state: 'RUNNING' | 'DONE' | 'STOPPED'
  /** Events that were looked at: those created, and those skipped. */
  readonly matched: number
  /** Deliveries that were made. */
  readonly created: number
  readonly skipped: SkippedEvents
}

/** Place of an event in the order of publishing. */
export interface EventPlace {
  readonly createdAt: Date
  readonly position: number
}

/** Events to look at: those of an app in a time range, after a place. */
export interface RecoveryRange {
  readonly appId: string
  readonly endpointId: string
  /** Inclusive. */
  readonly since: Date
  /** Exclusive. */
  readonly until: Date
  /** Null for all types of the endpoint. */
  readonly eventTypes: readonly EventName[] | null
  readonly after: EventPlace | null
}

/** What a store knows of an event that may be delivered again. */
export interface RecoverableEvent {
  readonly eventId: string
  readonly userId: string
  readonly type: EventName
  readonly place: EventPlace
  readonly withheld: WithheldReason | null
  readonly erased: boolean
  /** The best state of its deliveries to the lineage; null if it has none that is acknowledged or pending. */
  readonly delivered: 'ACKNOWLEDGED' | 'PENDING' | null
}

/**
 * Stores recoveries: durable jobs that deliver to an endpoint what its lineage has not acknowledged.
 *
 * Every method is atomic, and its arguments are plain data.
 */
export interface RecoveryStore {
  /**
   * Starts a recovery. Events up to `until`, or up to now, are delivered; test events are not.
   *
   * @returns `running` if the endpoint has one that is running
   */
  startRecovery(request: {
    readonly recoveryId: string
    readonly appId: string
    readonly endpointId: string
    readonly since: Date
    readonly until: Date | null
    readonly eventTypes: readonly EventName[] | null
  }): Promise<'started' | 'not_found' | 'running'>
  /** Returns a recovery; null for an unknown one or another app's. */
  findRecovery(request: { readonly appId: string; readonly recoveryId: string }): Promise<RecoveryProgress | null>
  /** Stops a recovery; false for an unknown one or another app's. One that has ended stays as it is. */
  stopRecovery(request: { readonly appId: string; readonly recoveryId: string }): Promise<boolean>
  /** Lists running recoveries, oldest first: those after one that was listed, running or not any more. */
  listRunning(request: {
    readonly limit: number
    /** Default null: from the oldest on. */
    readonly after?: { readonly appId: string; readonly recoveryId: string } | null
  }): Promise<readonly { readonly appId: string; readonly recoveryId: string }[]>
  /**
   * Returns what a recovery looks at next, with the lineage of its endpoint; null when it is not running, or when
   * `mostWaiting` of its endpoint's recovered deliveries wait.
   */
  findNextStep(request: {
    readonly appId: string
    readonly recoveryId: string
    readonly mostWaiting: number
  }): Promise<(RecoveryRange & { readonly lineageId: string }) | null>
  /** Lists events of a range, oldest first: those of the endpoint's types. Rejects a value that is not a valid date. */
  listEvents(range: RecoveryRange & { readonly limit: number }): Promise<readonly RecoverableEvent[]>
  /**
   * Writes a step: the deliveries, due now and claimed after all others of the endpoint, and how far it came. Leaves out
   * events that were blanked, or have an acknowledged or pending delivery with this `X-Event-ID` meanwhile.
   *
   * @returns `stale`, and writes nothing, when the recovery is not running, stands elsewhere than `after`, or its endpoint
   *   is another one
   */
  writeStep(request: {
    readonly appId: string
    readonly recoveryId: string
    readonly endpointId: string
    readonly after: EventPlace | null
    /** The last event that was looked at; null if there are no more, which ends the recovery. */
    readonly next: EventPlace | null
    readonly deliveries: readonly { readonly deliveryId: string; readonly eventId: string; readonly xEventId: string }[]
    readonly skipped: SkippedEvents
  }): Promise<'written' | 'stale'>
}
