import type { EventType } from '@kyc-relay/webhooks'
import type { AttemptResult, WebhookStore } from '@kyc-relay/webhooks/delivery'
import type { Fence } from '@kyc-relay/webhooks/internal'
import { bytes, endpoint, event, report, startOfTests, submission, uuid } from '../samples.js'
import type { Command } from './commands.js'
import { apps, createComparison, users, type Opened, type Side } from './comparison.js'
import { createModel } from './model.js'
import { compareRows } from './rows.js'

/** Ids in the order of registration: what decides between endpoints that wait equally long. */
const hookId = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`

const byId = <T extends { readonly deliveryId: string }>(taken: readonly T[]) =>
  taken.toSorted((first, second) => (first.deliveryId < second.deliveryId ? -1 : 1))

type Recorded = Awaited<ReturnType<WebhookStore['recordAttemptResults']>>

function result(how: string, fence: Fence, delayMs: number): AttemptResult {
  const ok = { ...report, cause: null, status: 200, responseBody: null }
  const waits = { state: 'PENDING', delayMs } as const
  switch (how) {
    case 'DELIVERED':
      return { fence, attempt: { state: 'SUCCEEDED', report: ok }, next: { state: 'DELIVERED' } }
    case 'FAILED':
      return { fence, attempt: { state: 'FAILED', report }, next: { state: 'FAILED' } }
    case 'UNSENT':
      return { fence, attempt: { state: 'UNSENT', report }, next: waits }
    case 'CANCELLED':
      return { fence, attempt: { state: 'UNSENT', report }, next: { state: 'CANCELLED', reason: 'GRANT_REVOKED' } }
    case 'INTERRUPTED':
      return { fence, attempt: { state: 'INTERRUPTED', report }, next: waits }
    default:
      return { fence, attempt: { state: 'FAILED', report }, next: waits }
  }
}

/**
 * Runs the same commands on the model and on each side. Throws at the first answer, and at the end at the first row, in which
 * a side differs from the model.
 */
export async function runInLockStep(commands: readonly Command[], sides: readonly Side[]): Promise<void> {
  const time = { now: startOfTests.getTime() }
  const opened: Opened[] = []
  try {
    const stores = await Promise.all(sides.map(({ open }) => open(() => new Date(time.now))))
    opened.push(...sides.map(({ name }, index) => ({ name, stores: stores[index] as Opened['stores'] })))
    await runOn(opened, commands, time)
  } finally {
    for (const { stores } of opened) await stores.close?.()
  }
}

async function runOn(opened: readonly Opened[], commands: readonly Command[], time: { now: number }): Promise<void> {
  const comparison = createComparison(opened)
  const { compare, compareSides, doing } = comparison
  const clock = () => new Date(time.now)
  const model = createModel(() => time.now)
  const hooks: { id: string; app: string }[] = []
  const deliveryIds: string[] = []
  const recoveries: { readonly appId: string; readonly recoveryId: string }[] = []
  /** Every fence ever given, stale ones included, as the model and each side gave it. */
  const fences: { readonly model: Fence; readonly ofSides: readonly Fence[] }[] = []
  let written = 0

  /** When retries are due. */
  const dueAt = new Set<number>()

  /** A delay, a little longer where another retry has its end. */
  function ownDelay(delayMs: number): number {
    let own = delayMs
    while (dueAt.has(time.now + own)) own += 1
    dueAt.add(time.now + own)
    return own
  }

  function keepFences(inModel: readonly { fence: unknown }[], answers: readonly (readonly { fence: Fence }[])[]) {
    inModel.forEach(({ fence }, index) => {
      fences.push({ model: fence as Fence, ofSides: answers.flatMap((answer) => answer[index]?.fence ?? []) })
    })
  }

  /** An endpoint that is not registered yet, with one of a few URLs. */
  function newHook(url: number, eventTypes: readonly EventType[] | null, appId: string) {
    const endpointId = hookId(hooks.length)
    hooks.push({ id: endpointId, app: appId })
    const { lineageId: _, ...made } = endpoint(`u${url}`, appId)
    const headers = url === 1 ? { names: ['X-Tenant'], sealed: 'sealed', dataKey: 'key' } : null
    return { ...made, endpointId, eventTypes, headers, createdAt: clock() }
  }

  /** A new event, to some endpoints that may be there. */
  function newEvent(
    one: Pick<Extract<Command, { do: 'publish' }>, 'app' | 'user' | 'hooks' | 'type' | 'source' | 'test'>,
  ) {
    const appId = apps[one.app] ?? ''
    const goesTo = (n: number) => model.goesTo(appId, hookId(n), one.type) ?? ''
    const inOrder = [...one.hooks].sort((first, second) => (goesTo(first) < goesTo(second) ? -1 : 1))
    const to = inOrder.map((n) => ({ ...endpoint(`h${n}`, appId), endpointId: hookId(n) }))
    const lineageOf = (endpointId: string) =>
      model.listEndpoints(appId).find((each) => each.endpointId === endpointId)?.lineageId ?? endpointId
    const sourceEventId = one.source === null ? null : `source ${one.source}`
    const owner = { appId, userId: users[one.user] ?? '', sourceEventId }
    const traced = written % 2 === 0 ? { traceContext: `trace ${written}` } : {}
    const fields = { ...owner, ...traced, type: one.type, test: one.test, body: bytes(`{"n":${written}}`) }
    const plain = event(`e${written++}`, to, fields)
    const deliveries = plain.deliveries.map((each) => ({
      ...each,
      xEventId: `${plain.eventId} ${lineageOf(each.endpointId)}`,
    }))
    const made = { ...plain, deliveries }
    deliveryIds.push(...made.deliveries.map(({ deliveryId }) => deliveryId))
    return made
  }

  const plainPlace = (place: { readonly createdAt: Date } | null) => place && { createdAt: place.createdAt }

  /** Lets a recovery look at its next events, and writes what it makes of them. */
  async function stepRecovery(
    which: (typeof recoveries)[number],
    { limit, mostWaiting, outdated }: Extract<Command, { do: 'stepRecovery' }>,
  ): Promise<void> {
    const asked = { ...which, mostWaiting }
    const next = model.findNextStep(asked)
    const ranges = await compare(
      next,
      (stores) => stores.recoveries.findNextStep(asked),
      (range) => range && { ...range, after: plainPlace(range.after) },
    )
    if (next === null) return
    const events = model.listEvents({ ...next, limit })
    const listed = await compare(
      events,
      async (stores, index) => {
        const range = ranges[index]
        return range ? stores.recoveries.listEvents({ ...range, limit }) : []
      },
      (answer) => answer.map((each) => ({ ...each, place: plainPlace(each.place) })),
    )
    const missing = events.filter(({ withheld, delivered }) => withheld === null && delivered === null)
    const deliveries = missing.map(({ eventId }) => ({
      deliveryId: uuid(`recovered ${written++}`),
      eventId,
      xEventId: `${eventId} ${next.lineageId}`,
    }))
    deliveryIds.push(...deliveries.map(({ deliveryId }) => deliveryId))
    const count = (state: string) => events.filter(({ delivered }) => delivered === state).length
    const skipped = { acknowledged: count('ACKNOWLEDGED'), pending: count('PENDING'), scope: 0, erased: 0 }
    const endpointId = outdated ? hookId(99) : next.endpointId
    const isLast = events.length < limit
    const step = { ...which, endpointId, deliveries, skipped }
    const inModel = model.writeStep({
      ...step,
      after: next.after,
      next: isLast ? null : (events.at(-1)?.place ?? null),
    })
    await compare(inModel, (stores, index) => {
      const last = isLast ? null : (listed[index]?.at(-1)?.place ?? null)
      return stores.recoveries.writeStep({ ...step, after: ranges[index]?.after ?? null, next: last })
    })
    await compare(model.findRecovery(which), (stores) => stores.recoveries.findRecovery(which))
    await compare(model.listRunning(), (stores) => stores.recoveries.listRunning({ limit: 100 }))
  }

  async function step(one: Command): Promise<void> {
    // Every command and every retry at an instant of its own: rows of one instant have no order that a port promises.
    do time.now += 1
    while (dueAt.has(time.now))
    doing(one.do)
    const appId = apps['app' in one ? one.app : 0] ?? ''
    switch (one.do) {
      case 'register': {
        const made = newHook(one.url, one.types, appId)
        await compare(model.registerEndpoint(made, 3), ({ webhooks }) => webhooks.registerEndpoint(made, 3))
        await compare(model.listEndpoints(appId), ({ webhooks }) => webhooks.listEndpoints(appId))
        return
      }
      case 'replace': {
        const endpointId = hooks[one.pick % (hooks.length || 1)]?.id ?? hookId(99)
        if (model.sharesInstant(endpointId)) return
        const request = { appId, endpointId, replacement: newHook(one.url, one.types, appId) }
        await compare(model.replaceEndpoint(request), ({ webhooks }) => webhooks.replaceEndpoint(request))
        await compare(model.listEndpoints(appId), ({ webhooks }) => webhooks.listEndpoints(appId))
        return
      }
      case 'remove': {
        const request = { appId, endpointId: hooks[one.pick % (hooks.length || 1)]?.id ?? hookId(99) }
        if (model.sharesInstant(request.endpointId)) return
        await compare(model.removeEndpoint(request), ({ webhooks }) => webhooks.removeEndpoint(request))
        return
      }
      case 'pause':
      case 'resume': {
        const request = { appId, endpointId: hooks[one.pick % (hooks.length || 1)]?.id ?? hookId(99), by: one.by }
        const verb = one.do === 'pause' ? 'pauseEndpoint' : 'resumeEndpoint'
        await compare(model[verb](request), ({ webhooks }) => webhooks[verb](request))
        await compare(model.failingSince(appId), async ({ webhooks }) => {
          const health = await webhooks.listEndpointHealth(appId)
          return Object.fromEntries(
            health.map(({ endpointId, failingSince }) => [endpointId, failingSince?.getTime() ?? null]),
          )
        })
        await compare(model.listEndpoints(appId), ({ webhooks }) => webhooks.listEndpoints(appId))
        return
      }
      case 'publish': {
        const made = newEvent(one)
        await compare(model.insertEvent(made), ({ webhooks }) => webhooks.insertEvent(made))
        return
      }
      case 'moveTransaction': {
        const transactionId = uuid(`transaction ${one.transaction} of ${appId}`)
        const event = newEvent({ ...one, type: 'TRANSACTION_CREATE', test: false })
        const { userId } = event
        const fromRevision = model.revisionOf(transactionId) + Number(one.outdated)
        const fields = one.next === 'PENDING' ? { n: written } : null
        const move = { transactionId, appId, userId, fromRevision, next: one.next, fields, movedAt: clock(), event }
        await compare(model.moveTransaction(move), ({ transactions }) => transactions.moveTransaction(move))
        await compare(model.findTransaction(transactionId), async ({ transactions }) => {
          const found = await transactions.findTransaction({ transactionId, appId, sourceEventId: null })
          return found.transaction
        })
        const asked = { transactionId, appId: null, sourceEventId: event.sourceEventId }
        await compareSides(({ transactions }) => transactions.findTransaction(asked))
        return
      }
      case 'recover': {
        const any = hooks[one.pick % (hooks.length || 1)]?.id ?? hookId(99)
        const there = model.listEndpoints(appId).map((each) => each.endpointId)
        const endpointId = [...there, any][one.pick % (there.length + 1)] ?? any
        const end = time.now - (one.untilMsAgo ?? 0)
        const request = {
          recoveryId: uuid(`recovery ${written++}`),
          appId,
          endpointId,
          eventTypes: one.types,
          since: new Date(end - one.rangeMs),
          until: one.untilMsAgo === null ? null : new Date(end),
        }
        const started = model.startRecovery(request)
        if (started === 'started') recoveries.push({ appId, recoveryId: request.recoveryId })
        await compare(started, (stores) => stores.recoveries.startRecovery(request))
        return
      }
      case 'stopRecovery': {
        const request = recoveries[one.pick % (recoveries.length || 1)] ?? { appId, recoveryId: uuid('unknown') }
        await compare(model.stopRecovery(request), (stores) => stores.recoveries.stopRecovery(request))
        return
      }
      case 'stepRecovery': {
        const which = recoveries[one.pick % (recoveries.length || 1)]
        if (which !== undefined) await stepRecovery(which, one)
        return
      }
      case 'claim': {
        const { keepForHealthy, healthy, failing } = one
        const anyTurn = model.mayTakeAnyTurn()
        const limit = anyTurn ? 1_000 : one.limit
        const request = { limit, keepForHealthy, leaseMs: 10_000, maxInFlight: { healthy, failing } }
        const inOrder = <T extends { readonly deliveryId: string }>(some: readonly T[]) => (anyTurn ? byId(some) : some)
        const { claimed, nextDueInMs } = model.claimDue(request)
        const expected = { claimed: inOrder(claimed), nextDueInMs }
        const answers = await compare(expected, async ({ webhooks }) => {
          const answer = await webhooks.claimDue(request)
          // A store may say 0 by what it knew before: the next claim knows more.
          const nextDueInMs = answer.nextDueInMs === 0 ? expected.nextDueInMs : answer.nextDueInMs
          return { claimed: inOrder(answer.claimed), nextDueInMs }
        })
        keepFences(
          expected.claimed,
          answers.map(({ claimed }) => claimed),
        )
        return
      }
      case 'takeOver': {
        // No port promises whose ended leases come first. A limit would choose between apps.
        const request = { limit: model.appsOfEndedLeases() > 1 ? 1_000 : one.limit, leaseMs: 10_000 }
        const expected = byId(model.claimExpired(request))
        const answers = await compare(expected, async ({ webhooks }) => byId(await webhooks.claimExpired(request)))
        keepFences(expected, answers)
        return
      }
      case 'recordAttemptResults': {
        if (fences.length === 0) return
        const chosen = one.picks.map((n) => fences[n % fences.length]).filter((fence) => fence !== undefined)
        const delays = chosen.map(() => ownDelay(one.delayMs))
        const all = (fenceOf: (each: (typeof fences)[number]) => Fence | undefined) =>
          chosen.map(fenceOf).flatMap((fence, index) => (fence ? [result(one.how, fence, delays[index] ?? 0)] : []))
        const told = ({ stale, healthChanges }: Recorded) => ({
          stale,
          healthChanges: healthChanges.map((each) => JSON.stringify(each)).sort(),
        })
        const expected = told(model.recordAttemptResults(all((each) => each.model)))
        await compare(
          expected,
          (stores, index) => stores.webhooks.recordAttemptResults(all(({ ofSides }) => ofSides[index])),
          told,
        )
        return
      }
      case 'advance':
        time.now += one.ms
        return
      case 'cancel': {
        const request = { appId, userId: users[one.user] ?? '', reason: 'GRANT_REVOKED' }
        await compare(model.cancelPending(request), ({ webhooks }) => webhooks.cancelPending(request))
        return
      }
      case 'resend': {
        const deliveryId = deliveryIds[one.pick % (deliveryIds.length || 1)] ?? uuid('unknown')
        const request = { appId, deliveryId, newDeliveryId: uuid(`resend ${written++}`) }
        deliveryIds.push(request.newDeliveryId)
        await compare(model.resendDelivery(request), ({ webhooks }) => webhooks.resendDelivery(request))
        return
      }
      case 'record': {
        const key = { appId, userId: users[one.user] ?? '', externalVerificationId: `ext ${one.external}` }
        const made = { ...submission(`s${written++}`, { key }), recordedAt: clock() }
        const declined = {
          status: 'DECLINED',
          verificationId: made.verification.verificationId,
          message: 'Declined.',
        } as const
        const stay = (next: 'UNVERIFIED' | 'PASS' | 'PASS_INTERNATIONAL') => ({ next, result: declined })
        const outcomes =
          one.decision === 'PASSED'
            ? made.outcomes
            : { UNVERIFIED: stay('UNVERIFIED'), PASS: stay('PASS'), PASS_INTERNATIONAL: stay('PASS_INTERNATIONAL') }
        const recording = {
          ...made,
          outcomes,
          verification: { ...made.verification, decision: one.decision, photoJobs: [] },
        }
        await compare(model.record(recording), ({ verifications }) => verifications.record(recording))
        await compare(model.findKycStatus(key.userId), ({ verifications }) => verifications.findKycStatus(key.userId))
      }
    }
  }

  for (const one of commands) await step(one)
  doing('the rows at the end')
  await compareRows({ ...comparison, model, clock })
}
