// A third engine for the `WebhookStore` port: LMDB. Every method is one transaction of LMDB's single writer, so no two
// callers ever see each other's half. It scans the rows of an app; a store for much traffic keeps them by due time too.
import { randomUUID } from 'node:crypto'
import { eventTypes } from '@kyc-relay/webhooks'
import type { AttemptRecord, AttemptResult, ClaimedDelivery, DeliveryRecord } from '@kyc-relay/webhooks/delivery'
import type { Endpoint, EndpointHour, PreparedEvent, WebhookStore } from '@kyc-relay/webhooks/delivery'
import { open } from 'lmdb'

interface EndpointRow extends Endpoint {
  readonly removed: boolean
  readonly failingSince: Date | null
  readonly lastSuccessAt: Date | null
  readonly lastClaimedAt: number
}
type DeliveryPlace = PreparedEvent['deliveries'][number]
type EventRow = Omit<PreparedEvent, 'deliveries'>
interface DeliveryRow extends Omit<DeliveryRecord, 'url'> {
  readonly position: number
  readonly attempts: readonly AttemptRecord[]
  readonly lease: { readonly token: string; readonly endsAt: number } | null
  readonly unsentSince: number | null
  readonly cancelRequested: string | null
}

const hourMs = 3_600_000
const newEndpoint = { removed: false, failingSince: null, lastSuccessAt: null, lastClaimedAt: 0 }
const noAttempts = { attemptsMade: 0, attempts: [], httpStatus: null, latencyMs: null, lease: null, unsentSince: null }
const newDelivery = { ...noAttempts, endedAt: null, cancelReason: null, cancelRequested: null }

/** Opens a store in a folder. Several handles, also of several processes, work on the same folder. */
export function openWebhookStore({ path, now }: { readonly path: string; readonly now: () => Date }) {
  // A promise resolves when the write is on the disk.
  const db = open<unknown, (string | number)[]>({ path, overlappingSync: false })
  const get = <T>(...key: (string | number)[]) => db.get(key) as T | undefined
  const put = (key: (string | number)[], row: unknown) => void db.put(key, row)
  /** Rows whose keys begin with these parts: the kind of the row, its app, its id. */
  function rows<T>(...prefix: string[]): T[] {
    const range = [...db.getRange({ start: prefix, end: [...prefix, '\u{10ffff}'] })]
    return range.filter(({ key }) => prefix.every((part, n) => key[n] === part)).map(({ value }) => value as T)
  }
  /** A method as one transaction: all of it or, when it throws, nothing. */
  const atomic = <Given extends unknown[], T>(work: (...given: Given) => T) => {
    return async (...given: Given): Promise<T> => await db.childTransaction(() => work(...given))
  }
  const nowMs = () => now().getTime()
  const dueAt = ({ nextAttemptAt }: DeliveryRow) => Number(nextAttemptAt)

  const endpointOf = (appId: string, id: string) => get<EndpointRow>('endpoint', appId, id)
  const endpointsOf = (appId: string) =>
    rows<EndpointRow>('endpoint', appId).sort((a, b) => Number(a.createdAt) - Number(b.createdAt))
  const liveOf = (appId: string) => endpointsOf(appId).filter(({ removed }) => !removed)
  const deliveriesOf = (...appId: string[]) =>
    rows<DeliveryRow>('delivery', ...appId).sort((a, b) => a.position - b.position)
  const eventOf = ({ appId, eventId }: DeliveryRow) => get<EventRow>('event', appId, eventId) as EventRow
  const saveEndpoint = (row: EndpointRow) => put(['endpoint', row.appId, row.endpointId], row)
  const saveDelivery = (row: DeliveryRow) => put(['delivery', row.appId, row.deliveryId], row)
  const end = (row: DeliveryRow, state: DeliveryRow['state'], cancelReason: string | null = null) =>
    saveDelivery({ ...row, state, cancelReason, nextAttemptAt: null, endedAt: now(), lease: null })

  type NewEndpoint = Parameters<WebhookStore['registerEndpoint']>[0]
  function addEndpoint(given: NewEndpoint, lineageId: string, pausedBy: Endpoint['pausedBy']) {
    if (endpointOf(given.appId, given.endpointId)) throw new Error('This endpoint id is taken.')
    const { description = null, headers = null } = given
    saveEndpoint({ ...newEndpoint, ...given, description, headers, lineageId, pausedBy })
  }
  const lineageOf = (appId: string, url: string) => endpointsOf(appId).find((one) => one.url === url)?.lineageId
  /** The endpoint; once removed its heir: the newest live one of its lineage that takes the type. Without one, the reason. */
  function heirOf(at: EndpointRow | undefined, type: DeliveryRow['eventType']) {
    if (!at?.removed) return { heir: at, reason: null }
    const lineage = liveOf(at.appId).filter((one) => one.lineageId === at.lineageId)
    const heir = lineage.findLast((one) => (one.eventTypes ?? (eventTypes as readonly string[])).includes(type))
    return { heir, reason: lineage.length === 0 ? 'ENDPOINT_REMOVED' : 'TYPE_NOT_SUBSCRIBED' }
  }
  /** Saves what waits: at its endpoint, or at the heir of a removed one. */
  function handOver(row: DeliveryRow, at: EndpointRow): void {
    const { heir, reason } = heirOf(at, row.eventType)
    if (heir) saveDelivery({ ...row, endpointId: heir.endpointId })
    else end(row, 'CANCELLED', reason)
  }
  function remove(gone: EndpointRow): void {
    const removed = { ...gone, removed: true, headers: null }
    saveEndpoint(removed)
    const waiting = deliveriesOf(gone.appId).filter((one) => one.endpointId === gone.endpointId && one.nextAttemptAt)
    for (const one of waiting) handOver(one, removed)
  }
  const findLive = (appId: string, id: string) => liveOf(appId).find(({ endpointId }) => endpointId === id)
  function addDelivery(event: EventRow, ids: DeliveryPlace, resendOf: string | null): void {
    const { eventId, appId, userId, type: eventType, test } = event
    if (get('delivery', appId, ids.deliveryId)) throw new Error('This delivery id is taken.')
    const position = deliveriesOf(appId).length + 1
    const given = { ...ids, eventId, appId, userId, eventType, test, resendOf, position }
    saveDelivery({ ...newDelivery, ...given, state: 'PENDING', createdAt: now(), nextAttemptAt: now() })
  }

  /** Opens an attempt, or takes an open one over, under a fresh token. */
  function claim(row: DeliveryRow, leaseMs: number): ClaimedDelivery {
    const lease = { token: randomUUID(), endsAt: nowMs() + leaseMs }
    saveDelivery({ ...row, nextAttemptAt: null, lease })
    const { appId, deliveryId, eventId, xEventId, userId, eventType, test, attemptsMade } = row
    const { body, traceContext = null } = eventOf(row)
    const { endpointId, url, standardWebhooks, headers } = endpointOf(appId, row.endpointId) as EndpointRow
    const event = { deliveryId, eventId, xEventId, appId, userId, eventType, test, traceContext }
    return {
      ...event,
      fence: { appId, deliveryId, attempt: attemptsMade, token: lease.token },
      body: Uint8Array.from(body),
      endpoint: { endpointId, url, standardWebhooks, headers },
      unsentForMs: row.unsentSince === null ? 0 : nowMs() - row.unsentSince,
    }
  }

  function countAttempt(row: DeliveryRow, { fence, attempt, next }: AttemptResult): void {
    const cause = attempt.state === 'SUCCEEDED' ? null : (attempt.report.cause ?? 'INTERNAL_ERROR')
    const hour = new Date(Math.floor(nowMs() / hourMs) * hourMs)
    const key = ['hour', row.appId, row.endpointId, hour.getTime(), cause ?? '']
    const former = get<EndpointHour>(...key) ?? { attempts: 0, firstAttempts: 0, failedDeliveries: 0 }
    const attempts = former.attempts + 1
    const firstAttempts = former.firstAttempts + Number(fence.attempt === 1)
    const failedDeliveries = former.failedDeliveries + Number(next.state === 'FAILED')
    put(key, { endpointId: row.endpointId, hour, cause, attempts, firstAttempts, failedDeliveries })
  }

  /** Applies a result if its fence is current. */
  function record(result: AttemptResult): boolean {
    const { fence, attempt, next } = result
    const row = get<DeliveryRow>('delivery', fence.appId, fence.deliveryId)
    if (!row?.lease || row.lease.token !== fence.token || row.attemptsMade !== fence.attempt) return false
    const endpoint = endpointOf(row.appId, row.endpointId) as EndpointRow
    const report = row.cancelRequested === null ? attempt.report : { ...attempt.report, responseBody: null }
    const ended = { number: fence.attempt, state: attempt.state, endedAt: now(), report }
    const attempts = row.attempts.map((one) => (one.number === fence.attempt ? { ...one, ...ended } : one))
    const isSent = attempt.state !== 'UNSENT'
    if (isSent) {
      countAttempt(row, result)
      const isGood = attempt.state === 'SUCCEEDED'
      const failingSince = isGood ? null : (endpoint.failingSince ?? now())
      saveEndpoint({ ...endpoint, failingSince, lastSuccessAt: isGood ? now() : endpoint.lastSuccessAt })
    }
    const attemptsMade = row.attemptsMade - Number(!isSent)
    const unsentSince = isSent ? null : (row.unsentSince ?? nowMs())
    const answer = isSent ? { httpStatus: attempt.report.status, latencyMs: attempt.report.timings.totalMs } : {}
    const after: DeliveryRow = { ...row, ...answer, attempts, attemptsMade, unsentSince, lease: null }
    if (next.state !== 'PENDING') end(after, next.state, next.state === 'CANCELLED' ? next.reason : null)
    else if (row.cancelRequested !== null) end(after, 'CANCELLED', row.cancelRequested)
    else handOver({ ...after, nextAttemptAt: new Date(nowMs() + next.delayMs) }, endpoint)
    return true
  }

  const recordOf = (row: DeliveryRow): DeliveryRecord => {
    const { position: _, attempts: __, lease: ___, unsentSince: ____, cancelRequested: _____, ...fields } = row
    return { ...fields, url: endpointOf(row.appId, row.endpointId)?.url ?? '' }
  }
  const listed = (row: EndpointRow): Endpoint => {
    const { removed: _, failingSince: __, lastSuccessAt: ___, lastClaimedAt: ____, ...endpoint } = row
    return endpoint
  }
  const placeOf = ({ deliveryId, endpointId }: Omit<DeliveryPlace, 'xEventId'>) => ({ deliveryId, endpointId })
  const isHeld = (row: DeliveryRow) => !row.test && endpointOf(row.appId, row.endpointId)?.pausedBy !== null

  const store: WebhookStore = {
    registerEndpoint: atomic((endpoint, limitPerApp) => {
      if (liveOf(endpoint.appId).length >= limitPerApp) return 'limit_reached'
      const lineageId = lineageOf(endpoint.appId, endpoint.url) ?? endpoint.endpointId
      const last = endpointsOf(endpoint.appId).findLast((one) => one.lineageId === lineageId)?.pausedBy
      addEndpoint(endpoint, lineageId, last === 'OPERATOR' ? last : null)
      return 'registered'
    }),
    replaceEndpoint: atomic(({ appId, endpointId, replacement }) => {
      const old = findLive(appId, endpointId)
      if (!old) return 'not_found'
      if ((lineageOf(appId, replacement.url) ?? old.lineageId) !== old.lineageId) return 'url_in_use'
      addEndpoint(replacement, old.lineageId, old.pausedBy)
      remove(old)
      return 'replaced'
    }),
    removeEndpoint: atomic(({ appId, endpointId }) => {
      const old = findLive(appId, endpointId)
      if (old) remove(old)
      return old !== undefined
    }),
    listEndpoints: atomic((appId) => liveOf(appId).map(listed)),
    listEndpointHealth: atomic((appId) =>
      liveOf(appId).map(({ endpointId, failingSince, lastSuccessAt }) => ({ endpointId, failingSince, lastSuccessAt })),
    ),
    listEndpointHours: atomic(({ appId, since }) =>
      rows<EndpointHour>('hour', appId).filter(({ hour }) => Number(hour) > Number(since) - hourMs),
    ),
    pauseEndpoint: atomic(({ appId, endpointId, by }) => {
      const row = findLive(appId, endpointId)
      if (row) saveEndpoint({ ...row, pausedBy: row.pausedBy === 'OPERATOR' ? 'OPERATOR' : by })
      return row ? 'paused' : 'not_found'
    }),
    resumeEndpoint: atomic(({ appId, endpointId, by }) => {
      const row = findLive(appId, endpointId)
      if (!row) return 'not_found'
      if (row.pausedBy === 'OPERATOR' && by === 'PARTNER') return 'paused_by_operator'
      saveEndpoint({ ...row, pausedBy: null })
      return 'resumed'
    }),
    insertEvent: atomic(({ deliveries, ...event }) => {
      const { appId, eventId, sourceEventId, withheld } = event
      const sourceKey = sourceEventId === null ? null : ['source', appId, sourceEventId]
      const known = sourceKey && get<EventRow>('event', appId, get<string>(...sourceKey) ?? ' ')
      const isFree = withheld === null && known?.withheld != null && known.withheld !== 'NO_ENDPOINT'
      if (known && !isFree) {
        const { userId, type, body, withheld: reason } = known
        const original = { userId, type, body: Uint8Array.from(body) }
        const first = deliveriesOf(appId).filter((one) => one.eventId === known.eventId && one.resendOf === null)
        return { eventId: known.eventId, deliveries: first.map(placeOf), withheld: reason, duplicate: true, original }
      }
      if (get('event', appId, eventId)) throw new Error('This event id is taken.')
      const live = deliveries.flatMap((one) => {
        const to = heirOf(endpointOf(appId, one.endpointId), event.type).heir
        return to ? [{ ...one, endpointId: to.endpointId }] : []
      })
      const kept = live.filter(({ xEventId }, n) => live.findIndex((one) => one.xEventId === xEventId) === n)
      const row: EventRow = { ...event, body: Uint8Array.from(event.body) }
      put(['event', appId, eventId], row)
      if (sourceKey) put(sourceKey, eventId)
      for (const one of kept) addDelivery(row, one, null)
      return { eventId, deliveries: kept.map(placeOf), withheld, duplicate: false, original: null }
    }),
    claimDue: atomic(({ limit, leaseMs, maxInFlight, keepForHealthy }) => {
      const pending = deliveriesOf().filter(({ state }) => state === 'PENDING')
      const isDue = (one: DeliveryRow) => one.nextAttemptAt && one.nextAttemptAt <= now() && !isHeld(one)
      const offers = rows<EndpointRow>('endpoint').flatMap((endpoint) => {
        const mine = pending.filter((one) => one.appId === endpoint.appId && one.endpointId === endpoint.endpointId)
        const due = mine.filter(isDue).sort((a, b) => Number(b.test) - Number(a.test) || dueAt(a) - dueAt(b))
        const cap = endpoint.failingSince ? maxInFlight.failing : maxInFlight.healthy
        const free = Math.max(0, cap - mine.filter(({ lease }) => lease).length)
        const waitingSince = Math.max(Math.min(...due.map(dueAt)), endpoint.lastClaimedAt)
        return due.slice(0, free).map((row, round) => ({ row, round, waitingSince, endpoint }))
      })
      // One of each endpoint, then the next of each.
      offers.sort((one, other) => one.round - other.round || one.waitingSince - other.waitingSince)
      let forFailing = Math.max(0, limit - keepForHealthy)
      const chosen = offers.filter(({ endpoint }) => !endpoint.failingSince || forFailing-- > 0).slice(0, limit)
      const claimed = chosen.map(({ row, endpoint }) => {
        saveEndpoint({ ...endpoint, lastClaimedAt: nowMs() })
        const number = row.attemptsMade + 1
        const fresh: AttemptRecord = { number, state: 'STARTED', startedAt: now(), endedAt: null, report: null }
        const attempts = [...row.attempts.filter((one) => one.number !== number), fresh]
        return claim({ ...row, attemptsMade: number, attempts }, leaseMs)
      })
      const next = Math.min(...deliveriesOf().flatMap((one) => (one.nextAttemptAt && !isHeld(one) ? dueAt(one) : [])))
      return { claimed, nextDueInMs: next === Infinity ? null : Math.max(0, next - nowMs()) }
    }),
    claimExpired: atomic(({ limit, leaseMs }) => {
      const expired = deliveriesOf().filter(({ lease }) => lease && lease.endsAt <= nowMs())
      expired.sort((one, other) => (one.lease?.endsAt ?? 0) - (other.lease?.endsAt ?? 0))
      return expired.slice(0, limit).map((row) => claim(row, leaseMs))
    }),
    recordAttemptResults: atomic((results) => {
      const before = rows<EndpointRow>('endpoint')
      const stale = results.filter((result) => !record(result)).map(({ fence }) => fence)
      const healthChanges = before.flatMap(({ appId, endpointId, failingSince }) => {
        const failing = endpointOf(appId, endpointId)?.failingSince !== null
        return failing === (failingSince !== null) ? [] : [{ appId, endpointId, failing }]
      })
      return { stale, healthChanges }
    }),
    cancelPending: atomic(({ appId, userId, reason }) => {
      const pending = deliveriesOf(appId).filter((one) => one.userId === userId && one.state === 'PENDING')
      const changed = pending.filter((one) => !one.lease || one.cancelRequested === null)
      for (const one of changed.filter(({ lease }) => lease)) saveDelivery({ ...one, cancelRequested: reason })
      for (const one of changed.filter(({ lease }) => !lease)) end(one, 'CANCELLED', reason)
      return changed.length
    }),
    findDelivery: atomic(({ appId, deliveryId }) => {
      const row = get<DeliveryRow>('delivery', appId, deliveryId)
      return row ? { ...recordOf(row), body: Uint8Array.from(eventOf(row).body), attempts: row.attempts } : null
    }),
    listDeliveries: atomic(({ appId, cursor, limit, createdAfter, createdBefore, ...filter }) => {
      const [before = '', ofApp] = cursor?.split('@') ?? []
      const isOwn = cursor === undefined || (/^[1-9]\d{0,14}$/.test(before) && ofApp === appId)
      if (!isOwn) throw new Error('This store did not create the cursor.')
      const wanted = Object.entries(filter).filter(([, value]) => value !== undefined)
      const found = deliveriesOf(appId)
        .filter(({ createdAt: at }) => (!createdAfter || at >= createdAfter) && (!createdBefore || at < createdBefore))
        .filter(({ position }) => cursor === undefined || position < Number(before))
        .filter((row) => wanted.every(([field, value]) => row[field as keyof DeliveryRow] === value))
      const page = found.reverse().slice(0, limit)
      const nextCursor = found.length > limit ? `${page.at(-1)?.position}@${appId}` : null
      return { items: page.map(recordOf), nextCursor }
    }),
    resendDelivery: atomic(({ appId, deliveryId, newDeliveryId }) => {
      const row = get<DeliveryRow>('delivery', appId, deliveryId)
      if (!row) return 'not_found'
      if (row.state === 'PENDING') return 'not_finished'
      const to = heirOf(endpointOf(appId, row.endpointId), row.eventType).heir
      if (!to) return 'endpoint_removed'
      const ids = { deliveryId: newDeliveryId, endpointId: to.endpointId, xEventId: row.xEventId }
      addDelivery(eventOf(row), ids, deliveryId)
      return 'resent'
    }),
  }
  return { store, close: () => db.close() }
}
