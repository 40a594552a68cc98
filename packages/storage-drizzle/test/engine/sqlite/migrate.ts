/** The migrations of SQLite, for the campaign proof/fuzz. They are not public. */
export { migrate } from '../../../src/engine/sqlite/migrate.js'
export { readMigrations } from '../../../src/engine/migrations/migration-files.js'
