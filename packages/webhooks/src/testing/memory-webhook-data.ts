import type { Endpoint, EndpointHour, InsertedEvent, OriginalEvent, PreparedEvent } from '../delivery/webhook-store.js'
import type { EventPlace, RecoveryProgress, RecoveryRange } from '../recovery/recovery-store.js'
import type { EventName } from '../events/event-types.js'
import { wasGranted } from '../publishing/grants.js'
import { matchEndpoints } from '../publishing/match-endpoints.js'
import type { TransactionMove, TransactionRecord } from '../publishing/transaction-store.js'
import type { StoredDelivery, StoredEndpoint } from './memory-records.js'

/** An event that was written. */
export interface StoredEvent {
  readonly inserted: InsertedEvent
  /** Its body is blanked with {@link blankBodies}. */
  event: PreparedEvent
  readonly place: EventPlace
}

/** A recovery and how far it came. */
export interface StoredRecovery {
  readonly range: Omit<RecoveryRange, 'after' | 'endpointId'>
  /** Changes when its endpoint is replaced. */
  endpointId: string
  after: EventPlace | null
  progress: RecoveryProgress
}

/** Data that stores in memory share. Several stores on the same data are handles on one backend. */
export interface MemoryWebhookData {
  readonly endpoints: Map<string, StoredEndpoint>
  /** Lineage ids by app and URL. */
  readonly lineages: Map<string, string>
  /** In the order of publishing. */
  readonly events: Map<string, StoredEvent>
  /** Event ids by app and `sourceEventId`. */
  readonly eventsBySource: Map<string, string>
  readonly deliveries: Map<string, StoredDelivery>
  /** Those of them that are `PENDING`, so that a claim does not read all. */
  readonly pending: Map<string, StoredDelivery>
  readonly transactions: Map<string, TransactionRecord>
  /** Status change of each transaction event, by event id. */
  readonly moves: Map<string, TransactionMove>
  /** Counts by app, endpoint, hour and cause. */
  readonly hours: Map<string, EndpointHour & { readonly appId: string }>
  /** In the order of their starts. */
  readonly recoveries: Map<string, StoredRecovery>
  /** Callbacks for due deliveries. */
  readonly listeners: Set<() => void>
  /** Counter that orders the records. */
  lastSequence: number
}

/**
 * Creates empty data for {@link createMemoryWebhookStore} and {@link createMemoryTransactionStore}.
 *
 * @example
 * ```ts
 * import { createMemoryWebhookData, createMemoryWebhookStore } from '@kyc-relay/webhooks/testing'
 *
 * // Two handles on the same rows, as two processes have them.
 * const data = createMemoryWebhookData()
 * const [one, other] = [createMemoryWebhookStore({ data }), createMemoryWebhookStore({ data })]
 * ```
 */
export function createMemoryWebhookData(): MemoryWebhookData {
  return {
    endpoints: new Map(),
    lineages: new Map(),
    events: new Map(),
    eventsBySource: new Map(),
    deliveries: new Map(),
    pending: new Map(),
    transactions: new Map(),
    moves: new Map(),
    hours: new Map(),
    recoveries: new Map(),
    listeners: new Set(),
    lastSequence: 0,
  }
}

export function nextSequence(data: MemoryWebhookData): number {
  return (data.lastSequence += 1)
}

/** Finds an app's event by its `sourceEventId`. */
export function findBySource(
  data: MemoryWebhookData,
  appId: string,
  sourceEventId: string | null,
): StoredEvent | undefined {
  return sourceEventId === null
    ? undefined
    : data.events.get(data.eventsBySource.get(sourceKey(appId, sourceEventId)) ?? '')
}

/** What a second publish is compared with. */
export const originalOf = ({ userId, type, body }: PreparedEvent): OriginalEvent => ({
  userId,
  type,
  body: body.slice(),
})

/** Answers for a known `sourceEventId`; null if the event is to be written. */
export function answerFromSource(data: MemoryWebhookData, event: PreparedEvent): InsertedEvent | null {
  const original = findBySource(data, event.appId, event.sourceEventId)
  if (original === undefined) return null
  if (!wasGranted(original.inserted.withheld) && event.withheld === null) return null
  return answerAgain(data, original)
}

/** The answer for an event that was written before: its deliveries may have moved to other endpoints. */
export function answerAgain(data: MemoryWebhookData, { inserted, event }: StoredEvent): InsertedEvent {
  const deliveries = inserted.deliveries.map(({ deliveryId, endpointId }) => ({
    deliveryId,
    endpointId: data.deliveries.get(deliveryId)?.endpointId ?? endpointId,
  }))
  return { ...inserted, deliveries, duplicate: true, original: originalOf(event) }
}

/** Live endpoints of an app, oldest first. */
export function listLive(data: MemoryWebhookData, appId: string): Endpoint[] {
  return [...data.endpoints.values()]
    .filter((stored) => !stored.removed && stored.endpoint.appId === appId)
    .map(({ endpoint }) => endpoint)
    .sort((one, other) => one.createdAt.getTime() - other.createdAt.getTime())
}

/** The heir of a removed endpoint: the newest live endpoint of its lineage that takes the type. Without one, the reason. */
export function findHeir(data: MemoryWebhookData, { endpoint }: StoredEndpoint, type: EventName) {
  const lineage = listLive(data, endpoint.appId).filter((one) => one.lineageId === endpoint.lineageId)
  const heir = matchEndpoints(lineage, type).at(-1)
  return { heir, reason: lineage.length === 0 ? 'ENDPOINT_REMOVED' : 'TYPE_NOT_SUBSCRIBED' }
}

/** Writes a new event with its deliveries. Synchronous, so no other call runs in between. */
export function writeEvent(data: MemoryWebhookData, event: PreparedEvent, nowMs: number): InsertedEvent {
  const live = event.deliveries.flatMap((delivery) => {
    const stored = data.endpoints.get(delivery.endpointId)
    if (stored?.endpoint.appId !== event.appId) return []
    const endpoint = stored.removed ? findHeir(data, stored, event.type).heir : stored.endpoint
    return endpoint === undefined ? [] : [{ ...delivery, endpointId: endpoint.endpointId }]
  })
  const kept = live.filter(({ xEventId }, index) => live.findIndex((one) => one.xEventId === xEventId) === index)
  if (data.events.has(event.eventId) || kept.some(({ deliveryId }) => data.deliveries.has(deliveryId))) {
    throw new Error('This event id or delivery id is taken.')
  }
  const frozen = { ...structuredClone(event), deliveries: [] }
  const inserted: InsertedEvent = {
    eventId: event.eventId,
    deliveries: kept.map(({ deliveryId, endpointId }) => ({ deliveryId, endpointId })),
    withheld: event.withheld,
    duplicate: false,
    original: null,
  }
  const place = { createdAt: new Date(nowMs), position: nextSequence(data) }
  data.events.set(event.eventId, { inserted, event: frozen, place })
  if (event.sourceEventId !== null) data.eventsBySource.set(sourceKey(event.appId, event.sourceEventId), event.eventId)
  for (const delivery of kept) addDelivery(data, { event: frozen, delivery, nowMs })
  if (kept.length > 0) notifyListeners(data)
  return inserted
}

export function addDelivery(
  data: MemoryWebhookData,
  request: {
    readonly event: PreparedEvent
    readonly delivery: PreparedEvent['deliveries'][number]
    readonly nowMs: number
    readonly resendOf?: string
    readonly recovered?: boolean
  },
): void {
  const { event, delivery, nowMs, resendOf = null, recovered = false } = request
  const added: StoredDelivery = {
    ...delivery,
    event,
    createdAtMs: nowMs,
    resendOf,
    recovered,
    sequence: nextSequence(data),
    state: 'PENDING',
    dueAtMs: nowMs,
    attemptsMade: 0,
    open: null,
    attempts: [],
    unsentSinceMs: null,
    endedAtMs: null,
    cancelReason: null,
    cancelRequested: null,
  }
  data.deliveries.set(delivery.deliveryId, added)
  data.pending.set(delivery.deliveryId, added)
}

export function notifyListeners(data: MemoryWebhookData): void {
  for (const wake of data.listeners) wake()
}

/**
 * Blanks the bodies of events without a pending delivery, as retention does in a database, for the feed and recoveries.
 *
 * @example
 * ```ts
 * import { blankBodies, createMemoryWebhookData } from '@kyc-relay/webhooks/testing'
 *
 * blankBodies(createMemoryWebhookData())
 * ```
 */
export function blankBodies(data: MemoryWebhookData): void {
  const waiting = new Set<string>()
  for (const { event } of data.pending.values()) waiting.add(event.eventId)
  for (const stored of data.events.values()) {
    if (!waiting.has(stored.event.eventId)) stored.event = { ...stored.event, body: new Uint8Array() }
  }
}

export const isTime = (value: Date | null | undefined): boolean => Number.isFinite(value?.getTime())

function sourceKey(appId: string, sourceEventId: string): string {
  return JSON.stringify([appId, sourceEventId])
}
