import * as apps from '../src/apps/tables.postgres.js'
import { auditEntries, auditHeads, vaultAuditEntries, vaultAuditHeads } from '../src/audit/tables.postgres.js'
import { readiness, vaultReadiness } from '../src/engine/postgres/readiness.js'
import * as photos from '../src/photos/tables.postgres.js'
import { receiverEvents } from '../src/receiver/tables.postgres.js'
import { userRetention } from '../src/user-retention/tables.postgres.js'
import * as vault from '../src/vault/tables.postgres.js'
import * as verifications from '../src/verifications/tables.postgres.js'
import * as recoveries from '../src/webhooks/recovery-tables.postgres.js'
import * as webhooks from '../src/webhooks/tables.postgres.js'
import * as transactions from '../src/webhooks/transaction-tables.postgres.js'

export { completePostgres as complete } from './overlay.js'

/** The tables of each PostgreSQL database, by the folder of its migrations. */
export const databases = {
  postgres: {
    ...verifications,
    ...photos,
    ...apps,
    ...webhooks,
    ...recoveries,
    ...transactions,
    userRetention,
    auditEntries,
    auditHeads,
    readiness,
  },
  'postgres-vault': { ...vault, vaultAuditEntries, vaultAuditHeads, vaultReadiness },
  'postgres-receiver': { receiverEvents },
}
