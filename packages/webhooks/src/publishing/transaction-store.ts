import type { InsertedEvent, PreparedEvent } from '../delivery/webhook-store.js'
import type { TransactionEventType, TransactionState } from '../events/transaction-status.js'

/** Where a transaction that is known stands. */
export type KnownTransactionState = Exclude<TransactionState, 'NONE'>

/** A transaction as kept between its events. */
export interface TransactionRecord {
  readonly transactionId: string
  readonly appId: string
  readonly userId: string
  readonly state: KnownTransactionState
  /** 1 for the first state, one more with every move. */
  readonly revision: number
  /** Fields of the last payload, which an update builds on; null once final or erased. */
  readonly fields: Readonly<Record<string, unknown>> | null
}

/** A move with the event that tells about it. */
export interface TransactionMove {
  readonly transactionId: string
  readonly appId: string
  readonly userId: string
  /** The revision that the move was decided on; 0 for a transaction that is not known yet. */
  readonly fromRevision: number
  readonly next: KnownTransactionState
  readonly fields: Readonly<Record<string, unknown>> | null
  readonly movedAt: Date
  readonly event: PreparedEvent
}

/** What was published under a `sourceEventId`. `move` is null for an event that moved no transaction. */
export interface PublishedBefore {
  readonly event: InsertedEvent
  readonly move: {
    readonly transactionId: string
    readonly state: KnownTransactionState
    readonly eventType: TransactionEventType
  } | null
}

/**
 * Keeps the state of transactions beside the events that tell about it.
 *
 * Every method is one atomic unit of work. Errors carry a code and never a stored value.
 */
export interface TransactionStore {
  /**
   * The transaction, and what the app published under `sourceEventId`, as they are at one moment. The app is that of
   * the transaction where `appId` is null.
   */
  findTransaction(request: {
    readonly transactionId: string
    readonly appId: string | null
    readonly sourceEventId: string | null
  }): Promise<{ readonly transaction: TransactionRecord | null; readonly publishedBefore: PublishedBefore | null }>

  /**
   * Writes the new state, the event and its deliveries, or nothing: `stale` when the revision is not `fromRevision`
   * any more, or when the event's `sourceEventId` is known. Of any number of concurrent moves from one revision exactly
   * one is written. Resolves only when the write is durable.
   */
  moveTransaction(move: TransactionMove): Promise<InsertedEvent | 'stale'>
}
