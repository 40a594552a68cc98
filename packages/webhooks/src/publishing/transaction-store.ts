import type { InsertedEvent, PreparedEvent } from '../delivery/webhook-store.js'
import type { TransactionEventType, TransactionState } from '../events/transaction-status.js'

/** States of a known transaction. */
export type KnownTransactionState = Exclude<TransactionState, 'NONE'>

/** A stored transaction. */
export interface TransactionRecord {
  readonly transactionId: string
  readonly appId: string
  readonly userId: string
  readonly state: KnownTransactionState
  /** 1 for the first state; each change adds one. */
  readonly revision: number
  /**
   * Fields of the last payload, for updates; null in a final state, and after an erasure or retention. With a
   * `BodySealer` one member with the sealed bytes. Opaque to a store.
   */
  readonly fields: Readonly<Record<string, unknown>> | null
}

/** A status change with its event. */
export interface TransactionMove {
  readonly transactionId: string
  readonly appId: string
  readonly userId: string
  /** Revision on which the change is based; 0 for a new transaction. */
  readonly fromRevision: number
  readonly next: KnownTransactionState
  /** As in {@link TransactionRecord}. */
  readonly fields: Readonly<Record<string, unknown>> | null
  readonly movedAt: Date
  readonly event: PreparedEvent
}

/** Event with a `sourceEventId`, with `original`. `move` is null for an event that changed no transaction. */
export interface PublishedBefore {
  readonly event: InsertedEvent
  readonly move: {
    readonly transactionId: string
    readonly state: KnownTransactionState
    readonly eventType: TransactionEventType
  } | null
}

/**
 * Stores the state of transactions with their events.
 *
 * Every method is atomic. Errors carry a code and never a stored value.
 */
export interface TransactionStore {
  /**
   * Reads the transaction and the event with `sourceEventId` in one snapshot. With `appId` null, the app is that of the
   * transaction.
   */
  findTransaction(request: {
    readonly transactionId: string
    readonly appId: string | null
    readonly sourceEventId: string | null
  }): Promise<{ readonly transaction: TransactionRecord | null; readonly publishedBefore: PublishedBefore | null }>

  /**
   * Writes the new state, the event and its deliveries atomically. Returns `stale` and writes nothing when the revision
   * differs from `fromRevision`, or when the event's `sourceEventId` is known. Of several concurrent changes from one
   * revision exactly one is written. Resolves only when the write is durable.
   */
  moveTransaction(move: TransactionMove): Promise<InsertedEvent | 'stale'>
}
