import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import { readMigrations } from '../migrations/migration-files.js'
import type { DatabasePart } from '../../cli/migrate-command.js'
import type { MigrationTarget } from '../migrations/ledger.js'
import { openConnection } from './open.js'
import { migrate, migrationStatus, type SqliteHistory } from './migrate.js'

/** Opens the migrations of one SQLite file. Reading the status creates and changes no file. */
export function openSqliteMigrations(path: string, part: DatabasePart): MigrationTarget {
  const history: SqliteHistory = part === 'stores' ? 'sqlite' : `sqlite-${part}`
  return {
    async status() {
      if (!existsSync(path)) return { applied: [], pending: readMigrations(history) }
      const client = new Database(path, { readonly: true, fileMustExist: true })
      try {
        return migrationStatus(client, history)
      } finally {
        client.close()
      }
    },

    async up(listeners) {
      const { client, close } = openConnection({ path })
      try {
        return migrate(client, history, { ...listeners, now: () => new Date() })
      } finally {
        close()
      }
    },
    close: () => Promise.resolve(),
  }
}
