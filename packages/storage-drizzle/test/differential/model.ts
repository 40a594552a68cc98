import type { AttemptResult, WebhookStore } from '@kyc-relay/webhooks/delivery'
import type { VerificationStore } from '@kyc-relay/kyc-core'
import { createRecoveryModel } from './model-recoveries.js'
import { createTransactionModel } from './model-transactions.js'

type Api = Pick<
  WebhookStore,
  | 'registerEndpoint'
  | 'removeEndpoint'
  | 'replaceEndpoint'
  | 'listEndpoints'
  | 'pauseEndpoint'
  | 'resumeEndpoint'
  | 'insertEvent'
  | 'claimDue'
  | 'claimExpired'
  | 'recordAttemptResults'
  | 'cancelPending'
  | 'resendDelivery'
>
type Event = Parameters<Api['insertEvent']>[0]
type Endpoint = Parameters<Api['registerEndpoint']>[0]
type Recording = Parameters<VerificationStore['record']>[0]

interface Delivery {
  id: string
  event: Event
  endpointId: string
  xEventId: string
  state: string
  attempts: { number: number; state: string; startedAt: number; endedAt: number | null; report: unknown }[]
  made: number
  createdAt: number
  dueAt: number | null
  leaseUntil: number | null
  token: string | null
  unsentSince: number | null
  endedAt: number | null
  cancelReason: string | null
  cancelRequested: string | null
  resendOf: string | null
  recovered: boolean
}

/**
 * What the stores do, as plainly as it can be said: lists, no indexes, no locks. Written from the ports alone; both
 * engines are compared with it.
 */
export function createModel(clock: () => number) {
  const endpoints: {
    endpoint: Endpoint & { lineageId: string; description: string | null; pausedBy: 'PARTNER' | 'OPERATOR' | null }
    removed: boolean
    failing: boolean
    failingSince: number | null
    lastClaimedAt: number
  }[] = []
  const published: { event: Event; at: number }[] = []
  const deliveries: Delivery[] = []
  const recorded: { recording: Recording; result: unknown; previous: string; next: string }[] = []
  const counted: {
    endpointId: string
    appId: string
    hour: number
    cause: string | null
    first: boolean
    failed: boolean
  }[] = []
  const statuses = new Map<string, 'PASS' | 'PASS_INTERNATIONAL'>()
  let tokens = 0
  /** True from a removal or cancellation until a claim leaves nothing that is due. */
  let anyTurn = false

  const live = (appId: string) => endpoints.filter((one) => !one.removed && one.endpoint.appId === appId)
  const find = (id: string) => deliveries.find((one) => one.id === id)
  const targetOf = (delivery: Delivery) => endpoints.find((one) => one.endpoint.endpointId === delivery.endpointId)

  const endedLeases = () => deliveries.filter((one) => one.leaseUntil !== null && one.leaseUntil <= clock())

  /** The newest endpoint of the lineage that takes the type, or why there is none. */
  function heirOf(endpointId: string, type: string) {
    const gone = endpoints.find((one) => one.endpoint.endpointId === endpointId)?.endpoint
    const lineage = live(gone?.appId ?? '').filter((one) => one.endpoint.lineageId === gone?.lineageId)
    const takers = lineage.filter(({ endpoint: { eventTypes } }) => eventTypes?.some((one) => one === type) ?? true)
    return {
      heir: takers.at(-1)?.endpoint.endpointId,
      reason: lineage.length === 0 ? 'ENDPOINT_REMOVED' : 'TYPE_NOT_SUBSCRIBED',
    }
  }

  function handOver(endpointId: string) {
    anyTurn = true
    for (const one of deliveries.filter((each) => each.endpointId === endpointId && each.dueAt !== null)) {
      const { heir, reason } = heirOf(endpointId, one.event.type)
      if (heir === undefined) end(one, 'CANCELLED', reason)
      else one.endpointId = heir
    }
  }

  function retire(gone: (typeof endpoints)[number]) {
    gone.removed = true
    gone.endpoint = { ...gone.endpoint, headers: null }
    handOver(gone.endpoint.endpointId)
  }

  const lineageOfUrl = ({ appId, url }: Endpoint) =>
    endpoints.find(({ endpoint }) => endpoint.appId === appId && endpoint.url === url)?.endpoint.lineageId

  const register = (endpoint: Endpoint, lineageId: string, pausedBy: 'PARTNER' | 'OPERATOR' | null) =>
    endpoints.push({
      endpoint: {
        ...endpoint,
        lineageId,
        description: endpoint.description ?? null,
        headers: endpoint.headers ?? null,
        pausedBy,
      },
      removed: false,
      failing: false,
      failingSince: null,
      lastClaimedAt: 0,
    })

  const isHeld = (one: Delivery) => !one.event.test && targetOf(one)?.endpoint.pausedBy !== null

  function add(id: string, event: Event, endpointId: string, xEventId: string, more: Partial<Delivery> = {}) {
    const at = clock()
    deliveries.push({
      id,
      event,
      endpointId,
      xEventId,
      state: 'PENDING',
      attempts: [],
      made: 0,
      createdAt: at,
      dueAt: at,
      leaseUntil: null,
      token: null,
      unsentSince: null,
      endedAt: null,
      cancelReason: null,
      cancelRequested: null,
      resendOf: null,
      recovered: false,
      ...more,
    })
  }

  function end(delivery: Delivery, state: string, reason: string | null = null) {
    Object.assign(delivery, { state, dueAt: null, endedAt: clock(), cancelReason: reason })
  }

  function claimed(delivery: Delivery, leaseMs: number) {
    Object.assign(delivery, { dueAt: null, token: `model-${tokens++}`, leaseUntil: clock() + leaseMs })
    const target = targetOf(delivery)?.endpoint
    const { event } = delivery
    return {
      fence: { appId: event.appId, deliveryId: delivery.id, attempt: delivery.made, token: delivery.token },
      deliveryId: delivery.id,
      eventId: event.eventId,
      xEventId: delivery.xEventId,
      appId: event.appId,
      userId: event.userId,
      eventType: event.type,
      test: event.test,
      body: event.body,
      endpoint: {
        endpointId: target?.endpointId,
        url: target?.url,
        standardWebhooks: target?.standardWebhooks,
        headers: target?.headers,
      },
      unsentForMs: delivery.unsentSince === null ? 0 : clock() - delivery.unsentSince,
      traceContext: event.traceContext ?? null,
    }
  }

  function recordOne({ fence, attempt, next }: AttemptResult): boolean {
    const delivery = find(fence.deliveryId)
    const target = delivery && targetOf(delivery)
    if (!delivery || !target || delivery.token !== fence.token || delivery.made !== fence.attempt) return false
    Object.assign(delivery, { token: null, leaseUntil: null })
    const open = delivery.attempts.find(({ number }) => number === delivery.made)
    const report = delivery.cancelRequested === null ? attempt.report : { ...attempt.report, responseBody: null }
    Object.assign(open ?? {}, { state: attempt.state, endedAt: clock(), report })
    if (attempt.state === 'UNSENT') {
      delivery.made -= 1
      delivery.unsentSince ??= clock()
    } else {
      delivery.unsentSince = null
      counted.push({
        appId: delivery.event.appId,
        endpointId: delivery.endpointId,
        hour: Math.floor(clock() / 3_600_000),
        cause: attempt.report.cause,
        first: fence.attempt === 1,
        failed: next.state === 'FAILED',
      })
      target.failing = attempt.state !== 'SUCCEEDED'
      target.failingSince = target.failing ? (target.failingSince ?? clock()) : null
    }
    const { heir, reason } = heirOf(delivery.endpointId, delivery.event.type)
    const cancel = delivery.cancelRequested ?? (target.removed && heir === undefined ? reason : null)
    if (next.state !== 'PENDING') end(delivery, next.state, next.state === 'CANCELLED' ? next.reason : null)
    else if (cancel !== null) end(delivery, 'CANCELLED', cancel)
    else {
      delivery.dueAt = clock() + next.delayMs
      if (target.removed && heir !== undefined) delivery.endpointId = heir
    }
    return true
  }

  const findBySource = (appId: string, sourceEventId: string | null) =>
    published.find(
      ({ event }) => event.appId === appId && sourceEventId !== null && event.sourceEventId === sourceEventId,
    )?.event

  /** The endpoint that gets an event for this one: it, or the newest of its lineage. */
  function goesTo(appId: string, endpointId: string, type: string): string | undefined {
    const isKnown = endpoints.some(({ endpoint }) => endpoint.endpointId === endpointId && endpoint.appId === appId)
    const isLive = live(appId).some((one) => one.endpoint.endpointId === endpointId)
    return isLive ? endpointId : isKnown ? heirOf(endpointId, type).heir : undefined
  }

  function insertEvent(event: Event) {
    const known = findBySource(event.appId, event.sourceEventId)
    if (known === undefined) {
      published.push({ event, at: clock() })
      for (const { deliveryId, endpointId, xEventId } of event.deliveries) {
        if (deliveries.some((one) => one.event === event && one.xEventId === xEventId)) continue
        const to = goesTo(event.appId, endpointId, event.type)
        if (to !== undefined) add(deliveryId, event, to, xEventId)
      }
    }
    const { eventId, withheld } = known ?? event
    const written = deliveries.filter((one) => one.event.eventId === eventId && one.resendOf === null && !one.recovered)
    const answers = written.map(({ id, endpointId }) => ({ deliveryId: id, endpointId }))
    const original = known === undefined ? null : { userId: known.userId, type: known.type, body: known.body }
    return { eventId, withheld, deliveries: answers, duplicate: known !== undefined, original }
  }

  const recoveries = createRecoveryModel(
    {
      findLive(appId, endpointId) {
        const found = live(appId).find(({ endpoint }) => endpoint.endpointId === endpointId)?.endpoint
        if (found === undefined) return null
        const { lineageId, eventTypes } = found
        return { lineageId, takes: (type) => eventTypes?.some((one) => one === type) ?? true }
      },
      eventsOf: (appId) => published.filter(({ event }) => event.appId === appId && !event.test),
      statesOf: (eventId, lineageId) =>
        deliveries
          .filter((one) => one.event.eventId === eventId && targetOf(one)?.endpoint.lineageId === lineageId)
          .map(({ state }) => state),
      isCovered: (appId, xEventId) =>
        deliveries.some(
          (one) =>
            one.event.appId === appId && one.xEventId === xEventId && ['PENDING', 'DELIVERED'].includes(one.state),
        ),
      countWaiting: (endpointId) =>
        deliveries.filter((one) => one.endpointId === endpointId && one.recovered && one.dueAt !== null).length,
      addRecovered({ deliveryId, eventId, xEventId }, appId, endpointId) {
        const event = published.find((one) => one.event.eventId === eventId && one.event.appId === appId)?.event
        if (event !== undefined) add(deliveryId, event, endpointId, xEventId, { recovered: true })
      },
    },
    clock,
  )
  const transactions = createTransactionModel({
    insertEvent,
    isKnownSource: (appId, sourceEventId) => findBySource(appId, sourceEventId) !== undefined,
  })

  return {
    ...recoveries,
    ...transactions,
    registerEndpoint(endpoint: Endpoint, limit: number) {
      if (live(endpoint.appId).length >= limit) return 'limit_reached'
      const lineageId = lineageOfUrl(endpoint) ?? endpoint.endpointId
      const last = endpoints.findLast((one) => one.endpoint.lineageId === lineageId)?.endpoint.pausedBy
      register(endpoint, lineageId, last === 'OPERATOR' ? last : null)
      return 'registered'
    },
    removeEndpoint({ appId, endpointId }: { appId: string; endpointId: string }) {
      const found = live(appId).find((one) => one.endpoint.endpointId === endpointId)
      if (!found) return false
      recoveries.endpointGone(endpointId, null)
      retire(found)
      return true
    },
    replaceEndpoint({ appId, endpointId, replacement }: Parameters<Api['replaceEndpoint']>[0]) {
      const old = live(appId).find((one) => one.endpoint.endpointId === endpointId)
      if (!old) return 'not_found'
      const { lineageId } = old.endpoint
      if ((lineageOfUrl(replacement) ?? lineageId) !== lineageId) return 'url_in_use'
      register(replacement, lineageId, old.endpoint.pausedBy)
      recoveries.endpointGone(endpointId, replacement.endpointId)
      retire(old)
      return 'replaced'
    },
    pauseEndpoint({ appId, endpointId, by }: Parameters<Api['pauseEndpoint']>[0]) {
      const found = live(appId).find((one) => one.endpoint.endpointId === endpointId)
      if (!found) return 'not_found'
      if (found.endpoint.pausedBy !== 'OPERATOR') found.endpoint.pausedBy = by
      return 'paused'
    },
    resumeEndpoint({ appId, endpointId, by }: Parameters<Api['resumeEndpoint']>[0]) {
      const found = live(appId).find((one) => one.endpoint.endpointId === endpointId)
      if (!found) return 'not_found'
      if (found.endpoint.pausedBy === 'OPERATOR' && by === 'PARTNER') return 'paused_by_operator'
      found.endpoint.pausedBy = null
      return 'resumed'
    },
    failingSince: (appId: string) =>
      Object.fromEntries(live(appId).map((one) => [one.endpoint.endpointId, one.failingSince])),
    endpointHours(appId: string, since: Date) {
      const from = Math.floor(since.getTime() / 3_600_000)
      const found = counted.filter((one) => one.appId === appId && one.hour >= from)
      const rows = new Map(found.map((one) => [JSON.stringify([one.endpointId, one.hour, one.cause]), one]))
      return [...rows.values()].map(({ endpointId, hour, cause }) => {
        const same = found.filter((one) => one.endpointId === endpointId && one.hour === hour && one.cause === cause)
        return {
          endpointId,
          hour: new Date(hour * 3_600_000),
          cause,
          attempts: same.length,
          firstAttempts: same.filter(({ first }) => first).length,
          failedDeliveries: same.filter(({ failed }) => failed).length,
        }
      })
    },
    listEndpoints: (appId: string) => live(appId).map(({ endpoint }) => endpoint),
    insertEvent,
    claimDue({ limit, leaseMs, maxInFlight, keepForHealthy }: Parameters<Api['claimDue']>[0]) {
      const now = clock()
      const offers = endpoints.flatMap((target) => {
        const mine = deliveries.filter((one) => one.endpointId === target.endpoint.endpointId)
        const cap = target.failing ? maxInFlight.failing : maxInFlight.healthy
        const free = cap - mine.filter((one) => one.token !== null).length
        const due = mine
          .filter((one) => one.dueAt !== null && one.dueAt <= now && !isHeld(one))
          .sort(
            (one, other) =>
              Number(other.event.test) - Number(one.event.test) ||
              Number(one.recovered) - Number(other.recovered) ||
              (one.dueAt ?? 0) - (other.dueAt ?? 0) ||
              deliveries.indexOf(one) - deliveries.indexOf(other),
          )
        const headDue = Math.min(...due.map((one) => one.dueAt ?? 0))
        const waitingSince = Math.max(headDue, target.lastClaimedAt)
        return free > 0 && due[0] ? [{ target, waitingSince, headDue, due: due.slice(0, free) }] : []
      })
      offers.sort((one, other) => one.waitingSince - other.waitingSince || one.headDue - other.headDue)
      const places = { healthy: limit, failing: Math.max(0, limit - keepForHealthy) }
      const seated = [true, false].flatMap((failing) =>
        offers.filter(({ target }) => target.failing === failing).slice(0, failing ? places.failing : places.healthy),
      )
      const rounds = seated.flatMap(({ target, waitingSince, due }) =>
        due.map((delivery, round) => ({ target, waitingSince, delivery, round })),
      )
      rounds.sort(
        (one, other) =>
          one.round - other.round ||
          one.waitingSince - other.waitingSince ||
          (one.delivery.dueAt ?? 0) - (other.delivery.dueAt ?? 0) ||
          deliveries.indexOf(one.delivery) - deliveries.indexOf(other.delivery),
      )
      const taken: typeof rounds = []
      for (const one of rounds) {
        if (taken.length === limit) break
        if (one.target.failing && places.failing-- <= 0) continue
        taken.push(one)
      }
      const answers = taken.map(({ target, delivery }) => {
        delivery.made += 1
        target.lastClaimedAt = now
        const fresh = { number: delivery.made, state: 'STARTED', startedAt: now, endedAt: null, report: null }
        delivery.attempts = [...delivery.attempts.filter(({ number }) => number !== delivery.made), fresh]
        return claimed(delivery, leaseMs)
      })
      const dues = deliveries.flatMap((one) => (one.dueAt === null || isHeld(one) ? [] : [one.dueAt]))
      const nextDueInMs = dues.length === 0 ? null : Math.max(0, Math.min(...dues) - now)
      if (nextDueInMs !== 0) anyTurn = false
      return { claimed: answers, nextDueInMs }
    },
    /** Checks whether a store may still count deliveries that an endpoint no longer has: no port promises whose turn it is. */
    mayTakeAnyTurn: () => anyTurn,
    appsOfEndedLeases: () => new Set(endedLeases().map(({ event }) => event.appId)).size,
    claimExpired({ limit, leaseMs }: { limit: number; leaseMs: number }) {
      return endedLeases()
        .sort((one, other) => (one.leaseUntil ?? 0) - (other.leaseUntil ?? 0))
        .slice(0, limit)
        .map((one) => claimed(one, leaseMs))
    },
    recordAttemptResults(results: readonly AttemptResult[]) {
      const before = endpoints.map(({ failing }) => failing)
      const stale = results.filter((one) => !recordOne(one)).map(({ fence }) => fence)
      const healthChanges = endpoints.flatMap(({ failing, endpoint: { appId, endpointId } }, index) =>
        failing === before[index] ? [] : [{ appId, endpointId, failing }],
      )
      return { stale, healthChanges }
    },
    cancelPending({ appId, userId, reason }: { appId: string; userId: string; reason: string }) {
      const mine = deliveries.filter(
        (one) => one.event.appId === appId && one.event.userId === userId && one.state === 'PENDING',
      )
      const changed = mine.filter((one) => one.token === null || one.cancelRequested === null)
      for (const one of changed) {
        if (one.token === null) end(one, 'CANCELLED', reason)
        else one.cancelRequested = reason
      }
      if (changed.length > 0) anyTurn = true
      return changed.length
    },
    resendDelivery({ appId, deliveryId, newDeliveryId }: { appId: string; deliveryId: string; newDeliveryId: string }) {
      const original = deliveries.find((one) => one.id === deliveryId && one.event.appId === appId)
      if (!original) return 'not_found'
      if (original.state === 'PENDING') return 'not_finished'
      const isGone = targetOf(original)?.removed === true
      const to = isGone ? heirOf(original.endpointId, original.event.type).heir : original.endpointId
      if (to === undefined) return 'endpoint_removed'
      add(newDeliveryId, original.event, to, original.xEventId, { resendOf: deliveryId })
      return 'resent'
    },
    record(recording: Recording) {
      const { key } = recording
      const existing = recorded.find(
        (one) =>
          one.recording.key.appId === key.appId &&
          one.recording.key.externalVerificationId === key.externalVerificationId,
      )
      if (existing?.recording.key.userId === key.userId) {
        return { kind: 'replayed', result: existing.result, payloadDigest: existing.recording.payloadDigest }
      }
      if (existing) return { kind: 'conflict' }
      const previous = statuses.get(key.userId) ?? 'UNVERIFIED'
      const { next, result } = recording.outcomes[previous]
      if (next !== 'UNVERIFIED') statuses.set(key.userId, next)
      recorded.push({ recording, result, previous, next })
      return { kind: 'recorded', result }
    },
    goesTo,
    /**
     * Whether a delivery that waits for this endpoint is due at the same instant as one that waits for another. The order of the two is
     * that of their endpoints, until one moves.
     */
    sharesInstant: (endpointId: string) =>
      deliveries.some(
        (one) =>
          one.dueAt !== null &&
          one.endpointId === endpointId &&
          deliveries.some((other) => other.dueAt === one.dueAt && other.endpointId !== endpointId),
      ),
    countEvents: (appId: string) => published.filter(({ event }) => event.appId === appId).length,
    findKycStatus: (userId: string) => statuses.get(userId) ?? 'UNVERIFIED',
    /** All that can be read back, newest first. */
    deliveries: () =>
      [...deliveries].reverse().map((one) => ({
        deliveryId: one.id,
        endpointId: one.endpointId,
        state: one.state,
        attemptsMade: one.made,
        createdAt: one.createdAt,
        nextAttemptAt: one.dueAt,
        endedAt: one.endedAt,
        cancelReason: one.cancelReason,
        resendOf: one.resendOf,
        attempts: one.attempts,
      })),
    verifications: () =>
      [...recorded].reverse().map(({ recording, result, previous, next }) => ({
        verificationId: recording.verification.verificationId,
        result,
        statusLog: { previous, next },
      })),
  }
}
