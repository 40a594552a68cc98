import { explainMismatch, type Diagnosis, type ExplainableRequest } from '../signature/explain-mismatch.js'
import type { HeadersLike } from '../signature/headers.js'
import type { Secrets, WebhookBody } from '../signature/signed-request.js'
import type { VerifiedWebhook } from '../signature/read-event.js'
import { verifyStandardWebhook } from '../signature/standard-webhooks.js'
import { verifyWebhook, type SignedRequest } from '../signature/verify-webhook.js'
import { WebhookVerificationError } from '../signature/verification-error.js'
import type { DeduplicationStore } from './deduplication-store.js'
import { rawBodyLine, type ReceiverFramework } from './raw-body.js'

/** What a receiver does with webhooks. */
export interface WebhookReceiverOptions {
  /** The application's API key; several while it is being rotated. */
  readonly secrets: Secrets
  /**
   * Acts on an authentic event. When it throws, the answer is 500 and the sender tries again.
   *
   * Unknown event types (`type: 'UNKNOWN'`) and test events (`test: true`) come here too.
   */
  readonly onEvent: (webhook: VerifiedWebhook, processing: EventProcessing) => unknown
  /** Remembers processed events by `X-Event-ID`. Without it a repeated event reaches `onEvent` again. */
  readonly deduplicate?: DeduplicationStore | undefined
  /**
   * How long one event is reserved for the process that works on it, in milliseconds. Default 60,000: more than the
   * sender's deadline of 30 s. Longer than `onEvent` can take.
   */
  readonly leaseMs?: number | undefined
  /**
   * Told of each request that was refused, with a function that looks for the reason. For logs and alerts: the answer does
   * not wait for it, and what it throws, at once or later, is dropped.
   */
  readonly onRefused?: ((refusal: WebhookRefusal) => unknown) | undefined
  /**
   * Told what `onEvent` or the deduplication store threw. Without it the failure is visible only as status 500. The answer does
   * not wait for it, and what it throws, at once or later, is dropped.
   */
  readonly onError?: ((error: unknown) => unknown) | undefined
  /**
   * Demands the Standard Webhooks headers, which an endpoint can opt in to, so that replays are refused: `now` is the
   * clock, `toleranceMs` how old a request may be, default 300,000 (5 minutes). Duplicates are then told by the signed id.
   */
  readonly standardWebhooks?: { readonly now: () => Date; readonly toleranceMs?: number | undefined } | undefined
  /** Where this runs, so that an error names the very line to change. */
  readonly framework?: ReceiverFramework | undefined
}

/** The circumstances under which `onEvent` runs. */
export interface EventProcessing {
  /** The claim's fencing token, for writes that must not happen after the lease ended; null without `deduplicate`. */
  readonly fence: number | null
}

/** A request that was refused. */
export interface WebhookRefusal {
  readonly error: WebhookVerificationError
  /** Looks for the reason; see {@link explainMismatch}. For logs only: it must not reach the sender. */
  readonly explain: () => Promise<Diagnosis | null>
}

/** What to answer to the sender. */
export interface WebhookAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Takes in one webhook whose raw body has been read: verify, deduplicate, act, answer.
 *
 * For runtimes that have neither Fetch's nor Node's request, such as AWS Lambda; the others have
 * {@link createWebhookHandler} and `@kyc-relay/webhooks/node`. Never throws.
 *
 * @returns 200 when the event was processed now or earlier; 401 not authentic; 400 authentic but no event; 500 when
 *   `onEvent` threw or the receiver is set up wrongly; 503 with `Retry-After` while another process works on the event.
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
export async function receiveWebhook(
  request: { readonly body: WebhookBody; readonly headers: HeadersLike },
  options: WebhookReceiverOptions,
): Promise<WebhookAnswer> {
  try {
    const webhook = await verify({ ...request, secrets: options.secrets }, options.standardWebhooks)
    return options.deduplicate
      ? await processOnce(webhook, options.deduplicate, options)
      : await act(webhook, null, options)
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) return fail(error, options)
    return error.code === 'BODY_ALREADY_PARSED' ? refuseParsedBody(request, options) : refuse(error, request, options)
  }
}

function verify(
  request: SignedRequest,
  standardWebhooks: WebhookReceiverOptions['standardWebhooks'],
): Promise<VerifiedWebhook> {
  if (!standardWebhooks) return verifyWebhook(request)
  const { now, toleranceMs } = standardWebhooks
  return verifyStandardWebhook({ ...request, now: now(), toleranceMs })
}

async function processOnce(
  webhook: VerifiedWebhook,
  store: DeduplicationStore,
  options: WebhookReceiverOptions,
): Promise<WebhookAnswer> {
  const { eventId } = webhook
  const claim = await store.claim({ eventId, leaseMs: options.leaseMs ?? 60_000 })
  if (claim.kind === 'completed') return answer(200, { received: true, duplicate: true })
  if (claim.kind === 'in_progress') {
    const retryAfter = String(Math.max(1, Math.ceil(claim.leaseEndsInMs / 1000)))
    return answer(503, { code: 'IN_PROGRESS' }, { 'retry-after': retryAfter })
  }
  const { fence } = claim
  const processed = await act(webhook, fence, options)
  // Stale, either way, means that the lease ended while onEvent ran and somebody else has the event now. They answer for
  // their own attempt; what happened here stays the answer to this one.
  if (processed.status === 200) await store.complete({ eventId, fence })
  else await store.fail({ eventId, fence })
  return processed
}

async function act(
  webhook: VerifiedWebhook,
  fence: number | null,
  options: WebhookReceiverOptions,
): Promise<WebhookAnswer> {
  try {
    await options.onEvent(webhook, { fence })
    return answer(200, { received: true })
  } catch (error) {
    return fail(error, options)
  }
}

/** The answer when something else has read the body already; at once, since waiting for it would never end. */
export function refuseParsedBody(
  request: Pick<ExplainableRequest, 'body' | 'headers'>,
  options: WebhookReceiverOptions,
): WebhookAnswer {
  const hint = options.framework && rawBodyLine(options.framework)
  return refuse(new WebhookVerificationError('BODY_ALREADY_PARSED', hint), request, options)
}

function refuse(
  error: WebhookVerificationError,
  request: Pick<ExplainableRequest, 'body' | 'headers'>,
  options: WebhookReceiverOptions,
): WebhookAnswer {
  const { secrets, framework, onRefused } = options
  tell(onRefused, { error, explain: () => explainMismatch({ ...request, secrets, framework }) })
  const { code, message, hint, status } = error
  // A 500 here is a mistake in the receiver's own set-up: the hint reaches its author through the delivery log.
  return answer(status, status === 500 ? { code, message, hint } : { code, message })
}

function fail(error: unknown, options: WebhookReceiverOptions): WebhookAnswer {
  tell(options.onError, error)
  return answer(500, { code: 'HANDLER_FAILED' })
}

// A log that fails, at once or later, must not change the answer, let alone end the process. There is nobody left to tell.
function tell<News>(listener: ((news: News) => unknown) | undefined, news: News): void {
  void (async () => listener?.(news))().catch(() => undefined)
}

/** A JSON answer. */
export function answer(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): WebhookAnswer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
}
