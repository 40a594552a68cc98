import type { DeliveryState } from '../delivery/webhook-store.js'
import type { EventName } from '../events/event-types.js'

/** An event as the feed lists it. */
export interface ListedEvent {
  readonly eventId: string
  readonly userId: string
  readonly type: EventName
  readonly createdAt: Date
  readonly test: boolean
  /** As stored. Null or empty after an erasure or retention has blanked it, and for an event withheld for a missing scope. */
  readonly body: Uint8Array | null
  /** The last delivery of each state at each endpoint, oldest first: a partner may have resent it many times. */
  readonly deliveries: readonly {
    readonly endpointId: string
    readonly xEventId: string
    readonly state: DeliveryState
  }[]
  /** Cursor after this event. */
  readonly cursor: string
}

/**
 * Lists the events of an app in the order in which they become visible.
 *
 * An event whose transaction commits late must not be skipped: it is listed after every event that a caller has seen
 * before. So a store hides events that a transaction which is still open may precede.
 */
export interface FeedStore {
  /**
   * Returns the cursor before the first event of the feed that was created at `since` or later; after the last event if
   * there is none. The feed is not in the order of times: a clock may step back. A store may look at the 1,000 oldest of
   * these events alone. Rejects a value that is not a valid date.
   */
  findCursor(request: { readonly appId: string; readonly since: Date }): Promise<string>
  /**
   * Lists the events after a cursor, at most `limit` (1–200). Rejects a cursor that this store did not create for the app.
   *
   * @returns null when the cursor is ahead of the database, as after the restore of a backup
   */
  listAfter(request: {
    readonly appId: string
    readonly cursor: string
    readonly limit: number
  }): Promise<readonly ListedEvent[] | null>
  /**
   * Returns for how many milliseconds an open transaction has held back later events; 0 without one, null if the store
   * may not see all transactions.
   */
  measureLag(): Promise<number | null>
}
