import {
  explainAttempt,
  reproducibleCurl,
  type AttemptRecord,
  type DeliveryRecord,
  type Endpoint,
  type WebhookStore,
} from '@kyc-relay/webhooks/delivery'
import type { FeedItem } from '@kyc-relay/webhooks/internal'
import type * as z from 'zod'
import type { KeyVersion } from '../identity/api-keys.js'
import type { feedPage } from './recovery-schemas.js'
import type * as keys from './key-schemas.js'
import type * as schemas from './webhook-schemas.js'

type Health = Awaited<ReturnType<WebhookStore['listEndpointHealth']>>[number]

/** Converts an endpoint for the API. @param health Undefined for a new one. */
export function presentEndpoint(
  endpoint: Omit<Endpoint, 'lineageId'>,
  health: Health | undefined,
): z.input<typeof schemas.endpoint> {
  const failingSince = health?.failingSince ?? null
  return {
    id: endpoint.endpointId,
    endpointId: endpoint.endpointId,
    url: endpoint.url,
    eventTypes: [...(endpoint.eventTypes ?? [])],
    allEvents: endpoint.eventTypes === null,
    description: endpoint.description,
    standardWebhooks: endpoint.standardWebhooks,
    headerNames: [...(endpoint.headers?.names ?? [])],
    state: endpointState(endpoint, failingSince),
    pausedBy: endpoint.pausedBy,
    failingSince: failingSince?.toISOString() ?? null,
    lastSuccessAt: health?.lastSuccessAt?.toISOString() ?? null,
    createdAt: endpoint.createdAt.toISOString(),
  }
}

/** The state of an endpoint. */
export function endpointState({ pausedBy }: Pick<Endpoint, 'pausedBy'>, failingSince: Date | null) {
  if (pausedBy !== null) return 'PAUSED'
  return failingSince === null ? 'HEALTHY' : 'FAILING'
}

/** Converts a delivery for the list. */
export function presentDelivery(delivery: DeliveryRecord): z.input<typeof schemas.delivery> {
  return {
    id: delivery.deliveryId,
    deliveryId: delivery.deliveryId,
    eventId: delivery.eventId,
    xEventId: delivery.xEventId,
    eventType: delivery.eventType,
    test: delivery.test,
    endpointId: delivery.endpointId,
    url: delivery.url,
    status: delivery.state,
    attemptsMade: delivery.attemptsMade,
    createdAt: delivery.createdAt.toISOString(),
    nextAttemptAt: delivery.nextAttemptAt?.toISOString() ?? null,
    endedAt: delivery.endedAt?.toISOString() ?? null,
    cancelReason: delivery.cancelReason,
    resendOf: delivery.resendOf,
    httpStatus: delivery.httpStatus,
    latencyMs: delivery.latencyMs,
  }
}

type FoundDelivery = NonNullable<Awaited<ReturnType<WebhookStore['findDelivery']>>>

/** Converts a delivery with its body, its attempts, and a command that sends it again. */
export function presentDeliveryDetail(
  found: FoundDelivery,
  headerNames: readonly string[],
): z.input<typeof schemas.deliveryDetail> {
  const erased = found.body.byteLength === 0
  return {
    ...presentDelivery(found),
    body: erased ? null : utf8(found.body),
    curl: erased ? null : reproducibleCurl({ ...found, headerNames }),
    attempts: found.attempts.map((attempt) => presentAttempt(attempt, found.url)),
  }
}

function presentAttempt(attempt: AttemptRecord, url: string): z.input<typeof schemas.attempt> {
  const { report } = attempt
  return {
    number: attempt.number,
    state: attempt.state,
    startedAt: attempt.startedAt.toISOString(),
    endedAt: attempt.endedAt?.toISOString() ?? null,
    cause: report?.cause ?? null,
    explanation: report === null ? null : { ...explainAttempt(report, url) },
    httpStatus: report?.status ?? null,
    address: report?.address ?? null,
    timings: report === null ? null : { ...report.timings },
    responseHeaders: { ...report?.responseHeaders },
    responseBody: report?.responseBody == null ? null : utf8(report.responseBody),
    keyVersion: report?.keyVersion ?? null,
  }
}

/** Converts an event of the feed for the API. */
export function presentFeedItem({
  eventId,
  type,
  createdAt,
  body,
  deliveries,
}: FeedItem): z.input<typeof feedPage>['items'][number] {
  return {
    eventId,
    eventType: type,
    createdAt: createdAt.toISOString(),
    body: utf8(body),
    deliveries: deliveries.map(({ endpointId, xEventId, state }) => ({ endpointId, xEventId, status: state })),
  }
}

/** Converts a version of the API key for the API. */
export function presentKeyVersion(key: KeyVersion): z.input<typeof keys.apiKey> {
  return {
    version: key.version,
    state: key.state,
    createdAt: key.createdAt.toISOString(),
    signsFrom: key.signsFrom.toISOString(),
    retiredAt: key.retiredAt?.toISOString() ?? null,
  }
}

/** Decodes UTF-8; invalid bytes become U+FFFD. */
function utf8(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}
