// What Drizzle cannot state of a table. `write-migrations.mjs` adds it to the SQL that drizzle-kit generates.

/** SQLite tables that are stored by their primary key: small rows, found by that key alone. All tables are STRICT. */
const withoutRowid = new Set([
  'kyc_relay_access_tokens',
  'kyc_relay_apps',
  'kyc_relay_grants',
  'kyc_relay_kyc_status_outbox',
  'kyc_relay_photo_jobs',
  'kyc_relay_receiver_events',
  'kyc_relay_revoked_grants',
  'kyc_relay_transactions',
  'kyc_relay_user_retention',
  'kyc_relay_vault_key_checks',
])

/** PostgreSQL tables whose rows are changed in place: room on their page, in percent that is filled at first. */
const fillfactors = new Map([
  ['kyc_relay_audit_heads', 10],
  ['kyc_relay_vault_audit_heads', 10],
  // A delivery is changed once, by its end, soon after it was written and together with its neighbours.
  ['kyc_relay_deliveries', 45],
  ['kyc_relay_endpoint_schedules', 50],
])

/** Completes one statement for SQLite. */
export function completeSqlite(statement: string): string {
  const table = /^CREATE TABLE `(?:__new_)?(\w+)`/.exec(statement)?.[1]
  if (table === undefined) return statement
  return statement.replace(/\);$/, withoutRowid.has(table) ? ') STRICT, WITHOUT ROWID;' : ') STRICT;')
}

/** Completes one statement for PostgreSQL. Tables belong to the schema that is current, which need not be `public`. */
export function completePostgres(statement: string): string {
  const plain = statement.replaceAll('"text COLLATE "C""', 'text COLLATE "C"').replaceAll('"public".', '')
  const table = /^CREATE TABLE "(\w+)"/.exec(plain)?.[1] ?? ''
  const fillfactor = fillfactors.get(table)
  return fillfactor === undefined ? plain : plain.replace(/\);$/, `) WITH (fillfactor = ${fillfactor});`)
}
