import { sql, type SQL } from 'drizzle-orm'
import type { InsertedEvent, PreparedEvent } from '@kyc-relay/webhooks/delivery'
import { StorageError } from '../storage-error.js'
import { storageErrorOf } from './driver-errors.js'
import { writeEvent } from './publishing.js'
import type { Queryable, StatementQuery } from './statement.js'

/** What of a pg client is used: a client inside `BEGIN`, also as Kysely and Knex hand it out. */
export interface PgTransaction {
  query(config: StatementQuery): Promise<{ readonly rows: unknown[]; readonly rowCount: number | null }>
}

/** The `tx` of a Drizzle transaction over pg. */
export interface DrizzlePgTransaction {
  execute(query: SQL): Promise<unknown>
}

/** A transaction of the caller. */
export type PostgresTransaction = PgTransaction | DrizzlePgTransaction

/**
 * Writes an event and its deliveries inside a transaction of the caller, so that a business row and its event are
 * committed together or not at all.
 *
 * Do everything else in `prepareEvent` before the transaction begins: it keeps the locks short. No `NOTIFY` is sent in
 * the caller's transaction; the delivery worker learns of the event by polling.
 *
 * @param now When the deliveries are due. Default: the database's present instant.
 * @throws StorageError `TRANSACTION_REQUIRED` for a pool; `CONSTRAINT`; `STORE_UNAVAILABLE` (retryable, the whole
 *   transaction). PostgreSQL has failed the transaction then: let the error end it.
 *
 * @example
 * const prepared = await prepareEvent(input, deps)
 * await client.query('BEGIN')
 * await client.query('INSERT INTO orders …')
 * await insertEvent(client, prepared)
 * await client.query('COMMIT')
 */
export async function insertEvent(
  tx: PostgresTransaction,
  prepared: PreparedEvent,
  now: Date | null = null,
): Promise<InsertedEvent> {
  try {
    // A pool has the same `query`, but would run each statement on whatever connection is free.
    if ('totalCount' in tx) throw new StorageError('TRANSACTION_REQUIRED')
    return await writeEvent('execute' in tx ? overDrizzle(tx) : tx, prepared, now)
  } catch (error) {
    throw storageErrorOf(error)
  }
}

/** Runs a compiled statement through Drizzle: its text in pieces, its parameters between them. */
function overDrizzle(tx: DrizzlePgTransaction): Queryable {
  return {
    async query({ text, values }) {
      const pieces = text.split(/\$(\d+)/)
      const chunks = pieces.map((piece, index) =>
        index % 2 === 0 ? sql.raw(piece) : sql.param(values[Number(piece) - 1]),
      )
      const answer = (await tx.execute(sql.join(chunks))) as { rows: unknown[]; rowCount: number | null }
      return { rows: answer.rows, rowCount: answer.rowCount }
    },
  }
}
