import * as apps from '../src/apps/tables.sqlite.js'
import { auditEntries, vaultAuditEntries } from '../src/audit/tables.sqlite.js'
import { readiness, vaultReadiness } from '../src/engine/sqlite/readiness.js'
import * as photos from '../src/photos/tables.sqlite.js'
import { receiverEvents } from '../src/receiver/tables.sqlite.js'
import { userRetention } from '../src/user-retention/tables.sqlite.js'
import * as vault from '../src/vault/tables.sqlite.js'
import * as verifications from '../src/verifications/tables.sqlite.js'
import * as recoveries from '../src/webhooks/recovery-tables.sqlite.js'
import * as webhooks from '../src/webhooks/tables.sqlite.js'
import * as transactions from '../src/webhooks/transaction-tables.sqlite.js'

export { completeSqlite as complete } from './overlay.js'

/** The tables of each SQLite database, by the folder of its migrations. */
export const databases = {
  sqlite: {
    ...verifications,
    ...photos,
    ...apps,
    ...webhooks,
    ...recoveries,
    ...transactions,
    userRetention,
    auditEntries,
    readiness,
  },
  'sqlite-vault': { ...vault, vaultAuditEntries, vaultReadiness },
  'sqlite-receiver': { receiverEvents },
}
