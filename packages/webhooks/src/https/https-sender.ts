import type { Socket } from 'node:net'
import { classifyResponse } from '../delivery/classify-response.js'
import type { SendRequest, SendResult } from '../delivery/sender.js'
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
import { readableHeaders } from '../delivery/response-headers.js'

/** Settings of {@link createHttpsSender}. Each has a default. */
export interface HttpsSenderOptions extends GuardedConnectionOptions {
  /** Bytes of the response body to keep, 0 to 1,048,576. Default 16,384. */
  readonly maxBodyBytes?: number
}

/**
 * Creates a sender that can reach only public HTTPS servers, with any URL.
 *
 * Each attempt resolves the name and refuses when any address is not public. It connects to a checked address, checks
 * the remote address again, and requires TLS 1.2 or newer with a valid certificate. It follows no redirect,
 * decompresses nothing, and reads at most `maxBodyBytes` of the response. One deadline limits the whole attempt. Only
 * the final status line decides the result; an error in the body does not.
 *
 * @throws TypeError for an unknown name, a number outside its range, or an option of another form
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
export function createHttpsSender(options: HttpsSenderOptions = {}): (request: SendRequest) => Promise<SendResult> {
  const { maxBodyBytes = 16_384, ...connection } = options
  // Found here, a mistake cannot make a delivered event look lost.
  if (!Number.isInteger(maxBodyBytes) || maxBodyBytes < 0 || maxBodyBytes > 1_048_576)
    throw new TypeError('The option maxBodyBytes must be a whole number from 0 to 1,048,576.')
  const settings = { ...connectionSettings(connection), maxBodyBytes }
  return (request) => attempt(request, settings)
}

type Settings = GuardedConnectionSettings & Required<Pick<HttpsSenderOptions, 'maxBodyBytes'>>

/** Data of the attempt so far. After a failure, missing stages were not reached. */
class AttemptProgress {
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
  const progress = new AttemptProgress()
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(), request.timeoutMs)
  try {
    const checked = checkEndpointUrl(request.url, settings.policy)
    if (!checked.ok) throw new AttemptFailure('ENDPOINT_NOT_ALLOWED')
    const url = new URL(checked.url)
    const socket = await openGuardedConnection(url, settings, progress, deadline.signal)
    await exchange(url, socket, request, settings, progress, deadline.signal)
    return progress.result(classifyResponse(progress.status ?? 0))
  } catch (error) {
    if (error instanceof AttemptFailure) return progress.result(error.cause)
    return progress.result(deadline.signal.aborted ? 'TIMEOUT' : 'INTERNAL_ERROR')
  } finally {
    clearTimeout(timer)
  }
}

async function exchange(
  url: URL,
  socket: Socket,
  request: SendRequest,
  settings: Settings,
  progress: AttemptProgress,
  signal: AbortSignal,
): Promise<void> {
  const post = { method: 'POST', headers: request.headers, body: request.body } as const
  await exchangeOnce(url, socket, post, signal, async (response) => {
    progress.mark('firstByteMs')
    progress.status = response.status
    progress.responseHeaders = readableHeaders(response.headers)
    progress.responseBody = await readUpTo(response.body, settings.maxBodyBytes)
  })
}

/** Reads the beginning of the body, as far as it arrives. Never rejects: the body does not affect the result. */
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
    // The body broke off, or was not complete at the deadline.
  }
  return kept.slice(0, length)
}
