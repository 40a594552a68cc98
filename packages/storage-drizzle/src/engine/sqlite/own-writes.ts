import { StorageError } from '../../storage-error.js'
import { storageErrorOf } from './errors.js'
import type { GroupCommit } from './group-commit.js'
import type { DrizzleDatabase } from './statement.js'

/**
 * Runs writes of a caller in a shared transaction. What the caller throws is no error of the database: nothing of the work
 * is written, and the same error is thrown again.
 */
export async function runOwnWrites<T>(
  { db, commits }: { readonly db: DrizzleDatabase; readonly commits: GroupCommit },
  work: (db: DrizzleDatabase) => T,
): Promise<T> {
  const thrown: unknown[] = []
  try {
    return await commits.write(() => {
      thrown.length = 0
      try {
        return work(db)
      } catch (error) {
        if (isOwn(error)) thrown.push(error)
        throw error
      }
    })
  } catch (error) {
    throw thrown.length > 0 ? thrown[0] : error
  }
}

/** The driver names its errors by a code of SQLite, but for a closed connection. */
function isOwn(error: unknown): boolean {
  const { code, driverCode } = storageErrorOf(error)
  return !(error instanceof StorageError) && driverCode === null && code === 'ARGUMENT_INVALID'
}
