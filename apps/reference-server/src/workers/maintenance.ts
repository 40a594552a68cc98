import type { PiiCustodian, PiiKeyRotation, VerificationStore } from '@kyc-relay/kyc-core'
import type { Retention } from '@kyc-relay/storage-drizzle/sqlite'
import { errorCode, type Log } from '../observability/log.js'
import { createPeriodicJobs, type PeriodicJobs } from './periodic-jobs.js'
import { purgeOrphanTokens } from './purge-orphan-tokens.js'
import { removeOldRows } from './remove-old-rows.js'
import { rewrapDataKeys } from './rewrap-data-keys.js'

const hourMs = 60 * 60 * 1000
const checkpointEveryMs = 5 * 60 * 1000

/** What a worker does beside deliveries and photos: witness, purge, remove, re-wrap. */
export function createMaintenance(deps: {
  readonly writeCheckpoints: () => Promise<unknown>
  readonly vault: PiiCustodian & PiiKeyRotation
  readonly verifications: VerificationStore
  readonly retention: Retention
  readonly log: Log
}): PeriodicJobs {
  const { vault, verifications, retention, log } = deps
  return createPeriodicJobs(
    [
      {
        name: 'witness audit logs',
        intervalMs: checkpointEveryMs,
        async run() {
          await deps.writeCheckpoints()
        },
      },
      {
        name: 'purge orphan tokens',
        intervalMs: hourMs,
        async run(mayGoOn) {
          const { erased } = await purgeOrphanTokens({ custodian: vault, verifications }, mayGoOn)
          if (erased > 0) log.info('orphan tokens purged', { count: erased })
        },
      },
      {
        name: 'remove old rows',
        intervalMs: hourMs,
        async run(mayGoOn) {
          const count = await removeOldRows(retention, mayGoOn)
          if (count > 0) log.info('old rows removed', { count })
        },
      },
      {
        name: 're-wrap data keys',
        intervalMs: hourMs,
        async run(mayGoOn) {
          const tell = ({ rewrapped, remaining }: { rewrapped: number; remaining: number }) =>
            log.info('data keys re-wrapped', { count: rewrapped, remaining })
          await rewrapDataKeys(vault, tell, mayGoOn)
        },
      },
    ],
    (job, error) => log.error('maintenance failed', { job, code: errorCode(error) }),
  )
}
