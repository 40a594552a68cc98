import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { OwnTables } from '@kyc-relay/storage-drizzle/internal'
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
  return { prefix: 'portal_', migrations: path.join(serverFolder(), 'migrations', engine) }
}

/** Finds the folder of this server: the build places its files at another depth than the sources. */
function serverFolder(): string {
  let folder = path.dirname(fileURLToPath(import.meta.url))
  while (!existsSync(path.join(folder, 'migrations/sqlite')) && folder !== path.dirname(folder)) {
    folder = path.dirname(folder)
  }
  return folder
}
