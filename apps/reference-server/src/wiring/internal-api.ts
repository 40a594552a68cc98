import { type PhotoStore } from '@kyc-relay/kyc-core/photos'
import { isPhotoUrl } from '@kyc-relay/kyc-core/internal'
import { uuidv7 } from 'uuidv7'
import { createOperatorLookup, type Operator } from '../identity/operators.js'
import type { Env } from '../env.js'
import type { EventCatalogue } from '../events/event-catalogue.js'
import type { Log } from '../operations/log.js'
import { eraseUser } from '../operator-api/erase-user.js'
import { createInternalApp } from '../operator-api/internal-app.js'
import type { Callers } from './callers.js'
import type { Events } from './events.js'
import type { Operations } from './operations.js'
import type { Storage } from './storage.js'

/** Creates the internal API for other services of the operator: events, transactions, vault, apps, keys and tokens. */
export function wireInternalApi(deps: {
  readonly internalToken: string | null
  readonly operators: readonly Operator[]
  readonly log: Log
  readonly storage: Storage
  readonly operations: Operations
  readonly callers: Callers
  readonly events: Events
  readonly catalogue: EventCatalogue
  readonly photos: PhotoStore
  readonly env: Pick<Env, 'allowLoopbackReceivers'>
  /** Wakes the photo worker of this process. */
  readonly wakePhotos: () => void
  /** Years after the closure of an account until its data may be erased; null if not set. */
  readonly closedAccountYears: number | null
  readonly now: () => Date
}) {
  const { storage, callers, events, photos, now } = deps
  const { vault, users, userRecords, userRetention, webhooks, overview, verifications, photoJobs, corrections } =
    storage
  const { failures, probes, metrics } = deps.operations
  const directory = storage.apps
  return createInternalApp({
    internalToken: deps.internalToken,
    findOperator: createOperatorLookup(deps.operators),
    limits: callers.limits,
    publisher: events.publisher,
    catalogue: deps.catalogue,
    newId: uuidv7,
    vault: { vault },
    userExport: {
      users,
      userRecords,
      userRetention,
      verifications,
      photoJobs,
      corrections,
      vault,
      webhooks,
      now,
      apps: directory,
      bodySealer: vault.bodySealer,
      newId: uuidv7,
    },
    userRights: {
      userRetention,
      now,
      years: deps.closedAccountYears,
      eraseUser: (request) => eraseUser(request, { userRetention, users, vault, photos, newId: uuidv7, now }),
    },
    apps: { directory, apiKeys: callers.apiKeys, cancelPending: (request) => webhooks.cancelPending(request) },
    kycStatuses: { corrections, listAppsOfUser: (userId) => users.listAppsOfUser(userId), now },
    evidence: {
      corrections,
      overview,
      verifications,
      photoJobs,
      photos,
      vault,
      isPhotoUrl: (url) => isPhotoUrl(url, deps.env.allowLoopbackReceivers) && events.isPhotoUrlAllowed(url),
      wakePhotos: deps.wakePhotos,
    },
    endpoints: { store: events.store, wake: () => events.worker.wake() },
    reads: {
      reads: storage.operatorReads,
      directory,
      auditLogs: { stores: storage.audit, vault: vault.audit },
    },
    portal: {
      overview,
      verifications,
      photoJobs,
      now,
      operators: deps.operators,
      portalSessions: storage.portalSessions,
      findAppName: callers.findAppName,
      listAppsOfUser: (userId) => users.listAppsOfUser(userId),
      recordSignIn: (signIn) => directory.recordSignIn(signIn),
    },
    embeddedTokens: { directory, accessTokens: callers.embeddedTokens },
    failures,
    probes,
    metrics,
    log: deps.log,
  })
}
