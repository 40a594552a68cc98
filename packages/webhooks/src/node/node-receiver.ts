import type { IncomingMessage, ServerResponse } from 'node:http'
import type { NoEventTypes, ReceivedEventType } from '../events/own-event-types.js'
import type { ReceiverFramework } from '../receiver/raw-body.js'
import {
  answer,
  checkReceiverOptions,
  receiveWebhook,
  refuseParsedBody,
  type WebhookAnswer,
  type WebhookReceiverOptions,
} from '../receiver/receive-webhook.js'
import { readBody } from './read-body.js'

/** Options of {@link createNodeWebhookHandler}. */
export interface NodeWebhookHandlerOptions<
  Own extends readonly ReceivedEventType[] = NoEventTypes,
> extends WebhookReceiverOptions<Own> {
  /** Largest body in bytes; a larger one is answered with 413. Default 262,144 (256 KiB). */
  readonly maxBodyBytes?: number | undefined
  /** Time limit for the body in milliseconds; then the response is 408. Default 30,000, the sender's deadline. */
  readonly bodyTimeoutMs?: number | undefined
}

/** Node's request, with the body members that frameworks add. */
export type NodeWebhookRequest = IncomingMessage & {
  /** Set by `express.raw()` and the like. */
  readonly body?: unknown
  /** Set by Google Cloud Functions, Firebase and raw-body plugins. */
  readonly rawBody?: unknown
}

/**
 * Creates a handler for Node's HTTP server, Express, and other frameworks with Node's request and response.
 *
 * Takes the raw body from `rawBody` or `body` if a raw-body parser has put bytes or text there; otherwise reads the
 * stream. A parsed or consumed body is refused at once with 500 and `BODY_ALREADY_PARSED`; the hint names the line to
 * change. Responses are those of `receiveWebhook`, and 405 (not a POST), 408 and 413. The handler always responds and
 * never throws.
 *
 * @throws WebhookVerificationError `SECRET_MISSING` when it is created without a secret, or with an empty one
 * @throws TypeError when it is created with another option of a wrong shape or an unknown name, for example
 *   `standardWebhooks` without `now`
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http'
 * import { createNodeWebhookHandler } from '@kyc-relay/webhooks/node'
 *
 * const receive = createNodeWebhookHandler({
 *   secrets: process.env.KYC_RELAY_API_KEY,
 *   onEvent: async ({ type, eventId }) => console.log(type, eventId),
 * })
 * const server = createServer((request, response) => void receive(request, response))
 * ```
 */
export function createNodeWebhookHandler<const Own extends readonly ReceivedEventType[] = NoEventTypes>(
  options: NodeWebhookHandlerOptions<Own>,
): (request: NodeWebhookRequest, response: ServerResponse) => Promise<void> {
  checkReceiverOptions(options)
  return async (request, response) => {
    const { status, headers, body } = await receiveNodeWebhook(request, options)
    if (response.headersSent || response.destroyed) return
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
    response.end(body)
  }
}

/**
 * Receives one webhook from Node's request and returns the response, for frameworks that write it themselves.
 *
 * @example
 * ```ts
 * import { receiveNodeWebhook } from '@kyc-relay/webhooks/node'
 *
 * // Koa
 * export async function webhook(ctx: {
 *   req: import('node:http').IncomingMessage
 *   status: number
 *   body: unknown
 *   set(headers: Record<string, string>): void
 * }) {
 *   const answer = await receiveNodeWebhook(ctx.req, { secrets: 'the API key', onEvent: () => undefined, framework: 'koa' })
 *   ctx.status = answer.status
 *   ctx.set({ ...answer.headers })
 *   ctx.body = answer.body
 * }
 * ```
 */
export async function receiveNodeWebhook<const Own extends readonly ReceivedEventType[] = NoEventTypes>(
  request: NodeWebhookRequest,
  given: NodeWebhookHandlerOptions<Own>,
): Promise<WebhookAnswer> {
  if (request?.method !== 'POST') return answer(405, { code: 'METHOD_NOT_ALLOWED' }, { allow: 'POST' })
  const options = { framework: frameworkOf(request), ...given }
  const { headers } = request
  const maxBytes = options.maxBodyBytes ?? 262_144

  const rawBody = [request.rawBody, request.body].find(isRaw)
  if (rawBody !== undefined) {
    return Buffer.byteLength(rawBody) > maxBytes ? bodyTooLarge() : receiveWebhook({ body: rawBody, headers }, options)
  }
  if (isParsed(request.body) || wasRead(request))
    return refuseParsedBody({ body: request.body ?? request, headers }, options)

  const body = await readBody(request, maxBytes, options.bodyTimeoutMs ?? 30_000)
  if (body === 'TOO_LARGE') return bodyTooLarge()
  if (body === 'TIMED_OUT') return answer(408, { code: 'BODY_TIMEOUT' }, { connection: 'close' })
  if (body === 'ABORTED') return answer(400, { code: 'BODY_INCOMPLETE' }, { connection: 'close' })
  return receiveWebhook({ body, headers }, options)
}

function bodyTooLarge(): WebhookAnswer {
  return answer(413, { code: 'BODY_TOO_LARGE' })
}

function isRaw(body: unknown): body is string | Uint8Array {
  // Not `instanceof`: typed arrays of another realm are not instances.
  return typeof body === 'string' || Object.prototype.toString.call(body) === '[object Uint8Array]'
}

// Express 4 sets `{}` when no parser handled the body; the stream is then unread.
function isParsed(body: unknown): boolean {
  return typeof body === 'object' && body !== null ? Object.keys(body).length > 0 : body !== undefined && body !== null
}

function wasRead(request: IncomingMessage): boolean {
  return request.readableDidRead || request.readableEnded || request.destroyed
}

function frameworkOf(request: IncomingMessage): ReceiverFramework {
  return 'app' in request && 'baseUrl' in request ? 'express' : 'node'
}
