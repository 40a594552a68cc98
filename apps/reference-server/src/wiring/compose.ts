import { createIngestion } from '@kyc-relay/kyc-core'
import { createLocalAuditSeal, createLocalCipher, type KeyFile } from '@kyc-relay/kyc-core/node'
import { moveTransaction, prepareEvent, prepareTestEvent } from '@kyc-relay/webhooks/delivery'
import { checkEndpointUrl, createHttpsDownloader, createHttpsSender } from '@kyc-relay/webhooks/https'
import { uuidv7 } from 'uuidv7'
import { createCheckpointWriter } from '../operations/audit/checkpoint-file.js'
import { createKeyRotationDryRun } from '../webhooks-api/key-rotation-dry-run.js'
import { createStandardApp } from '../webhooks-api/standard-app.js'
import { createTokenizedHandler } from '../submissions/tokenized-handler.js'
import { createTestEvents } from '../webhooks-api/test-event.js'
import { createEmbeddedAccessTokens, withIssuedTokens } from '../identity/access-tokens.js'
import { createApiKeys } from '../identity/api-keys.js'
import { submissionScope } from '../identity/bearer.js'
import { createFailedAuthentications, failureOf } from '../identity/failed-authentications.js'
import { createGrantLookup } from '../identity/grants.js'
import { startDiskWatch } from '../operations/disk-space/disk-watch.js'
import type { Env } from '../env.js'
import { createGraphqlEndpoint } from '../submissions/graphql-endpoint.js'
import { graphqlPath, graphqlRoute } from '../submissions/route.js'
import { secureRules, secureSchema, standardSchema } from '../submissions/schema.js'
import { createRequestLimits } from '../http/request-limits.js'
import { eraseUser } from '../operator-api/erase-user.js'
import { createInternalApp } from '../operator-api/internal-app.js'
import type { ServerLog } from '../operations/log.js'
import { createMigrationLog } from '../operations/migration-log.js'
import { createMetricsRoute } from '../operations/metrics-route.js'
import { createMetrics } from '../operations/metrics.js'
import { createOperationsApp } from '../operations/operations-app.js'
import { checkReadiness, onceASecond } from '../operations/readiness.js'
import { isLoopbackAddress } from '../http/loopback-address.js'
import { createAddressFilter } from '../events/address-filter.js'
import { openPhotoStore } from '../photos/open-photo-store.js'
import { createPhotoFetching, wakingForPhotos } from '../photos/photo-fetching.js'
import { createSecureApp } from '../submissions/secure-app.js'
import { createClearHandler } from '../submissions/clear-handler.js'
import { openStorage, type StoreFailure } from './storage.js'
import { hideFromTracing, tracePublishing, traceTransactions } from '../operations/tracing/event-spans.js'
import { tracedHandler } from '../operations/tracing/request-spans.js'
import { traceIngestion, traceSubmissionPorts } from '../operations/tracing/submission-spans.js'
import { createEventDelivery, isDelivering } from '../events/deliver.js'
import { createMaintenance } from '../operations/maintenance/maintenance.js'
import { createTokenPurge } from '../operations/maintenance/token-purge.js'

/** What the server is made of once its files and keys are there. */
export interface ComposeInput {
  readonly env: Env
  readonly keys: KeyFile
  /** Null where the role serves no internal API. */
  readonly internalToken: string | null
  /** PEM of the local CA, trusted for `https://localhost` where loopback receivers are allowed. */
  readonly localCaPem: string | null
  readonly log: ServerLog
  /** Called once when the disk failed: no later write is accepted, so the process should end. */
  readonly onStoreFailure: (failure: StoreFailure) => void
}

/**
 * Puts the parts together. Two paths run through here:
 *
 * a submission: secure app → handler → `ingestSubmission` → vault and verification store;
 * an event: internal app → `prepareEvent` → `insertEvent` → delivery worker → guarded HTTPS → the partner's receiver.
 */
export async function compose({ env, keys, internalToken, localCaPem, log, onStoreFailure }: ComposeInput) {
  const now = () => new Date()
  const cipher = createLocalCipher({ keys })
  const auditSeal = createLocalAuditSeal({ keys })
  const storage = await openStorage(
    env,
    { cipher, audit: auditSeal },
    onStoreFailure,
    createMigrationLog(log, () => performance.now()),
  )
  const { apps: directory, users, overview, vault } = storage
  const { verifications, tokenizer } = traceSubmissionPorts(storage.verifications, storage.vault)
  const photos = await openPhotoStore(env, now)
  const disk = await startDiskWatch(env, log)
  const webhooks = tracePublishing(disk.gate(storage.webhooks, 'insertEvent'))
  const transactions = traceTransactions(disk.gate(storage.transactions, 'moveTransaction'))
  const metrics = createMetrics({ queue: storage.queue, droppedLogLines: () => log.droppedLines(), disk })

  const failures = createFailedAuthentications({
    log,
    count: metrics.authenticationFailed,
    schedule: (callback, delayMs) => void setTimeout(callback, delayMs).unref(),
  })
  const metricsRefused = (listener: 'api' | 'internal') => (authorization: string | undefined, requestId: string) => {
    const reason = failureOf(authorization, 'METRICS_TOKEN_MISSING', 'METRICS_TOKEN_INVALID')
    failures.note({ listener, reason, requestId })
  }
  const metricsTokens = [internalToken, env.metricsToken].filter((token) => token !== null)

  let stopping = false
  // A database that only reads is of no use: the checks write.
  const tryDatabase = onceASecond(
    () => storage.tryWrite(),
    () => performance.now(),
  )
  const tryVault = onceASecond(
    () => vault.tryWrite(),
    () => performance.now(),
  )
  const probes = {
    readiness: () =>
      checkReadiness(
        {
          database: tryDatabase,
          vault: tryVault,
          ...(servesWorker(env) ? { worker: () => isDelivering(worker.status()) } : {}),
        },
        () => stopping,
        {
          disk: () => (disk.isLow() ? 'low' : 'ok'),
          ...(servesWorker(env) ? { tokenPurge: () => (tokenPurge.isRefused() ? 'refused' : 'ok') } : {}),
        },
      ),
  }

  const embeddedTokens = createEmbeddedAccessTokens(directory, now)
  const accessTokens = await withIssuedTokens(embeddedTokens, directory, env)
  const apiKeys = createApiKeys({ directory, cipher, now })
  const grants = createGrantLookup(directory)
  const findAppName = async (appId: string) => (await directory.findApp(appId))?.name ?? null

  const limits = createRequestLimits({
    policies: {
      app: { perMinute: env.restRequestsPerMinute },
      token: { perMinute: env.graphqlRequestsPerMinute },
      'failed-authentication': { perMinute: env.failedAuthenticationsPerMinute },
    },
    nowMs: () => performance.now(),
  })

  // A submission.
  const ingestion = metrics.observed(
    traceIngestion(
      createIngestion({
        verifications: wakingForPhotos(verifications, () => photoWorker.wake()),
        tokenizer,
        inspector: vault,
        now,
        newId: uuidv7,
        policy: {
          allowLoopbackPhotos: env.allowLoopbackReceivers,
          ...env.submissionPolicy,
          providers: env.kycProviders,
        },
      }),
    ),
  )
  const secureApp = createSecureApp({
    graphql: tracedHandler(
      'secure',
      graphqlPath,
      graphqlRoute({
        endpoint: createGraphqlEndpoint({
          schema: secureSchema,
          handler: createClearHandler(disk.gate(ingestion, 'ingestSubmission'), log),
          validationRules: secureRules,
        }),
        accessTokens,
        limits,
        failures,
        requiredScope: submissionScope,
        listener: 'secure',
        log,
      }),
    ),
    probes,
    log,
  })

  // An event.
  const endpointPolicy = {
    ownHosts: env.publicHosts,
    ...(env.allowLoopbackReceivers && localCaPem !== null ? { allowLoopback: { caPem: localCaPem } } : {}),
  }
  const isAllowedAddress = createAddressFilter()
  const send = hideFromTracing(createHttpsSender({ policy: endpointPolicy, isAllowedAddress }))
  const worker = createEventDelivery({
    store: webhooks,
    signingKeys: apiKeys,
    grants,
    send,
    now,
    retryBaseMs: env.deliveryRetryBaseMs,
    metrics: metrics.worker,
    log,
  })
  const photoWorker = createPhotoFetching({
    jobs: storage.photoJobs,
    photos,
    vault,
    download: hideFromTracing(createHttpsDownloader({ policy: endpointPolicy, isAllowedAddress, accept: 'image/*' })),
    metrics: metrics.photos,
    log,
    disk,
  })
  const publishing = { grants, endpoints: webhooks, now, newId: uuidv7 }
  const internalApp = createInternalApp({
    internalToken,
    async publish(event) {
      const prepared = await prepareEvent(event, publishing)
      const inserted = await webhooks.insertEvent(prepared)
      metrics.eventPublished(prepared.type, inserted)
      worker.wake()
      return inserted
    },
    transactions: {
      async move(request) {
        const moved = await moveTransaction(request, { ...publishing, transactions })
        metrics.eventPublished(moved.eventType, moved.event)
        worker.wake()
        return moved
      },
      newId: uuidv7,
    },
    vault: {
      vault,
      eraseUser: (userId) => eraseUser(userId, { users, vault, photos, now }),
    },
    apps: { directory, apiKeys, cancelPending: (request) => webhooks.cancelPending(request) },
    embeddedTokens: { directory, accessTokens: embeddedTokens },
    failures,
    probes,
    metrics,
    log,
  })

  // Reading, registration, delivery log.
  const standardApp = createStandardApp({
    graphql: tracedHandler(
      'api',
      graphqlPath,
      graphqlRoute({
        endpoint: createGraphqlEndpoint({
          schema: standardSchema({ ingestion, verifications, photoJobs: storage.photoJobs }),
          handler: createTokenizedHandler(disk.gate(ingestion, 'ingestTokenizedSubmission'), env, log),
        }),
        accessTokens,
        limits,
        failures,
        requiredScope: null,
        listener: 'api',
        log,
      }),
    ),
    webhooks: {
      apiKeys,
      store: webhooks,
      checkUrl: (url) => checkEndpointUrl(url, endpointPolicy),
      testEvents: createTestEvents({
        apiKeys,
        store: webhooks,
        findAppName,
        now,
        newId: uuidv7,
        wake: () => worker.wake(),
      }),
      dryRunKeyRotation: createKeyRotationDryRun({
        apiKeys,
        listEndpoints: (appId) => webhooks.listEndpoints(appId),
        prepare: (request) => prepareTestEvent(request, publishing),
        send,
        now,
      }),
      limits,
      failures,
      wake: () => worker.wake(),
      now,
    },
    portal: {
      operator: {
        verifications,
        photoJobs: storage.photoJobs,
        overview,
        listAppsOfUser: (userId) => users.listAppsOfUser(userId),
        findAppName,
        now,
      },
      internalToken: env.operatorPortal ? internalToken : null,
      sessions: storage.portalSessions,
    },
    probes,
    metrics: createMetricsRoute(metrics, env.production ? metricsTokens : null, metricsRefused('api')),
    log,
  })

  const writeCheckpoints = createCheckpointWriter({
    path: env.auditCheckpoints,
    seal: auditSeal,
    logs: [storage.audit, vault.audit].filter((one) => one !== null),
    now,
  })
  const tokenPurge = createTokenPurge({
    vault,
    verifications,
    overview,
    audit: storage.audit,
    seal: auditSeal,
    checkpointPath: env.auditCheckpoints,
    mostInADay: env.purgeTokensPerDay,
    nowMs: () => performance.now(),
    log,
    onPurged: metrics.tokensPurged,
  })
  const maintenance = createMaintenance({
    writeCheckpoints,
    vault,
    tokenPurge,
    retention: { removeOld: () => storage.retention.removeOld(env.retention) },
    apiKeys: { directory, cipher, now },
    nowMs: () => performance.now(),
    log,
  })

  return {
    secureApp,
    internalApp,
    standardApp,
    operationsApp: createOperationsApp({
      probes,
      metrics,
      metricsTokens: env.operationsHost === null || isLoopbackAddress(env.operationsHost) ? null : metricsTokens,
      onRefused: metricsRefused('internal'),
      log,
    }),
    metrics,
    disk,
    worker,
    photoWorker,
    maintenance,
    writeCheckpoints,
    storage,
    directory,
    apiKeys,
    accessTokens: embeddedTokens,
    /** From now on the server says that it is not ready. */
    beginStopping() {
      stopping = true
    },
  }
}

/** Whether deliveries are sent by this process. */
export function servesWorker(env: Pick<Env, 'role'>): boolean {
  return env.role === 'all' || env.role === 'worker'
}
