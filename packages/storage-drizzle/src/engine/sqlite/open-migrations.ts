import { existsSync } from 'node:fs'
import { readMigrations, type OwnTables } from '../migrations/migration-files.js'
import type { DatabasePart } from '../../cli/migrate-command.js'
import { wholeStatus, type MigrationTarget } from '../migrations/ledger.js'
import { storageErrorOf } from './errors.js'
import { openConnection } from './open.js'
import { openReadOnly } from './open-read-only.js'
import { migrate, migrationStatus, type SqliteHistory } from './migrate.js'

/** Opens the migrations of one SQLite file. Reading the status creates and changes no file. */
export function openSqliteMigrations(path: string, part: DatabasePart, ownTables: OwnTables | null): MigrationTarget {
  const history: SqliteHistory = part === 'stores' ? 'sqlite' : `sqlite-${part}`
  const histories = ownTables === null ? [history] : [history, ownTables]
  return {
    async status() {
      if (!existsSync(path)) return { applied: [], pending: histories.flatMap(readMigrations), fileIsMissing: true }
      try {
        const client = openReadOnly(path)
        try {
          return wholeStatus(histories.map((each) => migrationStatus(client, each)))
        } finally {
          client.close()
        }
      } catch (error) {
        throw storageErrorOf(error)
      }
    },

    async up(listeners) {
      const { client, close } = openConnection({ path })
      try {
        return histories.flatMap((each) => migrate(client, each, { ...listeners, now: () => new Date() }))
      } finally {
        close()
      }
    },
    close: () => Promise.resolve(),
  }
}
