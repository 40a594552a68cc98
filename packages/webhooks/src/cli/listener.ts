import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { readBody } from '../node/read-body.js'
import { explainMismatch, type Diagnosis } from '../signature/explain-mismatch.js'
import type { VerifiedWebhook } from '../signature/read-event.js'
import { WebhookVerificationError } from '../signature/verification-error.js'
import { verifyWebhook } from '../signature/verify-webhook.js'
import { UsageError } from './command.js'
import { sendRequest } from './send-request.js'

/** A response status, or `drop`: close the connection without a response. */
export type PlannedResponse = number | 'drop'

/** One received request with its result. */
export type Received = {
  /** Status of the response; null when the connection was closed without one. */
  readonly answered: number | null
} & (
  | ({ readonly verified: true; readonly duplicate: boolean; readonly forwarded: readonly (number | null)[] } & Pick<
      VerifiedWebhook,
      'eventId' | 'type' | 'test' | 'event'
    >)
  | { readonly verified: false; readonly code: string; readonly diagnosis: Diagnosis | null }
)

/** Parses `--respond`. */
export function parseResponses(list: string | undefined): readonly PlannedResponse[] {
  return (list ?? '200').split(',').map((entry) => {
    if (entry.trim() === 'drop') return 'drop'
    const status = /^[1-5]\d\d$/.test(entry.trim()) ? Number(entry) : 0
    if (status < 200) throw new UsageError('--respond takes statuses from 200 to 599 and "drop", separated by commas.')
    return status
  })
}

/** Headers for the next hop alone (RFC 9110, section 7.6.1), and those that the forwarded request has of its own. */
const ofConnection =
  /^(?:host|content-length|expect|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|http2-settings)$/

/** Creates the receiver of `listen`. Reports every request after its response. */
export function createListener(
  options: {
    readonly secret: string
    readonly responses: readonly PlannedResponse[]
    readonly delayMs: number
    readonly forward: URL | undefined
    readonly duplicates: number
    readonly stopped: AbortSignal
  },
  report: (received: Received) => void,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const seen = new Set<string>()
  const planned = [...options.responses]

  async function respond(response: ServerResponse, answer: PlannedResponse, body: unknown): Promise<number | null> {
    if (options.delayMs > 0) await wait(options.delayMs, undefined, { signal: options.stopped }).catch(() => undefined)
    if (answer === 'drop') {
      response.destroy()
      return null
    }
    response.writeHead(answer, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    return answer
  }

  /** Forwards a webhook with its headers, those of the connection left out; null when no response came. */
  function forward(body: Uint8Array, request: IncomingMessage, url: URL): Promise<number | null> {
    const names = Object.keys(request.headers).filter((name) => !ofConnection.test(name))
    const headers = Object.fromEntries(names.map((name) => [name, String(request.headers[name])]))
    return sendRequest({ url, headers, body, timeoutMs: 30_000 }).then(
      ({ status }) => status,
      () => null,
    )
  }

  return async (request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(405, { allow: 'POST' }).end()
      return
    }
    const body = await readBody(request, 1_048_576, 30_000)
    if (!(body instanceof Uint8Array)) {
      response.writeHead(body === 'TOO_LARGE' ? 413 : 400).end()
      return
    }
    const signed = { body, headers: request.headers, secrets: options.secret }
    try {
      const { eventId, type, test, event } = await verifyWebhook(signed)
      const duplicate = seen.has(eventId)
      seen.add(eventId)
      const { forward: url, duplicates } = options
      const forwarded = url
        ? await Promise.all(Array.from({ length: 1 + duplicates }, () => forward(body, request, url)))
        : []
      const plan = (planned.length > 1 ? planned.shift() : planned[0]) ?? 200
      const answer = url && plan === 200 ? (forwarded[0] ?? 502) : plan
      const answered = await respond(response, answer, { received: true })
      report({ answered, verified: true, eventId, type, test, duplicate, forwarded, event })
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error
      const { code, message } = error
      const diagnosis = await explainMismatch(signed)
      const answered = await respond(response, error.status, { code, message })
      report({ answered, verified: false, code, diagnosis })
    }
  }
}
