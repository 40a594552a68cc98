import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { StorageError } from '../../storage-error.js'
import type { PostgresDatabase } from './database.js'
import { queryBuilder, type StatementQuery } from './statement.js'

/**
 * Runs writes of a caller in one transaction. What the caller throws is no error of the database: nothing is written, the
 * connection stays, and the same error is thrown again.
 */
export async function runOwnWrites<T>(
  database: PostgresDatabase,
  work: (db: NodePgDatabase) => Promise<T>,
): Promise<T> {
  const thrown: unknown[] = []
  try {
    return await database.transaction(async (on) => {
      thrown.length = 0
      const failures: unknown[] = []
      const query = async (statement: StatementQuery) => {
        try {
          return await on.query(statement)
        } catch (error) {
          failures.push(error)
          throw error
        }
      }
      try {
        return await work(queryBuilder({ query }))
      } catch (error) {
        if (isOfDatabase(error, failures)) throw error
        thrown.push(error)
        // Rolls back.
        throw new StorageError('ARGUMENT_INVALID')
      }
    })
  } catch (error) {
    throw thrown.length > 0 ? thrown[0] : error
  }
}

/** Drizzle has the error of a statement as the cause of its own. */
function isOfDatabase(error: unknown, failures: readonly unknown[]): boolean {
  if (error instanceof StorageError || failures.includes(error)) return true
  return error instanceof Error && error.cause !== undefined && isOfDatabase(error.cause, failures)
}
