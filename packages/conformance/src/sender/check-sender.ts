import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { BrokenRule, outcomeOf, type CaseOutcome } from '../outcome.js'
import { startLocalReceiver, type LocalReceiver } from './local-receiver.js'
import { holdAgainst } from './sender-checks.js'
import { senderCases, type SenderCase } from './sender-case.js'
import { createWebhookApi, type WebhookApi } from './webhook-api.js'

/** What to check, and how. */
export interface CheckSenderOptions {
  /** Base URL of the partner API, without `/api/v1`. */
  readonly url: string
  /** API key of an app without other traffic. */
  readonly apiKey: string
  /** Address that the receiver of the cases listens at. Default: loopback, a free port. */
  readonly listen?: { readonly host: string; readonly port: number }
  /** URL at which the sender reaches that receiver. Default: localhost with its port. */
  readonly receiverUrl?: string
  /** Certificate and private key of the receiver, PEM. Without them it takes plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string }
  /** Most milliseconds until a webhook comes, also one that is tried again. Default 60,000. */
  readonly timeoutMs?: number
  /** Milliseconds in which nothing more may come. Default 500. */
  readonly quietMs?: number
  /** Current time, which the time that Standard Webhooks signs is compared with. */
  readonly now: () => Date
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch
}

/**
 * Registers endpoints at a server, lets it send, and holds what comes against {@link senderCases}. Each case removes its
 * endpoint at its end.
 *
 * @example
 * ```ts
 * import { checkSender, formatTable } from '@kyc-relay/conformance'
 *
 * const url = 'http://127.0.0.1:4000'
 * const outcomes = await checkSender({ url, apiKey: 'the API key', now: () => new Date() })
 * console.log(formatTable(outcomes))
 * ```
 */
export async function checkSender(options: CheckSenderOptions): Promise<readonly CaseOutcome[]> {
  const { url, apiKey, receiverUrl, tls, listen = { host: '127.0.0.1', port: 0 } } = options
  const timing = { timeoutMs: options.timeoutMs ?? 60_000, quietMs: options.quietMs ?? 500 }
  const api = createWebhookApi({ url, apiKey, timeoutMs: timing.timeoutMs, fetch: options.fetch ?? fetch })
  const receiver = await startLocalReceiver({
    ...listen,
    now: options.now,
    ...(receiverUrl === undefined ? {} : { publicUrl: receiverUrl }),
    ...(tls === undefined ? {} : { tls }),
  })
  const outcomes: CaseOutcome[] = []
  try {
    for (const one of senderCases) {
      outcomes.push(await outcomeOf(one, () => runCase(one, { api, receiver, apiKey, ...timing })))
    }
  } finally {
    await receiver.close()
  }
  return outcomes
}

interface Use {
  readonly api: WebhookApi
  readonly receiver: LocalReceiver
  readonly apiKey: string
  readonly timeoutMs: number
  readonly quietMs: number
}

async function runCase(one: SenderCase, use: Use): Promise<void> {
  const { api, receiver } = use
  const path = `/${randomUUID()}`
  const url = `${receiver.url}${path}`
  const fill = (text: string) => text.replaceAll('{{url}}', url)
  const answers = one.answers?.map(({ status, headers = {} }) => {
    return { status, headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)])) }
  })
  receiver.plan(path, answers ?? [])
  const endpointId = await api.register({ ...one.register, url })
  let isRemoved = false
  try {
    for (const step of one.steps) {
      if (step === 'test') await api.sendTest(endpointId)
      else if (step === 'resend') await api.resend(await endedDelivery(endpointId, use))
      else {
        await api.remove(endpointId)
        isRemoved = true
      }
    }
    const came = () => receiver.at(path)
    await until(() => came().length >= one.requests, use.timeoutMs)
    // Whether more comes than may: a redirect that is followed, a delivery after the removal.
    await wait(use.quietMs)
    if (came().length !== one.requests) {
      throw new BrokenRule(`${came().length} requests came, not ${one.requests}.`)
    }
    if (receiver.at(`${path}/followed`).length > 0) throw new BrokenRule('A redirect was followed.')
    for (const check of one.checks) holdAgainst(check, came(), use.apiKey)
  } finally {
    // What went wrong before says more than a removal that fails too.
    if (!isRemoved) await api.remove(endpointId).catch(() => undefined)
  }
}

async function endedDelivery(endpointId: string, { api, timeoutMs }: Use): Promise<string> {
  for (let waitedMs = 0; waitedMs < timeoutMs; waitedMs += 50) {
    const last = await api.findLast(endpointId)
    if (last !== null && last.status !== 'PENDING') return last.deliveryId
    await wait(50)
  }
  throw new BrokenRule('The delivery did not end in time.')
}

async function until(isDone: () => boolean, timeoutMs: number): Promise<void> {
  for (let waitedMs = 0; !isDone() && waitedMs < timeoutMs; waitedMs += 20) await wait(20)
}
