import { checkOptions } from '../delivery/check-options.js'
import { standardEventTypes, type EventTypes } from '../events/event-type-registry.js'
import {
  findGrants,
  isGranted,
  wasGranted,
  type AppGrant,
  type GrantLookup,
  type ScopeRule,
} from '../publishing/grants.js'
import { xEventIdOf } from '../publishing/x-event-id.js'
import type { RecoverableEvent, RecoveryRange, RecoveryStore, SkippedEvents } from './recovery-store.js'

/** Running recoveries that are listed at once. */
const recoveriesInAList = 100
/** Most events that a step looks at. */
const eventsInAStep = 20
/** Most events that a count looks at in one read. */
const eventsInACount = 200
/** Most deliveries that a step makes: few, so that live events between two steps hardly wait. */
const deliveriesInAStep = 4
/** Most recovered deliveries that wait at one endpoint. */
const mostWaiting = 100

/** Dependencies of {@link recoverEvents}. */
export interface RecoverEventsDeps {
  readonly store: RecoveryStore
  readonly grants: GrantLookup
  /** Creates a UUID, preferably of version 7. */
  readonly newId: () => string
  /** Default `all`, as for publishing. */
  readonly scopeRule?: ScopeRule
  /** Result of `createEventTypes`, for event types of your own. Default: the event types of the service. */
  readonly eventTypes?: Pick<EventTypes, 'find'>
}

const none: SkippedEvents = { acknowledged: 0, pending: 0, scope: 0, erased: 0 }

/** Decides what happens to an event: its delivery, or the reason to skip it. */
function outcomeOf(
  event: RecoverableEvent,
  grant: AppGrant | null,
  { eventTypes = standardEventTypes, scopeRule }: Pick<RecoverEventsDeps, 'eventTypes' | 'scopeRule'>,
): keyof SkippedEvents | 'deliver' {
  if (event.delivered !== null) return event.delivered === 'ACKNOWLEDGED' ? 'acknowledged' : 'pending'
  if (!wasGranted(event.withheld) || grant === null || !isGranted(eventTypes, event.type, grant.scopes, scopeRule))
    return 'scope'
  return event.erased ? 'erased' : 'deliver'
}

const findGrantsOf = (
  { grants }: Pick<RecoverEventsDeps, 'grants'>,
  appId: string,
  listed: readonly RecoverableEvent[],
) =>
  findGrants(
    grants,
    listed.map(({ userId }) => ({ appId, userId })),
  )

/** Decides about the next events, up to and with the last delivery that a step may make. */
function decide(
  deps: Pick<RecoverEventsDeps, 'eventTypes' | 'scopeRule'>,
  {
    listed,
    found,
    limit,
  }: {
    readonly listed: readonly RecoverableEvent[]
    readonly found: readonly (AppGrant | null)[]
    /** Most events that were listed. */
    readonly limit: number
  },
  mostDeliveries: number,
) {
  const decided = listed.map((event, index) => ({ event, outcome: outcomeOf(event, found[index] ?? null, deps) }))
  const last = decided.filter(({ outcome }) => outcome === 'deliver')[mostDeliveries - 1]
  const step = last === undefined ? decided : decided.slice(0, decided.indexOf(last) + 1)
  const skipped = { ...none }
  for (const { outcome } of step) if (outcome !== 'deliver') skipped[outcome] += 1
  const isEnd = step.length < limit && step.length === listed.length
  return {
    matched: step.length,
    skipped,
    next: isEnd ? null : (step.at(-1)?.event.place ?? null),
    events: step.filter(({ outcome }) => outcome === 'deliver').map(({ event }) => event),
  }
}

/**
 * Counts what a recovery would do, and does nothing.
 *
 * @throws WebhookError `GRANTS_MISMATCH` if the look-up of grants answers for another app or user
 *
 * @example
 * ```ts
 * import type { GrantLookup, RecoveryStore } from '@kyc-relay/webhooks/delivery'
 * import { countRecovery } from '@kyc-relay/webhooks/internal'
 *
 * async function preview(store: RecoveryStore, grants: GrantLookup, appId: string, endpointId: string) {
 *   const [since, until] = [new Date('2026-01-01T00:00:00Z'), new Date('2026-01-02T00:00:00Z')]
 *   const { matched, skipped } = await countRecovery({ store, grants }, { appId, endpointId, since, until, eventTypes: null })
 *   return matched - skipped.acknowledged
 * }
 * ```
 */
export async function countRecovery(
  deps: Omit<RecoverEventsDeps, 'newId'>,
  range: Omit<RecoveryRange, 'after'>,
): Promise<{ readonly matched: number; readonly skipped: SkippedEvents }> {
  let total = { matched: 0, skipped: none }
  let after: RecoveryRange['after'] = null
  do {
    const limit = eventsInACount
    const listed = await deps.store.listEvents({ ...range, after, limit })
    const found = await findGrantsOf(deps, range.appId, listed)
    const { matched, skipped, next }: ReturnType<typeof decide> = decide(deps, { listed, found, limit }, limit)
    total = { matched: total.matched + matched, skipped: sumOf(total.skipped, skipped) }
    after = next
  } while (after !== null)
  return total
}

function sumOf(one: SkippedEvents, other: SkippedEvents): SkippedEvents {
  return {
    acknowledged: one.acknowledged + other.acknowledged,
    pending: one.pending + other.pending,
    scope: one.scope + other.scope,
    erased: one.erased + other.erased,
  }
}

/**
 * Does one step of each running recovery: at most four deliveries. Several processes may call it at once: a step is written by
 * one of them. Call it again after a pause, for example 25 ms: live events are delivered between the steps.
 *
 * A recovery whose look-up of grants fails does not hold up the others, nor does one that the store refuses for good. Its
 * step is tried again at the next call.
 *
 * @returns the number of steps that were written; 0 if nothing is left to do now
 * @throws WebhookError `GRANTS_MISMATCH` if the look-up of grants answers for another app or user. Nothing of the step is
 * written. An error of a look-up is thrown once a call wrote no other step. `OPTIONS_INVALID` for a missing dependency.
 *
 * @example
 * ```ts
 * import { recoverEvents } from '@kyc-relay/webhooks/delivery'
 * import type { RecoverEventsDeps } from '@kyc-relay/webhooks/internal'
 *
 * async function recoverAll(deps: RecoverEventsDeps, pause: (ms: number) => Promise<void>) {
 *   while ((await recoverEvents(deps)) > 0) await pause(25)
 * }
 * ```
 */
export async function recoverEvents(deps: RecoverEventsDeps): Promise<number> {
  checkRecoverDeps(deps)
  let written = 0
  let failed: { readonly error: unknown } | null = null
  let after: { readonly appId: string; readonly recoveryId: string } | null = null
  // All of them: the oldest ones may wait for their endpoints for weeks.
  do {
    const running: Awaited<ReturnType<RecoveryStore['listRunning']>> = await deps.store.listRunning({
      limit: recoveriesInAList,
      after,
    })
    for (const one of running) {
      const outcome = await writeNextStep(deps, one)
      if (outcome === 'written') written += 1
      else if (outcome !== 'nothing') failed ??= outcome
    }
    after = running.length < recoveriesInAList ? null : (running.at(-1) ?? null)
  } while (after !== null)
  if (written === 0 && failed !== null) throw failed.error
  return written
}

function checkRecoverDeps(deps: Partial<RecoverEventsDeps> | null | undefined): void {
  const { port, callback, end } = checkOptions()
  port('store', deps?.store, ['listRunning', 'findNextStep', 'listEvents', 'writeStep'])
  port('grants', deps?.grants, ['find'])
  callback('newId', deps?.newId)
  end()
}

/** Does one step of a recovery. `nothing`: there is nothing to do now, or another process was faster. */
async function writeNextStep(
  deps: RecoverEventsDeps,
  running: { readonly appId: string; readonly recoveryId: string },
): Promise<'written' | 'nothing' | { readonly error: unknown }> {
  const { store, newId } = deps
  const step = await store.findNextStep({ ...running, mostWaiting })
  if (step === null) return 'nothing'
  const limit = eventsInAStep
  let listed: readonly RecoverableEvent[]
  try {
    listed = await store.listEvents({ ...step, limit })
  } catch (error) {
    // Of a wrong recovery. Other errors are of the whole store.
    if ((error as { readonly retryable?: unknown } | null)?.retryable !== false) throw error
    return { error }
  }
  let found: Awaited<ReturnType<typeof findGrants>>
  try {
    found = await findGrantsOf(deps, step.appId, listed)
  } catch (error) {
    // Of one app or user, perhaps: the store works, so other recoveries can go on.
    return { error }
  }
  const { events, skipped, next } = decide(deps, { listed, found, limit }, deliveriesInAStep)
  const deliveries = events.map(async ({ eventId }) => ({
    deliveryId: newId(),
    eventId,
    xEventId: await xEventIdOf(eventId, step.lineageId),
  }))
  const { endpointId, after } = step
  const request = { ...running, endpointId, after, next, skipped, deliveries: await Promise.all(deliveries) }
  return (await store.writeStep(request)) === 'written' ? 'written' : 'nothing'
}
