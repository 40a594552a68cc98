import type { PreparedEvent } from '@kyc-relay/webhooks/delivery'
import type { InsertedEvent } from '@kyc-relay/webhooks/internal'
import { openTransactionOf, type PostgresTransaction } from '../engine/postgres/caller-transaction.js'
import { storageErrorOf } from '../engine/postgres/errors.js'
import { writeEvent } from './publishing.postgres.js'

/**
 * Writes an event and its deliveries inside a transaction of the caller. A business row and its event commit together.
 *
 * Call `prepareEvent` before the transaction, to keep locks short. No `NOTIFY` is sent in the caller's transaction; the
 * delivery worker finds the event by polling.
 *
 * @param now Due time of the deliveries. Default: the current time of the database.
 * @throws StorageError `TRANSACTION_REQUIRED` outside a transaction, and for a pool; `SCHEMA_OUTDATED` in a database
 *   without the tables; `ARGUMENT_INVALID`; `CONSTRAINT`; `STORE_UNAVAILABLE` (retryable, the whole transaction).
 *   PostgreSQL has then failed the transaction: roll it back.
 *
 * @example
 * ```ts
 * import { insertEvent } from '@kyc-relay/storage-drizzle/postgres'
 * import { prepareEvent, type EventInput, type PrepareEventDeps } from '@kyc-relay/webhooks/delivery'
 * import type { PoolClient } from 'pg'
 *
 * export async function placeOrder(client: PoolClient, input: EventInput, deps: PrepareEventDeps) {
 *   const prepared = await prepareEvent(input, deps)
 *   await client.query('BEGIN')
 *   try {
 *     await client.query('INSERT INTO orders (user_id) VALUES ($1)', [input.userId])
 *     await insertEvent(client, prepared)
 *     await client.query('COMMIT')
 *   } catch (error) {
 *     await client.query('ROLLBACK')
 *     throw error
 *   }
 * }
 * ```
 */
export async function insertEvent(
  tx: PostgresTransaction,
  prepared: PreparedEvent,
  now: Date | null = null,
): Promise<InsertedEvent> {
  try {
    return await writeEvent(await openTransactionOf(tx), prepared, now)
  } catch (error) {
    throw storageErrorOf(error)
  }
}
