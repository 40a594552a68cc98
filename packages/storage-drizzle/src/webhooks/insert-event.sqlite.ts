import type { PreparedEvent } from '@kyc-relay/webhooks/delivery'
import type { InsertedEvent } from '@kyc-relay/webhooks/internal'
import { StorageError } from '../storage-error.js'
import { connectionOf, databaseOf, type SqliteTransaction } from '../engine/sqlite/caller-transaction.js'
import { lacksTables, storageErrorOf } from '../engine/sqlite/errors.js'
import { preparePublishing, writeEvent } from './publishing.sqlite.js'

/**
 * Writes an event and its deliveries inside a transaction of the caller. A business row and its event commit together.
 *
 * It is synchronous because better-sqlite3 commits at the first `await`. Call `prepareEvent`, which is asynchronous,
 * before the transaction. The delivery worker finds the event by polling.
 *
 * @param now Due time of the deliveries. Default: the current time.
 * @throws StorageError `TRANSACTION_REQUIRED` outside a transaction; `SCHEMA_OUTDATED` in a database without the tables;
 *   `ARGUMENT_INVALID`; `CONSTRAINT`; `STORE_UNAVAILABLE` (retryable, the whole transaction). The caller's
 *   transaction is still open: roll it back.
 *
 * @example
 * ```ts
 * import { insertEvent } from '@kyc-relay/storage-drizzle/sqlite'
 * import { prepareEvent, type EventInput, type PrepareEventDeps } from '@kyc-relay/webhooks/delivery'
 * import type Database from 'better-sqlite3'
 *
 * export async function placeOrder(database: Database.Database, input: EventInput, deps: PrepareEventDeps) {
 *   const prepared = await prepareEvent(input, deps)
 *   const insertOrder = database.prepare('INSERT INTO orders (user_id) VALUES (?)')
 *   database
 *     .transaction(() => {
 *       insertOrder.run(input.userId)
 *       insertEvent(database, prepared)
 *     })
 *     .immediate()
 * }
 * ```
 */
export function insertEvent(tx: SqliteTransaction, prepared: PreparedEvent, now: Date = new Date()): InsertedEvent {
  try {
    const client = connectionOf(tx)
    if (client !== null && !client.inTransaction) throw new StorageError('TRANSACTION_REQUIRED')
    return writeEvent(preparePublishing(databaseOf(tx)), prepared, now)
  } catch (error) {
    throw lacksTables(error) ? new StorageError('SCHEMA_OUTDATED') : storageErrorOf(error)
  }
}
