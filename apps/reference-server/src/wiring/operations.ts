import type { PiiCipher } from '@kyc-relay/kyc-core'
import type { AuditSeal } from '@kyc-relay/kyc-core/audit'
import { recoverEvents } from '@kyc-relay/webhooks/delivery'
import { uuidv7 } from 'uuidv7'
import { servesWorker, type Env } from '../env.js'
import type { EventCatalogue } from '../events/event-catalogue.js'
import { publishStatusChanges } from '../events/publish-status-changes.js'
import type { Publisher } from '../events/publish.js'
import { isLoopbackAddress } from '../http/loopback-address.js'
import { headersDamaged } from '../identity/find-damaged.js'
import { createFailedAuthentications, failureOf } from '../identity/failed-authentications.js'
import { createCheckpointWriter } from '../operations/audit/checkpoint-file.js'
import { startDiskWatch } from '../operations/disk-space/disk-watch.js'
import type { ServerLog } from '../operations/log.js'
import { createMaintenance } from '../operations/maintenance/maintenance.js'
import { createTokenPurge } from '../operations/maintenance/token-purge.js'
import { createMetricsRoute } from '../operations/metrics-route.js'
import { createMetrics } from '../operations/metrics.js'
import { createOperationsApp } from '../operations/operations-app.js'
import { createReadiness } from '../operations/readiness.js'
import type { Callers } from './callers.js'
import type { Storage } from './storage.js'

/** Parts for operating the process. */
export type Operations = Awaited<ReturnType<typeof wireOperations>>

/** Creates metrics, probes, the check of disk space, and maintenance. */
export async function wireOperations(deps: {
  readonly env: Env
  readonly log: ServerLog
  readonly storage: Storage
  readonly seal: AuditSeal
  readonly cipher: PiiCipher
  readonly callers: Callers
  readonly internalToken: string | null
  readonly catalogue: EventCatalogue
  readonly isDelivering: () => boolean
  /** Wakes the delivery worker. */
  readonly wake: () => void
  readonly publish: Publisher['publish']
  readonly now: () => Date
}) {
  const { env, log, storage, seal, cipher, now } = deps
  const { vault, verifications, overview, audit, apps: directory } = storage
  const nowMs = () => performance.now()

  const disk = await startDiskWatch(env, log)
  const metrics = createMetrics({
    queue: storage.queue,
    feed: storage.feed,
    disk,
    droppedLogLines: () => log.droppedLines(),
  })
  const failures = createFailedAuthentications({ log, count: metrics.authenticationFailed })
  const tokenPurge = createTokenPurge({
    vault,
    verifications,
    overview,
    audit,
    seal,
    nowMs,
    log,
    checkpointPath: env.auditCheckpoints,
    mostInADay: env.purgeTokensPerDay,
    onPurged: metrics.tokensPurged,
  })
  const writeCheckpoints = createCheckpointWriter({
    path: env.auditCheckpoints,
    seal,
    logs: [audit, vault.audit].filter((one) => one !== null),
    now,
  })
  const maintenance = createMaintenance({
    writeCheckpoints,
    vault,
    tokenPurge,
    nowMs,
    log,
    oldRows: {
      retention: { removeOld: () => storage.retention.removeOld(env.retention) },
      portalSessions: storage.portalSessions,
    },
    apiKeys: { directory, cipher, now },
    rewrapHeaders: (shouldContinue) =>
      deps.callers.endpointHeaders.rewrap(shouldContinue, (endpoint) => log.warn(headersDamaged, endpoint)),
    publishStatusChanges: env.kycStatusEvents
      ? () =>
          publishStatusChanges({
            outbox: storage.statusOutbox,
            users: storage.users,
            webhooks: storage.webhooks,
            publish: deps.publish,
          })
      : null,
    onEnded: metrics.maintenanceEnded,
    recoveryPauseMs: env.recoveryPauseMs,
    async recoverEvents() {
      const steps = await recoverEvents({
        store: storage.recoveries,
        grants: deps.callers.grants,
        newId: uuidv7,
        eventTypes: deps.catalogue.eventTypes,
      })
      if (steps > 0) deps.wake()
      return steps
    },
  })
  const { probes, beginStopping } = createReadiness({
    // The checks write, because a read-only database is not sufficient.
    database: () => storage.tryWrite(),
    vault: () => vault.tryWrite(),
    disk,
    worker: servesWorker(env) ? { isDelivering: deps.isDelivering, tokenPurge } : null,
    nowMs,
  })

  const metricsTokens = [deps.internalToken, env.metricsToken].filter((token) => token !== null)
  const metricsRefused = (listener: 'api' | 'internal') => (authorization: string | undefined, requestId: string) => {
    const reason = failureOf(authorization, 'METRICS_TOKEN_MISSING', 'METRICS_TOKEN_INVALID')
    failures.note({ listener, reason, requestId })
  }
  const operationsTokens = env.operationsHost === null || isLoopbackAddress(env.operationsHost) ? null : metricsTokens
  return {
    disk,
    metrics,
    failures,
    probes,
    maintenance,
    writeCheckpoints,
    beginStopping,
    /** `GET /metrics` of the standard API. */
    metricsRoute: createMetricsRoute(metrics, env.production ? metricsTokens : null, metricsRefused('api')),
    /** App with probes and metrics for a process without an internal API. */
    operationsApp: createOperationsApp({
      probes,
      metrics,
      metricsTokens: operationsTokens,
      log,
      onRefused: metricsRefused('internal'),
    }),
  }
}
