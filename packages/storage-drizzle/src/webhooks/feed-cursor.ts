import { StorageError } from '../storage-error.js'

/** Place of an event in the feed: SQLite has one writer, so there the transaction is always 0. */
export interface FeedPlace {
  /** Id of the writing transaction on PostgreSQL: 64 bits, as decimal digits. */
  readonly transaction: string
  readonly position: number
}

/**
 * Oldest events of a time range that are looked at for the first of the feed. Transactions that commit late and clocks that
 * step back leave few of them in another order.
 */
export const mostOutOfOrder = 1_000

/** Encodes the place of an event as an opaque cursor. */
export function encodeFeedCursor({ transaction, position }: FeedPlace, appId: string): string {
  return Buffer.from(`f${transaction}.${position}.${appId}`, 'utf8').toString('base64url')
}

/** @throws `CURSOR_INVALID` for a text that {@link encodeFeedCursor} did not create for the same app. */
export function decodeFeedCursor(cursor: string, appId: string): FeedPlace {
  const text = Buffer.from(cursor, 'base64url').toString('utf8')
  // 18 digits fit 64 bits, and no cluster will use as many transactions.
  const [, transaction, position] = /^f(0|[1-9]\d{0,17})\.(0|[1-9]\d{0,14})\./.exec(text) ?? []
  if (transaction === undefined) throw new StorageError('CURSOR_INVALID')
  const place = { transaction, position: Number(position) }
  if (encodeFeedCursor(place, appId) !== cursor) throw new StorageError('CURSOR_INVALID')
  return place
}
