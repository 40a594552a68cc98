import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import type { AttemptResult, WebhookStore } from '@kyc-relay/webhooks/delivery'
import type { Fence } from '@kyc-relay/webhooks/internal'
import type { VerificationStore } from '@kyc-relay/kyc-core'
import type { EventType } from '@kyc-relay/webhooks'
import { bytes, endpoint, event, report, startOfTests, submission, uuid } from '../samples.js'
import { createModel } from './model.js'

export type Stores = { readonly webhooks: WebhookStore; readonly verifications: VerificationStore }

/** A store under test, empty each time it is opened. */
export interface Side {
  readonly name: string
  open(clock: () => Date): Promise<Stores & { close?(): Promise<void> }>
}

const apps = [uuid('app 0'), uuid('app 1')]
const users = [uuid('user 0'), uuid('user 1'), uuid('user 2')]
/** Ids in the order of registration: what decides between endpoints that wait equally long. */
const hookId = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`

const app = fc.nat({ max: 1 })
const user = fc.nat({ max: 2 })
const pick = fc.nat({ max: 1_000 })
const eventType = fc.constantFrom('WIDGET_DEPOSIT_COMPLETE' as const, 'TRANSACTION_CREATE' as const)
const pauser = fc.constantFrom('PARTNER' as const, 'OPERATOR' as const)
const types = fc.option(fc.uniqueArray(eventType, { minLength: 1 }), { freq: 2 })
const command = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant('register' as const), app, url: fc.nat({ max: 4 }), types }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('replace' as const), app, pick, url: fc.nat({ max: 6 }), types }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), app, pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('pause' as const), app, pick, by: pauser }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('resume' as const), app, pick, by: pauser }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('publish' as const),
      app,
      user,
      hooks: fc.uniqueArray(fc.nat({ max: 7 }), { maxLength: 4 }),
      type: eventType,
      source: fc.option(fc.nat({ max: 3 })),
      test: fc.nat({ max: 5 }).map((n) => n === 0),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('claim' as const),
      limit: fc.integer({ min: 1, max: 6 }),
      keepForHealthy: fc.nat({ max: 4 }),
      healthy: fc.integer({ min: 1, max: 4 }),
      failing: fc.nat({ max: 2 }),
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constant('recordAttemptResults' as const),
      picks: fc.array(pick, { minLength: 1, maxLength: 4 }),
      how: fc.constantFrom('DELIVERED', 'FAILED', 'RETRY', 'UNSENT', 'CANCELLED', 'INTERRUPTED'),
      delayMs: fc.nat({ max: 5_000 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.nat({ max: 20_000 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.constant(1_800_000) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('takeOver' as const), limit: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const), app, user }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('resend' as const), app, pick }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('record' as const),
      app,
      user,
      external: fc.nat({ max: 5 }),
      decision: fc.constantFrom('PASSED' as const, 'FAILED' as const),
    }),
  },
)
type Recorded = Awaited<ReturnType<WebhookStore['recordAttemptResults']>>
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never

/** Fence tokens are random by design, and bytes and instants compare by what they hold. */
function comparable(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, item: unknown) => {
      if (key === 'token') return 'token'
      return ArrayBuffer.isView(item)
        ? Buffer.from(item.buffer, item.byteOffset, item.byteLength).toString('hex')
        : item
    }),
  )
}

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

function assertSame(actual: unknown, expected: unknown, what: string): void {
  const [found, right] = [comparable(actual), comparable(expected)]
  if (isDeepStrictEqual(found, right)) return
  throw new Error(`${what} differs: ${JSON.stringify(found)}, the model says ${JSON.stringify(right)}`)
}

/** Sequences of commands, each `longest` at most. */
export const sequencesOf = (longest: number) => fc.array(command, { minLength: 10, maxLength: longest, size: 'max' })

/** The sequence of a seed. */
export const commandsOf = (seed: number, longest: number): readonly Command[] =>
  fc.sample(sequencesOf(longest), { seed, numRuns: 1 })[0] ?? []

/**
 * The same commands, all of one app. With tables distributed by app, a claim gives several apps equal parts of its slots and leaves
 * the rest to the next claim, so only the claims of one app are those of the other stores.
 */
export const ofOneApp = (commands: readonly Command[]): readonly Command[] =>
  commands.map((one) => ('app' in one ? { ...one, app: 0 } : one))

interface Opened {
  readonly name: string
  readonly stores: Awaited<ReturnType<Side['open']>>
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
    await compareSides(commands, opened, time)
  } finally {
    for (const { stores } of opened) await stores.close?.()
  }
}

async function compareSides(
  commands: readonly Command[],
  opened: readonly Opened[],
  time: { now: number },
): Promise<void> {
  const clock = () => new Date(time.now)
  const model = createModel(() => time.now)
  const hooks: { id: string; app: string }[] = []
  const deliveryIds: string[] = []
  /** Every fence ever given, stale ones included, as the model and each side gave it. */
  const fences: { readonly model: Fence; readonly ofSides: readonly Fence[] }[] = []
  let written = 0

  let doing = 'nothing'
  /** When retries are due. */
  const dueAt = new Set<number>()

  /** A delay, a little longer where another retry has its end. */
  function ownDelay(delayMs: number): number {
    let own = delayMs
    while (dueAt.has(time.now + own)) own += 1
    dueAt.add(time.now + own)
    return own
  }

  async function compare<T>(inModel: unknown, ask: (stores: Stores) => Promise<T>): Promise<readonly T[]> {
    const answers = await Promise.all(opened.map(({ stores }) => ask(stores)))
    for (const [index, { name }] of opened.entries()) assertSame(answers[index], inModel, `${name}: ${doing}`)
    return answers
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

  async function step(one: Command): Promise<void> {
    // Every command and every retry at an instant of its own: rows of one instant have no order that a port promises.
    do time.now += 1
    while (dueAt.has(time.now))
    doing = one.do
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
        const request = { appId, endpointId, replacement: newHook(one.url, one.types, appId) }
        await compare(model.replaceEndpoint(request), ({ webhooks }) => webhooks.replaceEndpoint(request))
        await compare(model.listEndpoints(appId), ({ webhooks }) => webhooks.listEndpoints(appId))
        return
      }
      case 'remove': {
        const request = { appId, endpointId: hooks[one.pick % (hooks.length || 1)]?.id ?? hookId(99) }
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
        const to = one.hooks.map((n) => ({ ...endpoint(`h${n}`, appId), endpointId: hookId(n) }))
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
        await compare(model.insertEvent(made), ({ webhooks }) => webhooks.insertEvent(made))
        return
      }
      case 'claim': {
        const { limit, keepForHealthy, healthy, failing } = one
        const request = { limit, keepForHealthy, leaseMs: 10_000, maxInFlight: { healthy, failing } }
        const expected = model.claimDue(request)
        const answers = await compare(expected, async ({ webhooks }) => {
          const answer = await webhooks.claimDue(request)
          // A store may say 0 by what it knew before: the next claim knows more.
          return answer.nextDueInMs === 0 ? { ...answer, nextDueInMs: expected.nextDueInMs } : answer
        })
        keepFences(
          expected.claimed,
          answers.map(({ claimed }) => claimed),
        )
        return
      }
      case 'takeOver': {
        const request = { limit: one.limit, leaseMs: 10_000 }
        const expected = model.claimExpired(request)
        keepFences(expected, await compare(expected, ({ webhooks }) => webhooks.claimExpired(request)))
        return
      }
      case 'recordAttemptResults': {
        if (fences.length === 0) return
        const chosen = one.picks.map((n) => fences[n % fences.length]).filter((fence) => fence !== undefined)
        const delays = chosen.map(() => ownDelay(one.delayMs))
        const all = (fenceOf: (each: (typeof fences)[number]) => Fence | undefined) =>
          chosen.map(fenceOf).flatMap((fence, index) => (fence ? [result(one.how, fence, delays[index] ?? 0)] : []))
        const told = ({ stale, turned }: Recorded) => ({
          stale,
          turned: turned.map((each) => JSON.stringify(each)).sort(),
        })
        const expected = told(model.recordAttemptResults(all((each) => each.model)))
        const answers = await Promise.all(
          opened.map(({ stores }, index) => stores.webhooks.recordAttemptResults(all(({ ofSides }) => ofSides[index]))),
        )
        for (const [index, { name }] of opened.entries())
          assertSame(told(answers[index] as Recorded), expected, `${name}: ${doing}`)
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

  /** Everything that can be read back: the same in both engines, and what the model expects. */
  async function readAll({ webhooks, verifications }: Stores) {
    const found = await Promise.all(apps.map((appId) => webhooks.listDeliveries({ appId, limit: 200 })))
    const deliveries = await Promise.all(
      found.flatMap(({ items }) => items).map(({ appId, deliveryId }) => webhooks.findDelivery({ appId, deliveryId })),
    )
    const owners = apps.flatMap((appId) => users.map((userId) => ({ appId, userId })))
    const pages = await Promise.all(owners.map((owner) => verifications.listVerifications(owner, { limit: 200 })))
    return { deliveries, verifications: pages.flatMap(({ items }) => items) }
  }

  for (const one of commands) await step(one)
  doing = 'the rows at the end'
  /** Members and rows in an order of their own: a port promises none. */
  const inAnyOrder = (hours: readonly object[]) => hours.map((one) => JSON.stringify(Object.entries(one).sort())).sort()
  for (const appId of apps) {
    for (const since of [startOfTests, clock()]) {
      await compare(inAnyOrder(model.endpointHours(appId, since)), async ({ webhooks }) =>
        inAnyOrder(await webhooks.listEndpointHours({ appId, since })),
      )
    }
  }
  const at = (instant: Date | null | undefined) => instant?.getTime() ?? null
  await compare({ deliveries: model.deliveries(), verifications: model.verifications() }, async (stores) => {
    const { deliveries, verifications } = await readAll(stores)
    const byId = new Map(deliveries.map((one) => [one?.deliveryId, one]))
    const log = new Map(verifications.map((one) => [one.verificationId, one]))
    return {
      deliveries: [
        ...new Set([...model.deliveries().map((one) => one.deliveryId as string | undefined), ...byId.keys()]),
      ].map((id) => {
        const one = byId.get(id)
        return {
          deliveryId: one?.deliveryId,
          endpointId: one?.endpointId,
          state: one?.state,
          attemptsMade: one?.attemptsMade,
          createdAt: at(one?.createdAt),
          nextAttemptAt: at(one?.nextAttemptAt),
          endedAt: at(one?.endedAt),
          cancelReason: one?.cancelReason,
          resendOf: one?.resendOf,
          attempts: one?.attempts.map((each) => ({
            ...each,
            startedAt: at(each.startedAt),
            endedAt: at(each.endedAt),
          })),
        }
      }),
      verifications: model.verifications().map(({ verificationId }) => {
        const one = log.get(verificationId)
        return {
          verificationId,
          result: one?.result,
          statusLog: { previous: one?.statusLog.previous, next: one?.statusLog.next },
        }
      }),
    }
  })
  // Between the sides everything that can be read back is the same, also what the model does not have.
  const rows = await Promise.all(opened.map(({ stores }) => readAll(stores)))
  for (const [index, { name }] of opened.entries())
    assertSame(rows[index], rows[0], `${name}: everything that is read back`)
}
