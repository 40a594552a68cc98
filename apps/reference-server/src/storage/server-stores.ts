import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { findAbove, type OwnTables } from '@kyc-relay/storage-drizzle/internal'
import type { OperatorReads } from './operator-reads.js'
import type { PortalSessions } from './portal-sessions.js'
import type { QueueInspection } from './queue-inspection.js'
import type { VerificationOverview } from './verification-overview.js'

/** Stores that only this server needs, in the business database. */
export interface ServerStores {
  readonly portalSessions: PortalSessions
  readonly queue: QueueInspection
  readonly overview: VerificationOverview
  readonly operatorReads: OperatorReads
}

/** Tables of this server, with the folder of their migrations. */
export function ownTables(engine: 'sqlite' | 'postgres'): OwnTables {
  const folder = findAbove(path.dirname(fileURLToPath(import.meta.url)), path.join('migrations', engine))
  // An empty name is a folder that does not exist: MIGRATIONS_NOT_FOUND.
  return { prefix: 'portal_', migrations: folder ?? '' }
}
