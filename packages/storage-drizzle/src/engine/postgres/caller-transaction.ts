import { sql, type SQL } from 'drizzle-orm'
import { StorageError } from '../../storage-error.js'
import { withoutName, type Queryable, type StatementQuery } from './statement.js'

/** The used part of a pg client inside `BEGIN`. Kysely and Knex expose such a client. */
export interface PgTransaction {
  /** Works as `client.query` of pg. */
  query(config: StatementQuery): Promise<{ readonly rows: unknown[]; readonly rowCount: number | null }>
}

/** The `tx` of a Drizzle transaction over pg. */
export interface DrizzlePgTransaction {
  /** Works as `tx.execute` of Drizzle. */
  execute(query: SQL): Promise<unknown>
}

/** A transaction of the caller. */
export type PostgresTransaction = PgTransaction | DrizzlePgTransaction

/** PostgreSQL refuses a savepoint outside a transaction (25P01), on every pooler. */
const requireTransaction = 'SAVEPOINT kyc_relay_transaction; RELEASE SAVEPOINT kyc_relay_transaction'

/**
 * Converts a transaction of the caller, and asks the server whether it is open. Without one, a row of the caller and its
 * event would be two commits.
 *
 * @throws `TRANSACTION_REQUIRED` outside a transaction, and for a pool, which would run each statement on any connection.
 *   `ARGUMENT_INVALID` for a value that runs no statements.
 */
export async function openTransactionOf(tx: PostgresTransaction): Promise<Queryable> {
  const { query, execute } = Object(tx) as Partial<PgTransaction & DrizzlePgTransaction>
  if (typeof query !== 'function' && typeof execute !== 'function') throw new StorageError('ARGUMENT_INVALID')
  if ('totalCount' in tx) throw new StorageError('TRANSACTION_REQUIRED')
  if ('execute' in tx) {
    await tx.execute(sql.raw(requireTransaction))
    return overDrizzle(tx)
  }
  await tx.query({ text: requireTransaction, values: [] })
  // The session belongs to the caller. A pooler may lend it for this transaction only.
  return { query: (query) => tx.query(withoutName(query)) }
}

/** Runs a compiled statement through Drizzle: splits its text at the parameters. */
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
