import type { AuditLog, AuditSeal } from '@kyc-relay/kyc-core/audit'
import type { VerificationOverview } from '../../storage/verification-overview.js'
import { createCheckpointComparison } from '../audit/checkpoint-comparison.js'
import type { Log } from '../log.js'
import { startProgressLog } from '../progress-log.js'
import { createOrphanPurge, type OrphanPurgeDeps, type PurgeReport } from './purge-orphan-tokens.js'

/** The purge of orphan tokens as a job of the server. */
export interface TokenPurge {
  run(shouldContinue?: () => boolean): Promise<void>
  /** True after a refused run, until a run succeeds. */
  isRefused(): boolean
}

/** Creates the job, which reports to log, metrics and readiness. */
export function createTokenPurge(deps: {
  readonly vault: OrphanPurgeDeps['vault']
  readonly verifications: OrphanPurgeDeps['verifications']
  readonly overview: Pick<VerificationOverview, 'listLatest'>
  /** Audit log of the business database with its checkpoints; null if there is none. */
  readonly audit: AuditLog | null
  readonly seal: AuditSeal
  readonly checkpointPath: string
  readonly mostInADay: number
  readonly nowMs: () => number
  readonly log: Log
  readonly onPurged: (report: PurgeReport) => void
}): TokenPurge {
  const { overview, audit, log, nowMs } = deps
  const compareCheckpoints =
    audit === null
      ? () => Promise.resolve('MATCHING' as const)
      : createCheckpointComparison({ path: deps.checkpointPath, seal: deps.seal, log: audit })
  const purge = createOrphanPurge({
    vault: deps.vault,
    verifications: deps.verifications,
    isBusinessDatabaseEmpty: async () => (await overview.listLatest({ limit: 1 })).length === 0,
    compareCheckpoints,
    mostInADay: deps.mostInADay,
    nowMs,
  })
  const job = 'purge orphan tokens'
  let refused = false

  return {
    async run(shouldContinue) {
      const progress = startProgressLog(job, log, nowMs)
      const report = await purge(shouldContinue, (examined) => progress.tell({ count: examined, examined }))
      deps.onPurged(report)
      refused = report.refusal !== null
      if (report.restored > 0) log.warn('tokens restored from quarantine', { job, count: report.restored })
      if (report.quarantined > 0) log.info('orphan tokens quarantined', { job, count: report.quarantined })
      if (report.refusal !== null) log.error('orphan tokens not purged', { job, cause: report.refusal })
      else progress.end('orphan tokens purged', { count: report.destroyed, examined: report.examined })
    },
    isRefused: () => refused,
  }
}
