import { sql, type SQL } from 'drizzle-orm'
import { StorageError } from '../../storage-error.js'
import { withoutName, type Queryable, type StatementQuery } from './statement.js'

/** What of a pg client is used: a client inside `BEGIN`, also as Kysely and Knex hand it out. */
export interface PgTransaction {
  /** As `client.query` of pg. */
  query(config: StatementQuery): Promise<{ readonly rows: unknown[]; readonly rowCount: number | null }>
}

/** The `tx` of a Drizzle transaction over pg. */
export interface DrizzlePgTransaction {
  /** As `tx.execute` of Drizzle. */
  execute(query: SQL): Promise<unknown>
}

/** A transaction of the caller. */
export type PostgresTransaction = PgTransaction | DrizzlePgTransaction

/** @throws `TRANSACTION_REQUIRED` for a pool, which would run each statement on whatever connection is free. */
export function queryableOf(tx: PostgresTransaction): Queryable {
  if ('totalCount' in tx) throw new StorageError('TRANSACTION_REQUIRED')
  if ('execute' in tx) return overDrizzle(tx)
  // The session is the caller's, and may be lent by a pooler for this transaction alone.
  return { query: (query) => tx.query(withoutName(query)) }
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
