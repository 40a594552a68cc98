import { eventScopes } from '../events/event-scopes.js'
import { scopesSuffice, type GrantLookup, type ScopeRule } from '../publishing/grants.js'
import { classifyResponse } from './classify-response.js'
import { redactEchoes, type OpenHeaders } from './endpoint-headers.js'
import { reportOfCause } from './delivery-state.js'
import { resultOfCause, type Sender, type SendResult } from './sender.js'
import { signedHeaders } from './signed-headers.js'
import type { SigningKey, SigningKeys } from './signing-keys.js'
import type { AttemptCause, AttemptReport, ClaimedDelivery } from './webhook-store.js'
import { withTimeLimit, type WorkerTimers } from './worker-timers.js'

/** Dependencies of an attempt. */
export interface AttemptDeps {
  readonly grants: GrantLookup
  readonly signingKeys: SigningKeys
  readonly send: Sender
  readonly openHeaders?: OpenHeaders
  readonly now: () => Date
  readonly timers: WorkerTimers
  readonly scopeRule: ScopeRule
  readonly attemptTimeoutMs: number
  readonly lookUpTimeoutMs: number
  readonly userAgent: string
  /** Called when grants or signing keys could not be read. */
  readonly onLookUpFailed: () => void
}

/** Time for a sender to return after its own time limit, in milliseconds. */
const senderGraceMs = 1_000

/** A signing key, or the reason why nothing may be sent. */
export type Authorization = SigningKey | AttemptCause

/**
 * Checks the grant of each claimed delivery and finds its signing key. Returns one result for each.
 *
 * @param soon True to let other ready tasks, such as the next claim, run first.
 */
export async function authorizeDeliveries(
  claimed: readonly ClaimedDelivery[],
  soon: boolean,
  deps: AttemptDeps,
): Promise<readonly Authorization[]> {
  const [granted, keys] = await Promise.all([
    lookUpEach(claimed, (some) => deps.grants.find(some.map(({ appId, userId }) => ({ appId, userId }))), deps),
    lookUpEach(claimed, (some) => deps.signingKeys.current(some.map(({ appId }) => appId)), deps),
  ])
  if (soon) await letOthersGo(deps.timers)
  return claimed.map((delivery, index) => {
    const grant = granted[index]
    // A test event contains no user, so it needs no grant.
    if (!delivery.test) {
      if (grant === undefined) return 'GRANTS_UNAVAILABLE'
      const scopes = grant === null ? null : grant.scopes
      if (scopes === null || !scopesSuffice(eventScopes[delivery.eventType], scopes, deps.scopeRule)) {
        return 'GRANT_REVOKED'
      }
    }
    return keys[index] ?? 'SIGNING_KEY_MISSING'
  })
}

/** Most attempts started without a pause: signing a few hundred takes milliseconds and blocks other work. */
function letOthersGo(timers: WorkerTimers): Promise<void> {
  return new Promise((resolve) => timers.schedule(resolve, 0))
}

/** Looks up all at once, one by one if that fails; undefined for each one without a result. */
async function lookUpEach<A>(
  claimed: readonly ClaimedDelivery[],
  ask: (some: readonly ClaimedDelivery[]) => Promise<readonly A[]>,
  deps: AttemptDeps,
): Promise<readonly (A | undefined)[]> {
  const attempt = async (some: readonly ClaimedDelivery[]) => {
    const answers = await withTimeLimit(ask(some), deps.lookUpTimeoutMs, null, deps.timers)
    return answers?.length === some.length ? answers : null
  }
  const together = await attempt(claimed).catch(() => null)
  if (together !== null) return together
  const each =
    claimed.length === 1
      ? [undefined]
      : await Promise.all(
          claimed.map((one) =>
            attempt([one]).then(
              (answer) => answer?.[0],
              () => undefined,
            ),
          ),
        )
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
    return await sendSigned(delivery, authorization, openedAtMs, deps)
  } catch {
    return reportOfCause('INTERNAL_ERROR')
  }
}

async function sendSigned(
  delivery: ClaimedDelivery,
  { key, version }: SigningKey,
  openedAtMs: number,
  deps: AttemptDeps,
): Promise<AttemptReport> {
  const own = await openOwn(delivery, deps)
  if (own === null) return reportOfCause('HEADERS_UNAVAILABLE', version)
  const headers = await signedHeaders({
    xEventId: delivery.xEventId,
    test: delivery.test,
    body: delivery.body,
    standardWebhooks: delivery.endpoint.standardWebhooks,
    secret: key,
    now: deps.now(),
    headers: own,
    userAgent: deps.userAgent,
  })
  // AbortSignal.timeout takes whole milliseconds only.
  const timeoutMs = Math.floor(deps.attemptTimeoutMs - (deps.timers.monotonicMs() - openedAtMs))
  if (timeoutMs <= 0) return reportOfCause('TIMEOUT', version)
  const sending = deps.send({ url: delivery.endpoint.url, headers, body: delivery.body, timeoutMs })
  const result = await withTimeLimit(sending, timeoutMs + senderGraceMs, null, deps.timers).catch(() =>
    resultOfCause('INTERNAL_ERROR'),
  )
  return reportOf(redactEchoes(result ?? resultOfCause('TIMEOUT'), Object.values(own)), version)
}

/** Opens the static headers of the endpoint; null if they cannot be opened. */
async function openOwn({ appId, endpoint }: ClaimedDelivery, deps: AttemptDeps) {
  const { headers } = endpoint
  if (headers === null) return {}
  const opening = deps.openHeaders?.({ appId, headers }) ?? Promise.resolve(null)
  return withTimeLimit(opening, deps.lookUpTimeoutMs, null, deps.timers).catch(() => null)
}

/** Corrects a sender's result: success needs a 2xx status. */
function reportOf(result: SendResult, keyVersion: number): AttemptReport {
  return { ...result, cause: result.cause ?? classifyResponse(result.status ?? 0), keyVersion }
}
