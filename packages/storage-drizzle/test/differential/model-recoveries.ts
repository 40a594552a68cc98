import type { RecoveryStore } from '@kyc-relay/webhooks/delivery'

type Start = Parameters<RecoveryStore['startRecovery']>[0]
type Step = Parameters<RecoveryStore['writeStep']>[0]
type Place = Pick<NonNullable<Step['next']>, 'createdAt'> | null

/** An event as a recovery looks at it. */
interface PublishedEvent {
  readonly eventId: string
  readonly userId: string
  readonly type: string
  readonly withheld: string | null
  readonly body: Uint8Array
}

/** What recoveries read of the rest of the model, and write to it. */
interface Rest {
  /** The id of the endpoint's lineage, and whether it takes a type; null if it is not there. */
  findLive(appId: string, endpointId: string): { lineageId: string; takes(type: string): boolean } | null
  /** Events of an app that are no tests, oldest first, with the time at which they were published. */
  eventsOf(appId: string): readonly { readonly event: PublishedEvent; readonly at: number }[]
  /** States of an event's deliveries to a lineage. */
  statesOf(eventId: string, lineageId: string): readonly string[]
  /** Whether a delivery with this `X-Event-ID` is pending or delivered. */
  isCovered(appId: string, xEventId: string): boolean
  /** Number of recovered deliveries that wait for an endpoint. */
  countWaiting(endpointId: string): number
  addRecovered(delivery: Step['deliveries'][number], appId: string, endpointId: string): void
}

/** What a `RecoveryStore` does, as plainly as it can be said. Places are instants: each event has its own. */
export function createRecoveryModel(rest: Rest, clock: () => number) {
  const recoveries: {
    readonly start: Start
    endpointId: string
    readonly until: number
    after: number | null
    state: 'RUNNING' | 'DONE' | 'STOPPED'
    created: number
    skipped: Step['skipped']
  }[] = []
  const find = ({ appId, recoveryId }: { readonly appId: string; readonly recoveryId: string }) =>
    recoveries.find(({ start }) => start.appId === appId && start.recoveryId === recoveryId)
  const placeOf = (at: number) => ({ createdAt: new Date(at) })
  const timeOf = (place: Place) => place?.createdAt.getTime() ?? null

  return {
    endpointGone(endpointId: string, replacementId: string | null) {
      for (const one of recoveries.filter((each) => each.endpointId === endpointId)) {
        if (replacementId !== null) one.endpointId = replacementId
        else if (one.state === 'RUNNING') one.state = 'STOPPED'
      }
    },
    startRecovery(start: Start) {
      const { appId, endpointId } = start
      if (rest.findLive(appId, endpointId) === null) return 'not_found'
      if (recoveries.some((one) => one.endpointId === endpointId && one.state === 'RUNNING')) return 'running'
      const until = Math.min(start.until?.getTime() ?? clock(), clock())
      const skipped = { acknowledged: 0, pending: 0, scope: 0, erased: 0 }
      recoveries.push({ start, endpointId, until, after: null, state: 'RUNNING', created: 0, skipped })
      return 'started'
    },
    findRecovery(request: { readonly appId: string; readonly recoveryId: string }) {
      const one = find(request)
      if (one === undefined) return null
      const { state, created, skipped } = one
      const matched = created + skipped.acknowledged + skipped.pending + skipped.scope + skipped.erased
      return { recoveryId: one.start.recoveryId, state, matched, created, skipped }
    },
    stopRecovery(request: { readonly appId: string; readonly recoveryId: string }) {
      const one = find(request)
      if (one?.state === 'RUNNING') one.state = 'STOPPED'
      return one !== undefined
    },
    listRunning: () =>
      recoveries
        .filter(({ state }) => state === 'RUNNING')
        .map(({ start: { appId, recoveryId } }) => ({ appId, recoveryId })),
    findNextStep({ mostWaiting, ...request }: Parameters<RecoveryStore['findNextStep']>[0]) {
      const one = find(request)
      const endpoint = one && rest.findLive(request.appId, one.endpointId)
      if (!endpoint || one.state !== 'RUNNING' || rest.countWaiting(one.endpointId) >= mostWaiting) return null
      const { appId, since, eventTypes } = one.start
      const after = one.after === null ? null : placeOf(one.after)
      const { endpointId } = one
      return { appId, endpointId, since, until: new Date(one.until), eventTypes, after, lineageId: endpoint.lineageId }
    },
    listEvents(range: Omit<Parameters<RecoveryStore['listEvents']>[0], 'after'> & { readonly after: Place }) {
      const endpoint = rest.findLive(range.appId, range.endpointId)
      if (endpoint === null) return []
      const from = Math.max(range.since.getTime(), (timeOf(range.after) ?? -1) + 1)
      return rest
        .eventsOf(range.appId)
        .filter(({ event, at }) => {
          const isOfType = range.eventTypes?.some((type) => type === event.type) ?? true
          return isOfType && endpoint.takes(event.type) && at >= from && at < range.until.getTime()
        })
        .slice(0, range.limit)
        .map(({ event: { eventId, userId, type, withheld, body }, at }) => {
          const states = rest.statesOf(eventId, endpoint.lineageId)
          const delivered = states.includes('DELIVERED')
            ? 'ACKNOWLEDGED'
            : states.includes('PENDING')
              ? 'PENDING'
              : null
          return { eventId, userId, type, place: placeOf(at), withheld, erased: body.length === 0, delivered } as const
        })
    },
    writeStep(step: Omit<Step, 'after' | 'next'> & { readonly after: Place; readonly next: Place }) {
      const one = find(step)
      if (one?.state !== 'RUNNING' || one.endpointId !== step.endpointId || one.after !== timeOf(step.after))
        return 'stale'
      const fresh = step.deliveries.filter(({ xEventId }) => !rest.isCovered(step.appId, xEventId))
      for (const delivery of fresh) rest.addRecovered(delivery, step.appId, one.endpointId)
      one.after = timeOf(step.next)
      if (step.next === null) one.state = 'DONE'
      one.created += fresh.length
      one.skipped = {
        acknowledged: one.skipped.acknowledged + step.skipped.acknowledged,
        pending: one.skipped.pending + step.skipped.pending + step.deliveries.length - fresh.length,
        scope: one.skipped.scope + step.skipped.scope,
        erased: one.skipped.erased + step.skipped.erased,
      }
      return 'written'
    },
  }
}
