import { randomUUID } from 'node:crypto'
import { BrokenRule, outcomeOf, skipped, type CaseOutcome } from '../outcome.js'
import { hexSignature, standardWebhooksHeaders } from '../signatures.js'
import { receiverCases, type ReceiverRequest } from './receiver-case.js'

/** What to check, and how. */
export interface CheckReceiverOptions {
  /** URL that webhooks go to. */
  readonly url: string
  /** API key that the receiver verifies with. */
  readonly apiKey: string
  /** Whether the receiver verifies the headers of Standard Webhooks and refuses old ones. Default false. */
  readonly standardWebhooks?: boolean
  /** Most milliseconds for an answer. Default 30,000. */
  readonly timeoutMs?: number
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch
  /** Current time, which Standard Webhooks signs. */
  readonly now: () => Date
}

/**
 * Sends the scenarios of {@link receiverCases} to a receiver, one after another.
 *
 * A receiver that cannot be reached breaks the rule of each case.
 *
 * @example
 * ```ts
 * import { checkReceiver, formatTable } from '@kyc-relay/conformance'
 *
 * const url = 'https://localhost:3000/webhooks'
 * const outcomes = await checkReceiver({ url, apiKey: 'the API key', now: () => new Date() })
 * console.log(formatTable(outcomes))
 * ```
 */
export async function checkReceiver(options: CheckReceiverOptions): Promise<readonly CaseOutcome[]> {
  const outcomes: CaseOutcome[] = []
  for (const one of receiverCases) {
    if (one.needs === 'standardWebhooks' && options.standardWebhooks !== true) {
      outcomes.push(skipped(one, 'The receiver was not said to verify Standard Webhooks.'))
      continue
    }
    const ids = new Map<string, string>()
    const send = async () => {
      for (const [index, request] of one.requests.entries()) await sendRequest(options, request, index, ids)
    }
    outcomes.push(await outcomeOf(one, send))
  }
  return outcomes
}

async function sendRequest(
  options: CheckReceiverOptions,
  request: ReceiverRequest,
  index: number,
  ids: Map<string, string>,
): Promise<void> {
  const { url, timeoutMs = 30_000, fetch: send = fetch } = options
  const fill = (text: string) =>
    text
      .replace(/\{\{id:([^}]+)\}\}/g, (_, name: string) => {
        const id = ids.get(name) ?? randomUUID()
        ids.set(name, id)
        return id
      })
      .replace(/\{\{pad:(\d+)\}\}/g, (_, count: string) => 'x'.repeat(Number(count)))
  const body = fill(request.body)
  const headers = headersOf(options, request, body, fill)
  const init = { method: 'POST', headers, body, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) } as const
  const what = `Request ${index + 1} must be ${request.expect}`
  let status: number
  try {
    const response = await send(url, init)
    await response.arrayBuffer()
    status = response.status
  } catch {
    throw new BrokenRule(`${what}, but no answer came.`)
  }
  const isRight = request.expect === 'accepted' ? status >= 200 && status < 300 : status >= 400 && status < 500
  if (!isRight) throw new BrokenRule(`${what}, but was answered ${status}.`)
}

function headersOf(
  { apiKey, standardWebhooks, now }: CheckReceiverOptions,
  request: ReceiverRequest,
  body: string,
  fill: (text: string) => string,
): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': 'application/json', ...request.headers }
  const given = request.eventId === undefined ? randomUUID() : request.eventId
  const id = given === null ? null : fill(given)
  if (id !== null) headers['x-event-id'] = id
  const { signature = 'good' } = request
  const key = signature === 'another key' ? `${apiKey}x` : apiKey
  const signed = signature === 'another body' ? `${body} ` : body
  if (['good', 'another key', 'another body'].includes(signature))
    headers['x-hmac-signature'] = hexSignature(signed, key)
  else if (signature !== 'none') headers['x-hmac-signature'] = signature
  // A receiver that verifies Standard Webhooks refuses a request without them; good ones are added with a good signature.
  const standard = request.standardWebhooks ?? (standardWebhooks ? { secondsAgo: 0 } : undefined)
  if (standard === undefined || id === null || signature === 'none') return headers
  const signedAt = new Date(now().getTime() - standard.secondsAgo * 1000)
  const added = standardWebhooksHeaders({ id, body: signed, signedAt, apiKey: key })
  if (standard.id !== undefined) added['webhook-id'] = fill(standard.id)
  if (!['good', 'another key', 'another body'].includes(signature)) added['webhook-signature'] = 'v1,AAAA'
  return { ...headers, ...added }
}
