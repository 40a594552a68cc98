import type { Socket } from 'node:net'
import type { AttemptCause } from '../delivery/webhook-store.js'
import { isPublicAddress, isSameAddress } from './address-policy.js'
import { DialError, dialTcp, startTls, type Connection, type Dial } from './connection.js'
import { isLoopbackEndpoint, type EndpointUrlPolicy } from './endpoint-url.js'
import { createNameResolver, type NameResolver } from './resolver.js'

/** What may be reached, and how. Every setting has a default. */
export interface GuardedConnectionOptions {
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
  /** Checks every address that a name resolves to. Default {@link isPublicAddress}; narrow it, never widen it. */
  readonly isAllowedAddress?: (address: string) => boolean
  /** Longest time for one TCP connection before the name's next address is tried. Default 10,000. */
  readonly connectTimeoutMs?: number
  /** Opens TCP connections. Replace it in tests only. */
  readonly dial?: Dial
}

/** The options with their defaults. */
export type GuardedConnectionSettings = Required<Omit<GuardedConnectionOptions, 'trustedCa'>> &
  Pick<GuardedConnectionOptions, 'trustedCa'>

export function connectionSettings(options: GuardedConnectionOptions): GuardedConnectionSettings {
  return {
    policy: options.policy ?? {},
    resolve: options.resolve ?? createNameResolver(),
    wellKnownName: options.wellKnownName === undefined ? 'example.com' : options.wellKnownName,
    trustedCa: options.trustedCa,
    isAllowedAddress: options.isAllowedAddress ?? isPublicAddress,
    connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
    dial: options.dial ?? dialTcp,
  }
}

/** Told what was reached; what is missing when an attempt fails was not reached. */
export interface ConnectionSighting {
  address: string | null
  mark(stage: 'dnsMs' | 'connectMs' | 'tlsMs'): void
}

/** Ends an attempt with a cause. */
export class AttemptFailure extends Error {
  constructor(override readonly cause: AttemptCause) {
    super(cause)
  }
}

/**
 * Resolves the name afresh, refuses if any of its addresses is not allowed, connects to a vetted address, checks the
 * address again once connected, and speaks TLS with the certificate checked.
 *
 * @param url A URL that `checkEndpointUrl` let through.
 * @throws AttemptFailure with the cause; no socket is left behind.
 */
export async function openGuardedConnection(
  url: URL,
  settings: GuardedConnectionSettings,
  seen: ConnectionSighting,
  signal: AbortSignal,
): Promise<Socket> {
  const addresses = await vettedAddresses(url, settings, signal)
  seen.mark('dnsMs')
  return connect(url, addresses, settings, seen, signal)
}

const loopbackAddresses = ['127.0.0.1', '::1']

async function vettedAddresses(
  url: URL,
  settings: GuardedConnectionSettings,
  signal: AbortSignal,
): Promise<readonly string[]> {
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

async function isOwnResolverDown(settings: GuardedConnectionSettings, signal: AbortSignal): Promise<boolean> {
  if (settings.wellKnownName === null) return false
  const { kind } = await orAbort(settings.resolve(settings.wellKnownName), signal)
  return kind !== 'addresses'
}

/** More addresses than this are not tried; a name with a thousand of them must not cost a thousand connections. */
const maxAddressesTried = 4

async function connect(
  url: URL,
  addresses: readonly string[],
  settings: GuardedConnectionSettings,
  seen: ConnectionSighting,
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
  settings: GuardedConnectionSettings,
  seen: ConnectionSighting,
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
