import { createLocalAuditSeal, createLocalCipher, type KeyFile } from '@kyc-relay/kyc-core/node'
import type { Env } from '../env.js'
import type { Operator } from '../identity/operators.js'
import { createEventCatalogue, type OwnCatalogueType } from '../events/event-catalogue.js'
import { isDelivering } from '../events/deliver.js'
import type { ServerLog } from '../operations/log.js'
import { createMigrationLog } from '../operations/migration-log.js'
import { openPhotoStore } from '../photos/open-photo-store.js'
import { wireCallers } from './callers.js'
import { wireEvents } from './events.js'
import { wireInternalApi } from './internal-api.js'
import { wireOperations } from './operations.js'
import { wireStandardApi } from './standard-api.js'
import { createCursorSeal } from '../storage/sealed-cursors.js'
import { openStorage, type StoreFailure } from './storage.js'
import { wireSubmissions } from './submissions.js'

/** Input for the parts of the server: settings, files and keys. */
export interface ServerInput {
  readonly env: Env
  readonly keys: KeyFile
  /** Null if the role serves no internal API. */
  readonly internalToken: string | null
  readonly operators: readonly Operator[]
  readonly ownEventTypes: readonly OwnCatalogueType[]
  /** PEM of the local CA, trusted for `https://localhost` if loopback receivers are allowed. */
  readonly localCaPem: string | null
  readonly log: ServerLog
  /** Called once when the disk failed. Later writes are refused, so the process should end. */
  readonly onStoreFailure: (failure: StoreFailure) => void
}

/** All parts of a running server. */
export type ServerParts = Awaited<ReturnType<typeof openServerParts>>

/** Data keys of users to keep unwrapped: as many as the vault keeps for event bodies. */
const cachedDataKeys = 20_000

/**
 * Opens the databases and connects the parts. The submission flow is in `submissions.ts`, the event flow in
 * `events.ts`.
 */
export async function openServerParts(input: ServerInput) {
  const { env, keys, log } = input
  const now = () => new Date()
  const cipher = createLocalCipher({ keys, cachedDataKeys })
  const seal = createLocalAuditSeal({ keys })
  const catalogue = createEventCatalogue({ kycStatusEvents: env.kycStatusEvents, own: input.ownEventTypes })
  const photos = await openPhotoStore(env, now)
  const cursors = createCursorSeal(keys)
  // Last of what can fail: nobody would close the databases.
  const migrationLog = createMigrationLog(log, () => performance.now())
  const storage = await openStorage(env, { cipher, audit: seal }, input.onStoreFailure, migrationLog)

  const callers = await wireCallers({ env, storage, cipher, now })
  const operations = await wireOperations({
    env,
    log,
    storage,
    seal,
    cipher,
    callers,
    now,
    catalogue,
    internalToken: input.internalToken,
    isDelivering: () => isDelivering(events.worker.status()),
    wake: () => events.worker.wake(),
    publish: (event) => events.publisher.publish(event),
  })
  const events = wireEvents({ env, log, storage, operations, callers, catalogue, localCaPem: input.localCaPem, now })
  const submissions = wireSubmissions({
    env,
    log,
    storage,
    operations,
    callers,
    download: events.download,
    isPhotoUrlAllowed: events.isPhotoUrlAllowed,
    photos,
    cursors,
    now,
  })
  const apis = { ...input, storage, operations, callers, events, catalogue, now }
  return {
    ...operations,
    secureApp: submissions.secureApp,
    internalApp: wireInternalApi({
      wakePhotos: () => submissions.photoWorker.wake(),
      ...apis,
      photos,
      closedAccountYears: env.closedAccountRetentionYears === 0 ? null : env.closedAccountRetentionYears,
    }),
    standardApp: wireStandardApi({ ...apis, cursors, graphql: submissions.standardGraphql }),
    worker: events.worker,
    photoWorker: submissions.photoWorker,
    storage,
    directory: storage.apps,
    apiKeys: callers.apiKeys,
    endpointHeaders: callers.endpointHeaders,
    accessTokens: callers.embeddedTokens,
  }
}
