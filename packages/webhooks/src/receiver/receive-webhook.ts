import type { NoEventTypes, ReceivedEventType } from '../events/own-event-types.js'
import { checkNames } from '../signature/check-names.js'
import { explainMismatch, type Diagnosis, type ExplainableRequest } from '../signature/explain-mismatch.js'
import type { HeadersLike } from '../signature/headers.js'
import { usableSecrets, type Secrets, type WebhookBody } from '../signature/signed-request.js'
import type { VerifiedWebhook } from '../signature/read-event.js'
import { verifyStandardWebhook } from '../signature/standard-webhooks.js'
import { verifyWebhook, type SignedRequest } from '../signature/verify-webhook.js'
import { WebhookVerificationError } from '../signature/verification-error.js'
import type { DeduplicationStore } from './deduplication-store.js'
import { rawBodyLine, type ReceiverFramework } from './raw-body.js'

/** Options of a webhook receiver. */
export interface WebhookReceiverOptions<Own extends readonly ReceivedEventType[] = NoEventTypes> {
  /** API key of the application; several keys during a rotation. */
  readonly secrets: Secrets
  /**
   * Processes an authentic event. When it throws, the response is 500 and the sender retries.
   *
   * It also receives unknown event types (`type: 'UNKNOWN'`) and test events (`test: true`).
   */
  readonly onEvent: (webhook: VerifiedWebhook<Own>, processing: EventProcessing) => unknown
  /** Event types beyond those of the service, each with its `name`, as for `verifyWebhook`. Default none. */
  readonly eventTypes?: Own | undefined
  /** Deduplicates events by `X-Event-ID`. Without it `onEvent` also receives repeated events. */
  readonly deduplicate?: DeduplicationStore | undefined
  /**
   * Lease of one event for the process that handles it, in milliseconds. It must be longer than `onEvent` can take.
   * Default 60,000, which exceeds the sender's deadline of 30 s.
   */
  readonly leaseMs?: number | undefined
  /**
   * Called for each refused request, with a function that finds the reason. For logs and alerts: the response does not
   * wait for it, and its errors are ignored.
   */
  readonly onRefused?: ((refusal: WebhookRefusal) => unknown) | undefined
  /**
   * Called with an error of `onEvent` or the deduplication store. Default: `console.error`. The response does not wait for
   * it, and its errors are ignored.
   */
  readonly onError?: ((error: unknown) => unknown) | undefined
  /**
   * Requires the Standard Webhooks headers, which an endpoint can opt in to, and refuses old requests. `now` is the
   * clock. `toleranceMs` is the largest age of a request, default 300,000 (5 minutes). Deduplication then uses the
   * signed id.
   */
  readonly standardWebhooks?: { readonly now: () => Date; readonly toleranceMs?: number | undefined } | undefined
  /** Framework of the receiver, so that an error names the line to change. */
  readonly framework?: ReceiverFramework | undefined
}

/** Context of a call of `onEvent`. */
export interface EventProcessing {
  /** Fencing token of the claim, for writes that must not happen after its lease; null without `deduplicate`. */
  readonly fence: number | null
}

/** A request that was refused. */
export interface WebhookRefusal {
  readonly error: WebhookVerificationError
  /** Finds the reason; see {@link explainMismatch}. Only for logs: do not send it to the sender. */
  readonly explain: () => Promise<Diagnosis | null>
}

/** Response to the sender. */
export interface WebhookAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Receives one webhook with its raw body: verifies, deduplicates and processes it, and returns the response.
 *
 * For runtimes without Fetch's or Node's request, such as AWS Lambda. Otherwise use {@link createWebhookHandler} or
 * `@kyc-relay/webhooks/node`. Never throws.
 *
 * @returns 200 when the event was processed now or earlier; 401 not authentic; 400 authentic but not an event; 500 when
 *   `onEvent` threw or the configuration of the receiver is wrong; 503 with `Retry-After` while another process handles
 *   the event.
 *
 * @example
 * ```ts
 * import { receiveWebhook } from '@kyc-relay/webhooks'
 *
 * const answer = await receiveWebhook(
 *   { body: '{}', headers: {} },
 *   { secrets: 'the API key', onEvent: ({ type }) => console.log(type) },
 * )
 * console.log(answer.status) // 401
 * ```
 */
export async function receiveWebhook<const Own extends readonly ReceivedEventType[] = NoEventTypes>(
  request: { readonly body: WebhookBody; readonly headers: HeadersLike },
  given?: WebhookReceiverOptions<Own>,
): Promise<WebhookAnswer> {
  // Without options it answers that there is no secret.
  const options = given ?? ({} as WebhookReceiverOptions<Own>)
  try {
    checkReceiverOptions(options)
    const { secrets, eventTypes } = options
    const { body, headers } = request ?? {}
    const webhook = await verify({ body, headers, secrets, eventTypes }, options.standardWebhooks)
    return options.deduplicate
      ? await processOnce(webhook, options.deduplicate, options)
      : await act(webhook, null, options)
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) return fail(error, options)
    return error.code === 'BODY_ALREADY_PARSED' ? refuseParsedBody(request, options) : refuse(error, request, options)
  }
}

function verify<Own extends readonly ReceivedEventType[]>(
  request: SignedRequest<Own>,
  standardWebhooks: WebhookReceiverOptions['standardWebhooks'],
): Promise<VerifiedWebhook<Own>> {
  if (!standardWebhooks) return verifyWebhook(request)
  const { now, toleranceMs } = standardWebhooks
  return verifyStandardWebhook({ ...request, now: now(), toleranceMs })
}

async function processOnce<Own extends readonly ReceivedEventType[]>(
  webhook: VerifiedWebhook<Own>,
  store: DeduplicationStore,
  options: WebhookReceiverOptions<Own>,
): Promise<WebhookAnswer> {
  const { eventId } = webhook
  const claim = await store.claim({ eventId, leaseMs: options.leaseMs ?? 60_000 })
  if (claim.kind === 'completed') return answer(200, { received: true, duplicate: true })
  // False, for a duplicate, would act on the event again. NaN is no time to retry after.
  if (!Number.isFinite(claim.kind === 'in_progress' ? claim.leaseEndsInMs : claim.fence))
    throw new TypeError(
      'The deduplication store must answer a claim with completed, claimed and its fence, or in_progress and leaseEndsInMs.',
    )
  if (claim.kind === 'in_progress') {
    const retryAfter = String(Math.max(1, Math.ceil(claim.leaseEndsInMs / 1000)))
    return answer(503, { code: 'IN_PROGRESS' }, { 'retry-after': retryAfter })
  }
  const { fence } = claim
  const processed = await act(webhook, fence, options)
  // `stale` means that the lease ended while onEvent ran, and another process has claimed the event. The response to
  // this attempt is still the result of onEvent here.
  if (processed.status === 200) await store.complete({ eventId, fence })
  else await store.fail({ eventId, fence })
  return processed
}

async function act<Own extends readonly ReceivedEventType[]>(
  webhook: VerifiedWebhook<Own>,
  fence: number | null,
  options: WebhookReceiverOptions<Own>,
): Promise<WebhookAnswer> {
  try {
    await options.onEvent(webhook, { fence })
    return answer(200, { received: true })
  } catch (error) {
    return fail(error, options)
  }
}

type RefusalOptions = Pick<WebhookReceiverOptions, 'secrets' | 'framework' | 'onRefused' | 'standardWebhooks'>

/** Refuses a request whose body is already consumed. It does not wait for the body, which would never arrive. */
export function refuseParsedBody(
  request: Pick<ExplainableRequest, 'body' | 'headers'>,
  options: RefusalOptions,
): WebhookAnswer {
  const hint = options.framework && rawBodyLine(options.framework)
  return refuse(new WebhookVerificationError('BODY_ALREADY_PARSED', hint), request, options)
}

function refuse(
  error: WebhookVerificationError,
  request: Pick<ExplainableRequest, 'body' | 'headers'>,
  options: RefusalOptions,
): WebhookAnswer {
  const { secrets, framework, onRefused, standardWebhooks } = options
  const explainOwn = () => explainMismatch({ ...request, secrets, framework })
  const explain = standardWebhooks ? () => explainStandard(error, explainOwn) : explainOwn
  tell(onRefused, { error, explain })
  const { code, message, hint, status } = error
  // A 500 here is a configuration mistake. The receiver's author sees the hint in the delivery log.
  return answer(status, status === 500 ? { code, message, hint } : { code, message })
}

/** The basic signature may be good although the Standard Webhooks headers are not: then the error is the reason. */
async function explainStandard(
  { code, message, hint }: WebhookVerificationError,
  explainOwn: () => Promise<Diagnosis | null>,
): Promise<Diagnosis | null> {
  const isUnclear = code === 'SIGNATURE_MISMATCH' || code === 'SIGNATURE_MALFORMED'
  const found = isUnclear || code.startsWith('BODY_') ? await explainOwn() : null
  const reason = { evidence: message, fix: hint, probes: 0 }
  // Without the basic signature there is nothing to compare variants with.
  if (found !== null && found.cause !== 'SIGNATURE_MISSING') return found
  return isUnclear
    ? { cause: 'UNEXPLAINED', confidence: 'none', ...reason }
    : { cause: code, confidence: 'proved', ...reason }
}

function fail(error: unknown, options: Pick<WebhookReceiverOptions, 'onError'>): WebhookAnswer {
  tell(options.onError ?? printError, error)
  return answer(500, { code: 'HANDLER_FAILED' })
}

// eslint-disable-next-line no-console -- a receiver without onError must not fail silently
const printError = (error: unknown) => console.error(error)

type ReceiverOptions<Own extends readonly ReceivedEventType[]> = WebhookReceiverOptions<Own> & {
  readonly maxBodyBytes?: number | undefined
  readonly bodyTimeoutMs?: number | undefined
}

/**
 * Checks options that a handler is created with, so that a mistake is found at the start and not at the first event.
 *
 * @throws WebhookVerificationError `SECRET_MISSING` without a secret, or with an empty one among others
 * @throws TypeError for a callback, a clock, a number, event types or a deduplication store that is none, and for an
 *   unknown name
 */
export function checkReceiverOptions<Own extends readonly ReceivedEventType[]>(options: ReceiverOptions<Own>): void {
  const { secrets, onEvent, onRefused, onError, standardWebhooks, deduplicate, eventTypes, ...more } = options ?? {}
  const { leaseMs = 1, maxBodyBytes = 1, bodyTimeoutMs = 1, ...others } = more
  const usable = usableSecrets(secrets)
  // A second key whose variable is not set is absent. One that is set to nothing is a mistake.
  const given = Array.isArray(secrets) ? secrets.filter((secret) => secret !== undefined) : usable
  if (given.length > usable.length) throw new WebhookVerificationError('SECRET_MISSING')
  const must = (isRight: boolean, what: string) => {
    if (!isRight) throw new TypeError(`The option ${what}.`)
  }
  must(typeof onEvent === 'function', 'onEvent must be a function')
  // Misspelt, `deduplicate` would let an event be processed twice, and `standardWebhooks` accept an old one.
  checkNames(others, optionNames)
  for (const [name, listener] of Object.entries({ onRefused, onError }))
    must(listener === undefined || typeof listener === 'function', `${name} must be a function`)
  // NaN, from a variable that is not set, would disable the limit, or let two callers claim one event.
  must(maxBodyBytes >= 1, 'maxBodyBytes must be at least 1')
  must(leaseMs >= 1 && leaseMs < Infinity, 'leaseMs must be at least 1, and finite')
  must(bodyTimeoutMs >= 1 && bodyTimeoutMs < 2 ** 31, 'bodyTimeoutMs must be from 1 to 2,147,483,647')
  if (standardWebhooks) {
    const { now, toleranceMs = 0 } = standardWebhooks
    // NaN, from an invalid Date, would refuse every event.
    const isClock = typeof now === 'function' && Number.isFinite((now() as Partial<Date> | undefined)?.getTime?.())
    must(isClock, 'standardWebhooks.now must be a function that returns the current time as a Date')
    must(typeof toleranceMs === 'number' && toleranceMs >= 0, 'standardWebhooks.toleranceMs must be at least 0')
    checkNames(standardWebhooks, ['now', 'toleranceMs'], 'standardWebhooks.')
  }
  const isStore = ({ claim, complete, fail: release }: DeduplicationStore) =>
    [claim, complete, release].every((method) => typeof method === 'function')
  must(!deduplicate || isStore(deduplicate), 'deduplicate must be a deduplication store')
  // A text among them would name no type, and its events would be UNKNOWN.
  const areTypes = Array.isArray(eventTypes) && eventTypes.every(hasName)
  must(eventTypes === undefined || areTypes, 'eventTypes must be a list of objects with a name')
}

const optionNames: readonly string[] = [
  'secrets',
  'onEvent',
  'eventTypes',
  'deduplicate',
  'leaseMs',
  'onRefused',
  'onError',
  'standardWebhooks',
  'framework',
  'maxBodyBytes',
  'bodyTimeoutMs',
] satisfies (keyof WebhookReceiverOptions | 'maxBodyBytes' | 'bodyTimeoutMs')[]

const hasName = (type: unknown) => typeof (type as Partial<ReceivedEventType> | null)?.name === 'string'

// An error of a log callback must not change the response or end the process. It is ignored.
function tell<News>(listener: ((news: News) => unknown) | undefined, news: News): void {
  void (async () => listener?.(news))().catch(() => undefined)
}

/** Creates a JSON response. */
export function answer(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): WebhookAnswer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
}
