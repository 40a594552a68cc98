import { statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { StorageError } from '../../storage-error.js'
import { openingErrorOf } from './errors.js'

const read = (client: Database.Database) => client.prepare('SELECT 1 FROM sqlite_schema').get()

/**
 * Opens a file for reading only. It changes nothing, with one exception: a loss of power while the file was made leaves a
 * rollback journal. A read-only connection cannot apply it, so a writing one does first.
 *
 * @throws StorageError `DATABASE_UNUSABLE` for a folder, which SQLite reports as a failing disk; `DATABASE_DAMAGED` also for a
 *   file that is no database
 */
export function openReadOnly(path: string): Database.Database {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw new StorageError('DATABASE_UNUSABLE', 'EISDIR')
  const open = () => new Database(path, { readonly: true, fileMustExist: true })
  const client = open()
  try {
    read(client)
    return client
  } catch (error) {
    client.close()
    if (!(error instanceof Database.SqliteError) || error.code !== 'SQLITE_READONLY_ROLLBACK')
      throw openingErrorOf(error)
  }
  const writer = new Database(path, { fileMustExist: true })
  try {
    read(writer)
  } finally {
    writer.close()
  }
  return open()
}
