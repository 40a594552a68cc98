import type { EventTypes } from '../events/event-type-registry.js'
import { isGranted, isGrantOf, type AppGrant, type GrantLookup, type ScopeRule } from '../publishing/grants.js'
import { classifyResponse } from './classify-response.js'
import { readableHeaders } from './response-headers.js'
import { redactEchoes, type OpenHeaders, type SealedHeaders } from './endpoint-headers.js'
import { reportOfCause } from './delivery-state.js'
import { isAttemptCause } from './explain-attempt.js'
import { isSameId } from '../publishing/same-id.js'
import { resultOfCause, type Sender, type SendResult } from './sender.js'
import { signedHeaders } from './signed-headers.js'
import type { SigningKey, SigningKeys } from './signing-keys.js'
import type { BodySealer } from '../sealing/body-sealer.js'
import { isSealed, openStored } from '../sealing/stored-bodies.js'
import type { AttemptCause, AttemptReport, ClaimedDelivery } from './webhook-store.js'
import { WebhookError } from './webhook-error.js'
import type { DeliveryWorkerProblem } from './worker-observer.js'
import { timedOut, withTimeLimit, type WorkerTimers } from './worker-timers.js'

/** Dependencies of an attempt. */
export interface AttemptDeps {
  readonly grants: GrantLookup
  readonly signingKeys: SigningKeys
  readonly send: Sender
  readonly openHeaders?: OpenHeaders
  readonly bodySealer?: BodySealer
  readonly now: () => Date
  readonly timers: WorkerTimers
  readonly scopeRule: ScopeRule
  readonly eventTypes: Pick<EventTypes, 'find'>
  readonly attemptTimeoutMs: number
  readonly lookUpTimeoutMs: number
  readonly userAgent: string
  /** Called when grants, signing keys or sealed bodies could not be read. */
  readonly onLookUpFailed: () => void
  readonly tell: (problem: DeliveryWorkerProblem, error: unknown) => void
}

/** Time for a sender to return after its own time limit, in milliseconds. */
const senderGraceMs = 1_000

/** A signing key and the opened body, or the reason why nothing may be sent. */
export type Authorization = { readonly signingKey: SigningKey; readonly body: Uint8Array } | AttemptCause

/**
 * Checks the grant of each claimed delivery, finds its signing key and opens its body. Returns one result for each.
 *
 * @param yieldFirst True to let other ready tasks, such as the next claim, run first.
 */
export async function authorizeDeliveries(
  claimed: readonly ClaimedDelivery[],
  yieldFirst: boolean,
  deps: AttemptDeps,
): Promise<readonly Authorization[]> {
  const [granted, keys, bodies] = await Promise.all([
    lookUpEach(claimed, grantsOf(deps), deps),
    lookUpEach(claimed, keysOf(deps), deps),
    openBodies(claimed, yieldFirst, deps),
  ])
  return claimed.map((delivery, index) => {
    const grant = granted[index]
    // A test event contains no user, so it needs no grant.
    if (!delivery.test) {
      if (grant === undefined) return 'GRANTS_UNAVAILABLE'
      if (grant === null) return 'GRANT_REVOKED'
      // Another process publishes a type that this one does not know: nobody here knows what it needs.
      if (deps.eventTypes.find(delivery.eventType) === undefined) {
        deps.tell('EVENT_TYPE_UNKNOWN', new WebhookError('EVENT_TYPE_UNKNOWN'))
        return 'GRANTS_UNAVAILABLE'
      }
      if (!isGranted(deps.eventTypes, delivery.eventType, grant.scopes, deps.scopeRule)) return 'GRANT_REVOKED'
    }
    const signingKey = keys[index]
    // A blank key signs nothing: anyone could sign with it.
    if (signingKey == null || signingKey.key.trim() === '') return 'SIGNING_KEY_MISSING'
    const body = bodies[index]
    if (body === undefined) return 'BODY_UNAVAILABLE'
    // An erasure that met the publishing of the event has blanked its body.
    return body === null || body.length === 0 ? 'USER_ERASED' : { signingKey, body }
  })
}

/** Opens the bodies: null for one whose key was destroyed, undefined for one that cannot be opened now. */
async function openBodies(
  claimed: readonly ClaimedDelivery[],
  yieldFirst: boolean,
  deps: AttemptDeps,
): Promise<readonly (Uint8Array | null | undefined)[]> {
  if (yieldFirst) await letOthersGo(deps.timers)
  const sealed = claimed.filter(({ body }) => isSealed(body))
  if (sealed.length === 0) return claimed.map(({ body }) => body)
  const opened = await lookUpEach(sealed, bodiesOf(deps), deps)
  let next = 0
  return claimed.map(({ body }) => (isSealed(body) ? opened[next++] : body))
}

/** Opening and signing a few hundred bodies takes milliseconds and blocks other work. */
function letOthersGo(timers: WorkerTimers): Promise<void> {
  return new Promise((resolve) => timers.schedule(resolve, 0))
}

/** One look-up for several deliveries. */
interface LookUp<Answer> {
  ask(some: readonly ClaimedDelivery[]): Promise<readonly Answer[]>
  /** Checks whether an answer belongs to its question: one in another order must never be used. */
  isFor(answer: Answer, delivery: ClaimedDelivery): boolean
  readonly failed: 'GRANTS_FAILED' | 'KEYS_FAILED' | 'BODIES_FAILED'
  readonly mismatch: 'GRANTS_MISMATCH' | 'KEYS_MISMATCH' | 'BODIES_FAILED'
}

const grantsOf = ({ grants }: AttemptDeps): LookUp<AppGrant | null> => ({
  ask: (some) => grants.find(some.map(({ appId, userId }) => ({ appId, userId }))),
  isFor: isGrantOf,
  failed: 'GRANTS_FAILED',
  mismatch: 'GRANTS_MISMATCH',
})

const keysOf = ({ signingKeys }: AttemptDeps): LookUp<SigningKey | null> => ({
  ask: (some) => signingKeys.current(some.map(({ appId }) => appId)),
  isFor: (key, { appId }) => key === null || (isSameId(key.appId, appId) && typeof key.key === 'string'),
  failed: 'KEYS_FAILED',
  mismatch: 'KEYS_MISMATCH',
})

const bodiesOf = ({ bodySealer }: AttemptDeps): LookUp<Uint8Array | null> => ({
  ask: (some) =>
    openStored(
      some.map(({ appId, userId, eventId, body }) => ({
        appId,
        userId,
        part: 'event' as const,
        recordId: eventId,
        stored: body,
      })),
      bodySealer,
    ),
  // An answer for another delivery does not open: the place of a body is sealed with it.
  isFor: () => true,
  failed: 'BODIES_FAILED',
  mismatch: 'BODIES_FAILED',
})

/** Looks up all at once, one by one if that fails; undefined for each one without a result. */
async function lookUpEach<Answer>(
  claimed: readonly ClaimedDelivery[],
  { ask, isFor, failed, mismatch }: LookUp<Answer>,
  deps: AttemptDeps,
): Promise<readonly (Answer | undefined)[]> {
  /** Returns the answers; null, and tells why, if they cannot be used. */
  async function attempt(some: readonly ClaimedDelivery[]): Promise<readonly Answer[] | null> {
    try {
      const answers = await withTimeLimit(ask(some), deps.lookUpTimeoutMs, deps.timers)
      if (answers === timedOut) throw new WebhookError('LOOK_UP_TIMED_OUT')
      const fits = (answers as readonly Answer[] | null)?.length === some.length
      if (fits && some.every((one, index) => isFor(answers[index] as Answer, one))) return answers
    } catch (error) {
      deps.tell(failed, error)
      return null
    }
    deps.tell(mismatch, new WebhookError(mismatch === 'BODIES_FAILED' ? 'BODIES_UNAVAILABLE' : mismatch))
    return null
  }
  const together = await attempt(claimed)
  if (together !== null) return together
  const each =
    claimed.length === 1 ? [undefined] : await Promise.all(claimed.map(async (one) => (await attempt([one]))?.[0]))
  if (each.includes(undefined)) deps.onLookUpFailed()
  return each
}

/**
 * Makes one attempt, opened at `openedAtMs` (monotonic), and reports its result. Never rejects.
 *
 * @param index Index of the delivery in the authorizations.
 */
export async function runAttempt(
  delivery: ClaimedDelivery,
  authorizations: Promise<readonly Authorization[]>,
  index: number,
  openedAtMs: number,
  deps: AttemptDeps,
): Promise<AttemptReport> {
  try {
    const authorization = (await authorizations)[index] ?? 'INTERNAL_ERROR'
    if (typeof authorization === 'string') return reportOfCause(authorization)
    const { signingKey, body } = authorization
    return await sendSigned(delivery, body, signingKey, openedAtMs, deps)
  } catch (error) {
    deps.tell('ATTEMPT_FAILED', error)
    return reportOfCause('INTERNAL_ERROR')
  }
}

async function sendSigned(
  // Not its own body, which may be sealed.
  delivery: Omit<ClaimedDelivery, 'body'>,
  body: Uint8Array,
  { key, version }: SigningKey,
  openedAtMs: number,
  deps: AttemptDeps,
): Promise<AttemptReport> {
  const own = delivery.endpoint.headers === null ? {} : await openOwn(delivery.appId, delivery.endpoint.headers, deps)
  if (own === null) return reportOfCause('HEADERS_UNAVAILABLE', version)
  const headers = await signedHeaders({
    xEventId: delivery.xEventId,
    test: delivery.test,
    body,
    standardWebhooks: delivery.endpoint.standardWebhooks,
    secret: key,
    now: deps.now(),
    headers: own,
    userAgent: deps.userAgent,
  })
  // AbortSignal.timeout takes whole milliseconds only.
  const timeoutMs = Math.floor(deps.attemptTimeoutMs - (deps.timers.monotonicMs() - openedAtMs))
  if (timeoutMs <= 0) return reportOfCause('NO_TIME_LEFT', version)
  const sending = deps.send({ url: delivery.endpoint.url, headers, body, timeoutMs })
  const result = await withTimeLimit(sending, timeoutMs + senderGraceMs, deps.timers)
    .then((sent) => (sent === timedOut ? resultOfCause('TIMEOUT') : checkedResult(sent)))
    .catch((error: unknown) => {
      deps.tell('ATTEMPT_FAILED', error)
      return resultOfCause('INTERNAL_ERROR')
    })
  return redactEchoes(reportOf(result, version), Object.values(own))
}

/** @throws WebhookError `SEND_RESULT_INVALID` */
function checkedResult(sent: Partial<SendResult>): Partial<SendResult> {
  if (typeof sent !== 'object' || (sent as object | null) === null) throw new WebhookError('SEND_RESULT_INVALID')
  return sent
}

/** Opens the static headers of the endpoint; null if they cannot be opened. */
async function openOwn(appId: string, headers: SealedHeaders, deps: AttemptDeps) {
  const open = async () => (await deps.openHeaders?.({ appId, headers })) ?? null
  const opened = await withTimeLimit(open(), deps.lookUpTimeoutMs, deps.timers).catch((error: unknown) => {
    deps.tell('HEADERS_FAILED', error)
    return null
  })
  return opened === timedOut ? null : opened
}

/**
 * Makes the report of what a sender saw. What the sender left out, or gave in a wrong form, is unknown: a store would refuse
 * the result, and the delivery would be sent again and again. Success needs a 2xx status.
 */
function reportOf(result: Partial<SendResult>, keyVersion: number): AttemptReport {
  const timings: Partial<AttemptReport['timings']> = result.timings ?? {}
  const status = isStatus(result.status) ? result.status : null
  return {
    cause: causeOf(result.cause, status),
    status,
    address: typeof result.address === 'string' ? result.address : null,
    timings: {
      dnsMs: numberOf(timings.dnsMs),
      connectMs: numberOf(timings.connectMs),
      tlsMs: numberOf(timings.tlsMs),
      firstByteMs: numberOf(timings.firstByteMs),
      totalMs: numberOf(timings.totalMs),
    },
    responseHeaders: readableHeaders(result.responseHeaders ?? {}),
    // A text as body would keep the result from being recorded.
    responseBody: ArrayBuffer.isView(result.responseBody) ? result.responseBody : null,
    keyVersion,
  }
}

/** Without a cause the status decides. A text of the sender's own is no cause that a partner can look up. */
function causeOf(cause: unknown, status: number | null): AttemptCause | null {
  if (isAttemptCause(cause)) return cause
  return typeof cause === 'string' ? 'INTERNAL_ERROR' : classifyResponse(status ?? 0)
}

const numberOf = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) ? value : null)

// A larger number does not fit into the column of a store.
const isStatus = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 100 && Number(value) <= 999
