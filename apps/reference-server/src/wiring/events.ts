import { checkEndpointUrl, createHttpsSender } from '@kyc-relay/webhooks/https'
import { createHttpsDownloader, isDownloadUrl } from '@kyc-relay/webhooks/internal'
import { uuidv7 } from 'uuidv7'
import type { Env } from '../env.js'
import { createAddressFilter } from '../events/address-filter.js'
import type { EventCatalogue } from '../events/event-catalogue.js'
import { createEventDelivery } from '../events/deliver.js'
import { createEndpointChangeReporter, reportPauses } from '../events/endpoint-changes.js'
import { createPublisher } from '../events/publish.js'
import type { Log } from '../operations/log.js'
import { hideFromTracing } from '../operations/tracing/span.js'
import type { Callers } from './callers.js'
import type { Operations } from './operations.js'
import type { Storage } from './storage.js'

/** Parts of the event flow, with guarded HTTPS. */
export type Events = ReturnType<typeof wireEvents>

/** Creates the event flow: internal app → publisher → webhook store → delivery worker → guarded HTTPS → partner. */
export function wireEvents(deps: {
  readonly env: Env
  readonly log: Log
  readonly storage: Storage
  readonly operations: Operations
  readonly callers: Callers
  readonly localCaPem: string | null
  readonly catalogue: EventCatalogue
  readonly now: () => Date
}) {
  const { env, log, now, localCaPem } = deps
  const { eventTypes } = deps.catalogue
  const { transactions, vault } = deps.storage
  const { bodySealer } = vault
  const { disk, metrics } = deps.operations
  const { apiKeys, endpointHeaders, grants } = deps.callers
  const onEndpointChanged = createEndpointChangeReporter({ log, count: metrics.endpointChanged })
  const store = reportPauses(deps.storage.webhooks, onEndpointChanged)

  const policy = {
    ownHosts: env.publicHosts,
    ...(env.allowLoopbackReceivers && localCaPem !== null ? { allowLoopback: { caPem: localCaPem } } : {}),
  }
  const isAllowedAddress = createAddressFilter()
  const guard = {
    policy,
    isAllowedAddress,
    ...(env.outboundProxy === null ? {} : { proxy: { url: env.outboundProxy } }),
  }
  const send = hideFromTracing(createHttpsSender(guard))
  const worker = createEventDelivery({
    store,
    signingKeys: apiKeys,
    grants,
    bodySealer,
    send,
    now,
    log,
    eventTypes,
    openHeaders: endpointHeaders.open,
    retryBaseMs: env.deliveryRetryBaseMs,
    metrics: metrics.worker,
    onEndpointChanged,
  })
  return {
    store,
    worker,
    publisher: createPublisher({
      store,
      transactions,
      grants,
      bodySealer,
      now,
      newId: uuidv7,
      eventTypes,
      requireSpace: disk.requireSpace,
      count: metrics.eventPublished,
      wake: () => worker.wake(),
    }),
    send,
    download: hideFromTracing(createHttpsDownloader({ ...guard, accept: 'image/*' })),
    isPhotoUrlAllowed: (url: string) => isDownloadUrl(url, policy),
    checkUrl: (url: string) => checkEndpointUrl(url, policy),
  }
}
