import type { Socket } from 'node:net'
import { classifyResponse } from '../delivery/classify-response.js'
import type { Sender, SendRequest, SendResult } from '../delivery/sender.js'
import type { AttemptCause } from '../delivery/webhook-store.js'
import { checkEndpointUrl } from './endpoint-url.js'
import {
  AttemptFailure,
  connectionSettings,
  openGuardedConnection,
  type GuardedConnectionOptions,
  type GuardedConnectionSettings,
} from './guarded-connection.js'
import { exchangeOnce } from './one-exchange.js'
import { readableHeaders } from './response-headers.js'

/** Settings of {@link createHttpsSender}; every one has a default. */
export interface HttpsSenderOptions extends GuardedConnectionOptions {
  /** Most bytes of the response body that are kept. Default 16,384. */
  readonly maxBodyBytes?: number
}

/**
 * Creates a sender that can reach public HTTPS servers and nothing else, whatever URL it is given.
 *
 * Each attempt resolves the name afresh and refuses if any address is not public, connects to the vetted address, checks
 * the address again once connected, and speaks TLS 1.2 or newer with the certificate checked. It follows no redirect,
 * decompresses nothing, reads at most `maxBodyBytes` of the answer, and is over by its one deadline. The final status
 * line alone decides; what becomes of the body does not.
 *
 * @example
 * ```ts
 * import { createHttpsSender } from '@kyc-relay/webhooks/https'
 *
 * const send = createHttpsSender()
 * const result = await send({
 *   url: 'https://partner.com/webhooks',
 *   headers: { 'content-type': 'application/json' },
 *   body: new TextEncoder().encode('{}'),
 *   timeoutMs: 30_000,
 * })
 * ```
 */
export function createHttpsSender(options: HttpsSenderOptions = {}): Sender {
  const settings = { ...connectionSettings(options), maxBodyBytes: options.maxBodyBytes ?? 16_384 }
  return (request) => attempt(request, settings)
}

type Settings = GuardedConnectionSettings & Required<Pick<HttpsSenderOptions, 'maxBodyBytes'>>

/** What the attempt has seen so far; what is missing when it fails was not reached. */
class Sighting {
  readonly #startedAtMs = performance.now()
  address: string | null = null
  status: number | null = null
  responseHeaders: Record<string, string> = {}
  responseBody: Uint8Array | null = null
  readonly timings: { -readonly [Name in keyof SendResult['timings']]: number | null } = {
    dnsMs: null,
    connectMs: null,
    tlsMs: null,
    firstByteMs: null,
    totalMs: null,
  }

  mark(timing: keyof SendResult['timings']): void {
    this.timings[timing] = Math.round((performance.now() - this.#startedAtMs) * 10) / 10
  }

  result(cause: AttemptCause | null): SendResult {
    this.mark('totalMs')
    const { address, status, timings, responseHeaders, responseBody } = this
    return { cause, status, address, timings, responseHeaders, responseBody }
  }
}

async function attempt(request: SendRequest, settings: Settings): Promise<SendResult> {
  const seen = new Sighting()
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(), request.timeoutMs)
  try {
    const checked = checkEndpointUrl(request.url, settings.policy)
    if (!checked.ok) throw new AttemptFailure('ENDPOINT_NOT_ALLOWED')
    const url = new URL(checked.url)
    const socket = await openGuardedConnection(url, settings, seen, deadline.signal)
    await exchange(url, socket, request, settings, seen, deadline.signal)
    return seen.result(classifyResponse(seen.status ?? 0))
  } catch (error) {
    if (error instanceof AttemptFailure) return seen.result(error.cause)
    return seen.result(deadline.signal.aborted ? 'TIMEOUT' : 'INTERNAL_ERROR')
  } finally {
    clearTimeout(timer)
  }
}

async function exchange(
  url: URL,
  socket: Socket,
  request: SendRequest,
  settings: Settings,
  seen: Sighting,
  signal: AbortSignal,
): Promise<void> {
  const post = { method: 'POST', headers: request.headers, body: request.body } as const
  await exchangeOnce(url, socket, post, signal, async (response) => {
    seen.mark('firstByteMs')
    seen.status = response.statusCode
    seen.responseHeaders = readableHeaders(response.headers)
    seen.responseBody = await readUpTo(response.body, settings.maxBodyBytes)
  })
}

/** The beginning of the body, as much of it as came. Never rejects: the body is a courtesy. */
async function readUpTo(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const kept = new Uint8Array(maxBytes)
  let length = 0
  try {
    for await (const chunk of body) {
      const part = chunk.subarray(0, maxBytes - length)
      kept.set(part, length)
      length += part.length
      if (length === maxBytes) break
    }
  } catch {
    // Broken off, or still dripping at the deadline.
  }
  return kept.slice(0, length)
}
