import type { NoEventTypes, ReceivedEventType } from '../events/own-event-types.js'
import {
  answer,
  checkReceiverOptions,
  receiveWebhook,
  refuseParsedBody,
  type WebhookAnswer,
  type WebhookReceiverOptions,
} from './receive-webhook.js'
import { createReceivedBody } from './received-body.js'

/** Options of {@link createWebhookHandler}. */
export interface WebhookHandlerOptions<
  Own extends readonly ReceivedEventType[] = NoEventTypes,
> extends WebhookReceiverOptions<Own> {
  /** Largest body in bytes; a larger one is answered with 413 before its end. Default 262,144 (256 KiB). */
  readonly maxBodyBytes?: number | undefined
  /** Time limit for the body in milliseconds; then the response is 408. Default 30,000, the sender's deadline. */
  readonly bodyTimeoutMs?: number | undefined
}

/**
 * Creates a handler for servers with Fetch's `Request` and `Response`: Hono, Next route handlers, Cloudflare Workers,
 * Deno, Bun.
 *
 * Reads the raw body itself. A request with a consumed body is refused at once with 500 and `BODY_ALREADY_PARSED`.
 * Responses are those of {@link receiveWebhook}, and 405 (not a POST), 408 and 413. The handler never throws.
 *
 * @throws WebhookVerificationError `SECRET_MISSING` when it is created without a secret, or with an empty one
 * @throws TypeError when it is created with another option of a wrong shape or an unknown name, for example
 *   `standardWebhooks` without `now`
 *
 * @example
 * ```ts
 * import { createWebhookHandler } from '@kyc-relay/webhooks'
 *
 * export const POST = createWebhookHandler({
 *   secrets: process.env.KYC_RELAY_API_KEY,
 *   onEvent: async ({ type, event }) => {
 *     if (type === 'WIDGET_DEPOSIT_COMPLETE') console.log(event.externalReferenceId, event.amount)
 *   },
 * })
 * ```
 */
export function createWebhookHandler<const Own extends readonly ReceivedEventType[] = NoEventTypes>(
  given: WebhookHandlerOptions<Own>,
): (request: Request) => Promise<Response> {
  checkReceiverOptions(given)
  const options: WebhookHandlerOptions<Own> = { framework: 'fetch', ...given }
  return async (request) => {
    const { status, headers, body } = await handle(request, options)
    return new Response(body, { status, headers })
  }
}

async function handle<Own extends readonly ReceivedEventType[]>(
  request: Request,
  options: WebhookHandlerOptions<Own>,
): Promise<WebhookAnswer> {
  if (request?.method !== 'POST') return answer(405, { code: 'METHOD_NOT_ALLOWED' }, { allow: 'POST' })
  if (request.bodyUsed || request.body?.locked)
    return refuseParsedBody({ body: request, headers: request.headers }, options)
  const body = await readBody(request, options.maxBodyBytes ?? 262_144, options.bodyTimeoutMs ?? 30_000)
  if (body === 'TOO_LARGE') return answer(413, { code: 'BODY_TOO_LARGE' })
  if (body === 'TIMED_OUT') return answer(408, { code: 'BODY_TIMEOUT' })
  if (body === 'ABORTED') return answer(400, { code: 'BODY_INCOMPLETE' })
  return receiveWebhook({ body, headers: request.headers }, options)
}

async function readBody(
  request: Request,
  maxBytes: number,
  timeoutMs: number,
): Promise<Uint8Array | 'TOO_LARGE' | 'TIMED_OUT' | 'ABORTED'> {
  if (!request.body) return new Uint8Array()
  const reader = request.body.getReader()
  let timer: ReturnType<typeof setTimeout> | undefined
  const deadline = new Promise<'TIMED_OUT'>((resolve) => {
    timer = setTimeout(() => resolve('TIMED_OUT'), timeoutMs)
  })
  const end = (reason: 'TOO_LARGE' | 'TIMED_OUT' | 'ABORTED') => {
    // Not awaited: cancelling a stalled stream may never settle.
    reader.cancel().catch(() => undefined)
    return reason
  }
  try {
    if (Number(request.headers.get('content-length')) > maxBytes) return end('TOO_LARGE')
    const body = createReceivedBody(maxBytes)
    for (;;) {
      const read = await Promise.race([reader.read(), deadline])
      if (read === 'TIMED_OUT') return end('TIMED_OUT')
      if (read.done) return body.bytes()
      if (!body.add(read.value)) return end('TOO_LARGE')
    }
  } catch {
    return end('ABORTED')
  } finally {
    clearTimeout(timer)
  }
}
