import type { HeadersLike } from '../signature/headers.js'
import { verifyWebhook, type SignedRequest, type VerifiedWebhook } from '../signature/verify-webhook.js'
import { WebhookVerificationError } from '../signature/verification-error.js'
import type { DeduplicationStore } from './deduplication-store.js'
import { rawBodyLine, type ReceiverFramework } from './raw-body.js'

/** What a receiver does with webhooks. */
export interface WebhookReceiverOptions {
  /** The application's API key; several while it is being rotated. */
  readonly secrets: SignedRequest['secrets']
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
  /** Told of each request that was refused, with a function that looks for the reason. For logs and alerts. */
  readonly onRefused?: ((refusal: WebhookRefusal) => void) | undefined
  /** Told what `onEvent` or the deduplication store threw. Without it the failure is visible only as status 500. */
  readonly onError?: ((error: unknown) => void) | undefined
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
  request: { readonly body: string | Uint8Array; readonly headers: HeadersLike },
  options: WebhookReceiverOptions,
): Promise<WebhookAnswer> {
  const { body, headers } = request
  let webhook: VerifiedWebhook
  try {
    webhook = await verifyWebhook({ body, headers, secrets: options.secrets })
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) return fail(error, options)
    return error.code === 'BODY_ALREADY_PARSED' ? refuseParsedBody(options) : refuse(error, options)
  }
  try {
    return options.deduplicate
      ? await processOnce(webhook, options.deduplicate, options)
      : await processAgain(webhook, options)
  } catch (error) {
    return fail(error, options)
  }
}

async function processAgain(webhook: VerifiedWebhook, options: WebhookReceiverOptions): Promise<WebhookAnswer> {
  await options.onEvent(webhook, { fence: null })
  return answer(200, { received: true })
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
  try {
    await options.onEvent(webhook, { fence })
  } catch (error) {
    await store.fail({ eventId, fence })
    throw error
  }
  // Stale means that the lease ended while onEvent ran and somebody else has the event now. The work is done all the
  // same, and the other one answers for its own attempt.
  await store.complete({ eventId, fence })
  return answer(200, { received: true })
}

/** The answer to a request that is refused; tells `onRefused`. */
function refuse(error: WebhookVerificationError, options: WebhookReceiverOptions): WebhookAnswer {
  options.onRefused?.({ error })
  const { code, message, hint, status } = error
  // A 500 here is a mistake in the receiver's own set-up: the hint reaches its author through the delivery log.
  return answer(status, status === 500 ? { code, message, hint } : { code, message })
}

/** The answer when something else has read the body already; at once, since waiting for it would never end. */
export function refuseParsedBody(options: WebhookReceiverOptions): WebhookAnswer {
  const hint = options.framework && rawBodyLine(options.framework)
  return refuse(new WebhookVerificationError('BODY_ALREADY_PARSED', hint), options)
}

function fail(error: unknown, options: WebhookReceiverOptions): WebhookAnswer {
  options.onError?.(error)
  return answer(500, { code: 'HANDLER_FAILED' })
}

/** A JSON answer. */
export function answer(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): WebhookAnswer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
}
