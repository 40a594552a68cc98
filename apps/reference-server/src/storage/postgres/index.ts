import type { PostgresOwnDatabase } from '@kyc-relay/storage-drizzle/internal'
import type { ServerStores } from '../server-stores.js'
import { createOperatorReads } from './operator-reads.js'
import { createPortalSessions } from './portal-sessions.js'
import { createQueueInspection } from './queue-inspection.js'
import { createVerificationOverview } from './verification-overview.js'

/**
 * Creates the stores of this server on the database of the business data.
 *
 * @param options `distributed`: the tables are distributed by app.
 */
export function createServerStores(
  database: PostgresOwnDatabase,
  clock: () => Date | null = () => null,
  { distributed = false }: { readonly distributed?: boolean } = {},
): ServerStores {
  return {
    portalSessions: createPortalSessions(database, clock),
    queue: createQueueInspection(database, clock),
    overview: createVerificationOverview(database),
    operatorReads: createOperatorReads(database, distributed),
  }
}
