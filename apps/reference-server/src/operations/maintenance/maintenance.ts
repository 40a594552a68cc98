import type { PiiCipher, PiiKeyRotation } from '@kyc-relay/kyc-core'
import type { AppDirectory } from '@kyc-relay/storage-drizzle/apps'
import { errorFields, type Log } from '../log.js'
import { startProgressLog, type Progress } from '../progress-log.js'
import { createPeriodicJobs, type PeriodicJobs } from './periodic-jobs.js'
import { removeOldRows, type OldRows } from './remove-old-rows.js'
import { rewrapApiKeys } from './rewrap-api-keys.js'
import { rewrapDataKeys } from './rewrap-data-keys.js'
import type { TokenPurge } from './token-purge.js'

const hourMs = 60 * 60 * 1000
const checkpointEveryMs = 5 * 60 * 1000
/** Also the time between two log lines while the database is down. */
const recoverEveryMs = 2000

/**
 * Maintenance jobs of a worker: write checkpoints, recover events, publish status changes, purge tokens, remove old rows,
 * re-wrap keys.
 */
export function createMaintenance(deps: {
  readonly writeCheckpoints: () => Promise<unknown>
  readonly vault: PiiKeyRotation
  readonly tokenPurge: Pick<TokenPurge, 'run'>
  readonly oldRows: OldRows
  /** Does a step of each running recovery; returns the number of steps. */
  readonly recoverEvents: () => Promise<number>
  /** Time between two steps of running recoveries: live events are delivered meanwhile. */
  readonly recoveryPauseMs: number
  /** Publishes changes of KYC statuses; returns their number. Null if the operator has not turned them on. */
  readonly publishStatusChanges: (() => Promise<number>) | null
  /** Re-wraps static headers of endpoints; returns the finished and the remaining number. */
  readonly rewrapHeaders: (
    shouldContinue: () => boolean,
  ) => Promise<{ readonly rewrapped: number; readonly remaining: number }>
  readonly apiKeys: { readonly directory: AppDirectory; readonly cipher: PiiCipher; readonly now: () => Date }
  /** Tells after each run of a job whether it failed. */
  readonly onEnded: (job: string, failed: boolean) => void
  /** Monotonic clock, in milliseconds. */
  readonly nowMs: () => number
  readonly log: Log
  /** Scheduler of {@link createPeriodicJobs}. */
  readonly schedule?: (callback: () => void, ms: number) => () => void
}): PeriodicJobs {
  const { vault, oldRows, log } = deps
  const start = (job: string) => startProgressLog(job, log, deps.nowMs)

  return createPeriodicJobs(
    [
      {
        name: 'write audit checkpoints',
        intervalMs: checkpointEveryMs,
        async run() {
          await deps.writeCheckpoints()
        },
      },
      {
        name: 'recover events',
        intervalMs: recoverEveryMs,
        busyIntervalMs: deps.recoveryPauseMs,
        async run() {
          return (await deps.recoverEvents()) > 0
        },
      },
      {
        name: 'publish status changes',
        intervalMs: recoverEveryMs,
        async run(shouldContinue) {
          const publish = deps.publishStatusChanges
          while (publish !== null && shouldContinue() && (await publish()) > 0);
        },
      },
      {
        name: 'purge orphan tokens',
        intervalMs: hourMs,
        run: (shouldContinue) => deps.tokenPurge.run(shouldContinue),
      },
      {
        name: 'remove old rows',
        intervalMs: hourMs,
        async run(shouldContinue) {
          const progress = start('remove old rows')
          const count = await removeOldRows(oldRows, shouldContinue, (count) => progress.tell({ count }))
          progress.end('old rows removed', { count })
        },
      },
      {
        name: 're-wrap data keys',
        intervalMs: hourMs,
        async run(shouldContinue) {
          const progress = start('re-wrap data keys')
          // The last line has the remaining number, also after a stop.
          let last: Progress = { count: 0 }
          await rewrapDataKeys(
            vault,
            ({ rewrapped: count, remaining }) => progress.tell((last = { count, remaining })),
            shouldContinue,
          )
          progress.end('data keys re-wrapped', last)
        },
      },
      {
        name: 're-wrap API keys',
        intervalMs: hourMs,
        async run(shouldContinue) {
          const progress = start('re-wrap API keys')
          const { rewrapped: count, remaining } = await rewrapApiKeys(
            { ...deps.apiKeys, log },
            shouldContinue,
            (count) => progress.tell({ count }),
          )
          progress.end('API keys re-wrapped', { count, remaining })
        },
      },
      {
        name: 're-wrap static headers',
        intervalMs: hourMs,
        async run(shouldContinue) {
          const progress = start('re-wrap static headers')
          const { rewrapped: count, remaining } = await deps.rewrapHeaders(shouldContinue)
          progress.end('static headers re-wrapped', { count, remaining })
        },
      },
    ],
    {
      onFailure(job, error) {
        log.error('maintenance failed', { job, ...errorFields(error) })
        deps.onEnded(job, true)
      },
      onSuccess: (job) => deps.onEnded(job, false),
    },
    deps.schedule,
  )
}
