import { prepareTestEvent } from '@kyc-relay/webhooks/delivery'
import type { Handler } from 'hono'
import { uuidv7 } from 'uuidv7'
import type { Env } from '../env.js'
import type { EventCatalogue } from '../events/event-catalogue.js'
import { createRecoveryCounter } from '../events/recovery-counter.js'
import { isLoopbackAddress } from '../http/loopback-address.js'
import type { EdgeEnv } from '../http/request-context.js'
import type { Log } from '../operations/log.js'
import { createKeyRotationDryRun } from '../webhooks-api/key-rotation-dry-run.js'
import { createStandardApp } from '../webhooks-api/standard-app.js'
import { createTestEvents } from '../webhooks-api/test-event.js'
import type { Callers } from './callers.js'
import type { Events } from './events.js'
import type { Operations } from './operations.js'
import { sealDeliveryPages, sealFeed, type CursorSeal } from '../storage/sealed-cursors.js'
import type { Storage } from './storage.js'

/** Creates the standard API: GraphQL, the webhooks API of partners, and the portal. */
export function wireStandardApi(deps: {
  readonly env: Env
  readonly log: Log
  readonly storage: Storage
  readonly operations: Operations
  readonly callers: Callers
  readonly events: Events
  readonly catalogue: EventCatalogue
  readonly graphql: Handler<EdgeEnv>
  readonly cursors: CursorSeal
  readonly now: () => Date
}) {
  const { env, log, storage, events, catalogue, now } = deps
  const { verifications, photoJobs, overview } = storage
  const { apiKeys, endpointHeaders, findAppName, limits } = deps.callers
  const { failures, probes, metricsRoute } = deps.operations
  const { store, publisher, send, checkUrl } = events
  const { eventTypes } = catalogue
  const testing = { endpoints: store, now, newId: uuidv7, eventTypes }
  return createStandardApp({
    graphql: deps.graphql,
    graphiql: !env.production && isLoopbackAddress(env.host),
    webhooks: {
      apiKeys,
      checkUrl,
      limits,
      failures,
      now,
      grants: deps.callers.grants,
      store: sealDeliveryPages(store, deps.cursors),
      reconciliation: { overview, verifications, photoJobs },
      sealHeaders: endpointHeaders.seal,
      bodySealer: storage.vault.bodySealer,
      recoveries: storage.recoveries,
      countRecovery: createRecoveryCounter({ recoveries: storage.recoveries, grants: deps.callers.grants, catalogue }),
      feed: sealFeed(storage.feed, deps.cursors),
      bodyAgeMs: env.retention.bodyAgeMs,
      catalogue,
      testEvents: createTestEvents({ apiKeys, store, findAppName, now, newId: uuidv7, publisher, eventTypes }),
      dryRunKeyRotation: createKeyRotationDryRun({
        apiKeys,
        listEndpoints: (appId) => store.listEndpoints(appId),
        prepare: (request) => prepareTestEvent(request, testing),
        send,
        openHeaders: endpointHeaders.open,
        now,
      }),
      wake: () => events.worker.wake(),
    },
    portal: {
      findAppName,
      portalSessions: storage.portalSessions,
      recordSignIn: (signIn) => storage.apps.recordSignIn(signIn),
    },
    probes,
    metrics: metricsRoute,
    log,
  })
}
