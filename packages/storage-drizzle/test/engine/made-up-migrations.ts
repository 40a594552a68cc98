import { createHash } from 'node:crypto'
import { readMigrations, type Migration, type MigrationSet } from '../../src/engine/migrations/migration-files.js'

/** What later migrations do, as far as the runner cares: they change tables that are in use, and make new ones. */
const laterChanges = [
  { name: 'note_events', sql: 'ALTER TABLE kyc_relay_events ADD COLUMN note TEXT;\n' },
  {
    name: 'index_notes',
    sql: `CREATE INDEX kyc_relay_events_by_note ON kyc_relay_events (note);
CREATE INDEX kyc_relay_attempts_by_end ON kyc_relay_attempts (ended_at);
`,
  },
  {
    name: 'list_holidays',
    sql: `CREATE TABLE kyc_relay_holidays (day TEXT NOT NULL PRIMARY KEY);
INSERT INTO kyc_relay_holidays VALUES ('2026-12-25');
`,
  },
]

/** The migrations that the package ships, and three made-up ones after them. */
export function withLaterMigrations(set: MigrationSet): readonly Migration[] {
  const shipped = readMigrations(set)
  const later = laterChanges.map(({ name, sql }, index) => {
    const number = shipped.length + index + 1
    const sha256 = createHash('sha256').update(sql, 'utf8').digest('hex')
    return { number, name: `${String(number).padStart(4, '0')}_${name}`, prefix: 'kyc_relay_', sql, sha256 }
  })
  return [...shipped, ...later]
}
