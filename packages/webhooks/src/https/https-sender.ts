import type { Socket } from 'node:net'
import { Client } from 'undici'
import { classifyResponse } from '../delivery/classify-response.js'
import type { Sender, SendRequest, SendResult } from '../delivery/sender.js'
import type { AttemptCause } from '../delivery/webhook-store.js'
import { isPublicAddress, isSameAddress } from './address-policy.js'
import { DialError, dialTcp, startTls, type Connection, type Dial } from './connection.js'
import { checkEndpointUrl, isLoopbackEndpoint, type EndpointUrlPolicy } from './endpoint-url.js'
import { createNameResolver, type NameResolver } from './resolver.js'
import { readableHeaders } from './response-headers.js'

/** Settings of {@link createHttpsSender}; every one has a default. */
export interface HttpsSenderOptions {
  /** What is allowed beside public HTTPS names. Default: nothing. */
  readonly policy?: EndpointUrlPolicy
  /** Default: the system's name servers, asked directly, 3 s at most. */
  readonly resolve?: NameResolver
  /**
   * A name that always resolves while our own DNS works. When an endpoint's name servers do not answer and this name
   * does not resolve either, the attempt was `RESOLVER_DOWN`, our fault. Default `example.com`; null never asks.
   */
  readonly wellKnownName?: string | null
  /** CA certificates (PEM) trusted instead of the public authorities. */
  readonly trustedCa?: string | readonly string[]
  /** Judges every address that a name resolves to. Default {@link isPublicAddress}; narrow it, never widen it. */
  readonly isAllowedAddress?: (address: string) => boolean
  /** Longest time for one TCP connection before the name's next address is tried. Default 10,000. */
  readonly connectTimeoutMs?: number
  /** Most bytes of the response body that are kept. Default 16,384. */
  readonly maxBodyBytes?: number
  /** Opens TCP connections. Replace it in tests only. */
  readonly dial?: Dial
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
  const settings = {
    policy: options.policy ?? {},
    resolve: options.resolve ?? createNameResolver(),
    wellKnownName: options.wellKnownName === undefined ? 'example.com' : options.wellKnownName,
    trustedCa: options.trustedCa,
    isAllowedAddress: options.isAllowedAddress ?? isPublicAddress,
    connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
    maxBodyBytes: options.maxBodyBytes ?? 16_384,
    dial: options.dial ?? dialTcp,
  }
  return (request) => attempt(request, settings)
}

type Settings = Required<Omit<HttpsSenderOptions, 'trustedCa'>> & Pick<HttpsSenderOptions, 'trustedCa'>

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

/** Ends an attempt with a cause. */
class AttemptFailure extends Error {
  constructor(override readonly cause: AttemptCause) {
    super(cause)
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
    const addresses = await vettedAddresses(url, settings, deadline.signal)
    seen.mark('dnsMs')
    const socket = await openConnection(url, addresses, settings, seen, deadline.signal)
    await exchange(url, socket, request, settings, seen, deadline.signal)
    return seen.result(classifyResponse(seen.status ?? 0))
  } catch (error) {
    if (error instanceof AttemptFailure) return seen.result(error.cause)
    return seen.result(deadline.signal.aborted ? 'TIMEOUT' : 'INTERNAL_ERROR')
  } finally {
    clearTimeout(timer)
  }
}

const loopbackAddresses = ['127.0.0.1', '::1']

async function vettedAddresses(url: URL, settings: Settings, signal: AbortSignal): Promise<readonly string[]> {
  if (isLoopbackEndpoint(url, settings.policy)) return loopbackAddresses
  const resolution = await orAbort(settings.resolve(url.hostname), signal)
  if (resolution.kind === 'unavailable' && (await isOwnResolverDown(settings, signal))) {
    throw new AttemptFailure('RESOLVER_DOWN')
  }
  if (resolution.kind !== 'addresses' || resolution.addresses.length === 0) throw new AttemptFailure('DNS_FAILED')
  if (!resolution.addresses.every((address) => settings.isAllowedAddress(address))) {
    throw new AttemptFailure('ENDPOINT_NOT_ALLOWED')
  }
  return resolution.addresses
}

async function isOwnResolverDown(settings: Settings, signal: AbortSignal): Promise<boolean> {
  if (settings.wellKnownName === null) return false
  const { kind } = await orAbort(settings.resolve(settings.wellKnownName), signal)
  return kind !== 'addresses'
}

/** More addresses than this are not tried; a name with a thousand of them must not cost a thousand connections. */
const maxAddressesTried = 4

async function openConnection(
  url: URL,
  addresses: readonly string[],
  settings: Settings,
  seen: Sighting,
  signal: AbortSignal,
): Promise<Socket> {
  const { socket, remoteAddress } = await dialFirst(url, addresses.slice(0, maxAddressesTried), settings, seen, signal)
  seen.mark('connectMs')
  if (!isSameAddress(remoteAddress, seen.address ?? '')) {
    socket.destroy()
    throw new AttemptFailure('ENDPOINT_NOT_ALLOWED')
  }
  const ca = isLoopbackEndpoint(url, settings.policy) ? settings.policy.allowLoopback?.caPem : settings.trustedCa
  try {
    const secure = await startTls({ socket, servername: url.hostname, ca, signal })
    seen.mark('tlsMs')
    return secure
  } catch {
    throw new AttemptFailure(signal.aborted ? 'TIMEOUT' : 'TLS_FAILED')
  }
}

/** Nothing is sent before a connection stands, so the next address may be tried within the same attempt. */
async function dialFirst(
  url: URL,
  addresses: readonly string[],
  settings: Settings,
  seen: Sighting,
  signal: AbortSignal,
): Promise<Connection> {
  const port = url.port === '' ? 443 : Number(url.port)
  for (const address of addresses) {
    seen.address = address
    const limit = new AbortController()
    const stop = () => limit.abort()
    const timer = setTimeout(stop, settings.connectTimeoutMs)
    signal.addEventListener('abort', stop, { once: true })
    try {
      return await settings.dial({ address, port, signal: limit.signal })
    } catch (error) {
      if (signal.aborted) throw new AttemptFailure('TIMEOUT')
      if (error instanceof DialError && error.outOfSockets) throw new AttemptFailure('OUT_OF_SOCKETS')
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
    }
  }
  throw new AttemptFailure('CONNECT_FAILED')
}

/** So many informational answers that no honest server sends them. */
const maxInformational = 32

async function exchange(
  url: URL,
  socket: Socket,
  request: SendRequest,
  settings: Settings,
  seen: Sighting,
  signal: AbortSignal,
): Promise<void> {
  const client = new Client(url.origin, {
    // Not at once: the client is in the middle of its own work when it asks.
    connect: (_options, callback) => queueMicrotask(() => callback(null, socket)),
    // One request per connection, announced by `Connection: close`.
    pipelining: 0,
    allowH2: false,
    maxHeaderSize: 16_384,
    // The one deadline is the signal's; these count per chunk and would mislead.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const tooManyInformational = new AbortController()
  let informational = 0
  try {
    const response = await client.request({
      method: 'POST',
      path: `${url.pathname}${url.search}`,
      headers: { ...request.headers, 'accept-encoding': 'identity' },
      body: request.body,
      signal: AbortSignal.any([signal, tooManyInformational.signal]),
      onInfo: () => {
        informational += 1
        if (informational > maxInformational) tooManyInformational.abort()
      },
    })
    seen.mark('firstByteMs')
    seen.status = response.statusCode
    seen.responseHeaders = readableHeaders(response.headers)
    seen.responseBody = await readUpTo(response.body, settings.maxBodyBytes)
  } catch (error) {
    throw new AttemptFailure(causeOfExchange(error, signal, tooManyInformational.signal))
  } finally {
    socket.destroy()
    void client.destroy().catch(() => {})
  }
}

/** Names of undici's errors about what a server said, in contrast to a connection that broke. */
const invalidAnswerErrors: ReadonlySet<string> = new Set([
  'HTTPParserError',
  'HeadersOverflowError',
  'ResponseContentLengthMismatchError',
])

function causeOfExchange(error: unknown, deadline: AbortSignal, informational: AbortSignal): AttemptCause {
  if (informational.aborted) return 'INVALID_RESPONSE'
  if (deadline.aborted) return 'TIMEOUT'
  return error instanceof Error && invalidAnswerErrors.has(error.name) ? 'INVALID_RESPONSE' : 'CONNECTION_LOST'
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

/** The promise's value, unless `signal` aborts first. */
async function orAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const stop = new AbortController()
  const aborted = new Promise<never>((_, reject) => {
    const abort = () => reject(new AttemptFailure('TIMEOUT'))
    signal.addEventListener('abort', abort, { once: true, signal: stop.signal })
    if (signal.aborted) abort()
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    stop.abort()
  }
}
