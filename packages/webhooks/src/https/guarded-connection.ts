import type { Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import type { AttemptCause } from '../delivery/webhook-store.js'
import { isPublicAddress, isSameAddress } from './address-policy.js'
import { DialError, dialTcp, startTls, tlsTrusting, type Connection, type Dial } from './connection.js'
import { checkPolicy, isLoopbackEndpoint, type EndpointUrlPolicy } from './endpoint-url.js'
import { dialThroughProxy, type OutboundProxy } from './proxy.js'
import { createNameResolver, type NameResolver } from './resolver.js'

/** Options of guarded connections. Each has a default. */
export interface GuardedConnectionOptions {
  /** Exceptions for endpoint URLs. Default: none. */
  readonly policy?: EndpointUrlPolicy
  /** Name resolver. Default: queries the system's name servers directly, with a time limit of 3 s. */
  readonly resolve?: NameResolver
  /**
   * A name that always resolves while the service's DNS works. When an endpoint's name does not resolve and this name
   * does not either, the cause is `RESOLVER_DOWN`. Default `example.com`; null disables the check.
   */
  readonly wellKnownName?: string | null
  /** CA certificates (PEM) that replace the public authorities. */
  readonly trustedCa?: string | readonly string[]
  /** Checks every address of a name. Default {@link isPublicAddress}. A replacement must not allow more addresses. */
  readonly isAllowedAddress?: (address: string) => boolean
  /** Time limit of one TCP connection; then the next address of the name is tried. Default 10,000. */
  readonly connectTimeoutMs?: number
  /**
   * HTTP proxy that opens all connections with `CONNECT`. Names are still resolved and addresses checked here; the
   * proxy gets the address. If the proxy fails, the cause is `PROXY_FAILED`. Default: none.
   */
  readonly proxy?: OutboundProxy
  /** Opens TCP connections. Replace it only in tests. */
  readonly dial?: Dial
}

/** The options completed with their defaults. */
export type GuardedConnectionSettings = Required<Omit<GuardedConnectionOptions, 'trustedCa' | 'proxy'>> & {
  /** TLS settings of public endpoints, and of those on the loopback interface. */
  readonly tls: { readonly public: () => SecureContext; readonly loopback: () => SecureContext }
}

/** @throws TypeError for an option that would have no effect or fail each request */
export function connectionSettings(options: GuardedConnectionOptions): GuardedConnectionSettings {
  const { policy, resolve, wellKnownName, trustedCa, isAllowedAddress, dial, proxy, ...others } = options
  const { connectTimeoutMs = 10_000, ...unknown } = others
  for (const name of Object.keys(unknown)) throw new TypeError(`The option ${name} does not exist.`)
  for (const [name, callback] of Object.entries({ resolve, isAllowedAddress, dial }))
    if (callback !== undefined && typeof callback !== 'function')
      throw new TypeError(`The option ${name} must be a function.`)
  if (policy !== undefined) checkPolicy(policy)
  if (!(connectTimeoutMs >= 1 && connectTimeoutMs < 2 ** 31))
    throw new TypeError('The option connectTimeoutMs must be from 1 to 2,147,483,647.')
  return {
    policy: policy ?? {},
    resolve: resolve ?? createNameResolver(),
    wellKnownName: wellKnownName === undefined ? 'example.com' : wellKnownName,
    tls: { public: tlsTrusting(trustedCa), loopback: tlsTrusting(policy?.allowLoopback?.caPem) },
    isAllowedAddress: isAllowedAddress ?? isPublicAddress,
    connectTimeoutMs,
    dial: dial ?? (proxy === undefined ? dialTcp : dialThroughProxy(proxy)),
  }
}

/** Callbacks for reached stages. After a failed attempt, missing stages were not reached. */
export interface ConnectionProgress {
  address: string | null
  mark(stage: 'dnsMs' | 'connectMs' | 'tlsMs'): void
}

/** Creates callbacks of a caller that needs no stages. */
export const noProgress = (): ConnectionProgress => ({ address: null, mark: () => undefined })

/** Error that ends an attempt with a cause. */
export class AttemptFailure extends Error {
  constructor(override readonly cause: AttemptCause) {
    super(cause)
  }
}

/**
 * Opens a TLS connection to a checked address. It resolves the name each time and refuses when any of its addresses is
 * not allowed. After connecting it checks the remote address again, and then the certificate.
 *
 * @param url A URL that `checkEndpointUrl` accepted.
 * @throws AttemptFailure with the cause; no socket is left open.
 */
export async function openGuardedConnection(
  url: URL,
  settings: GuardedConnectionSettings,
  progress: ConnectionProgress,
  signal: AbortSignal,
): Promise<Socket> {
  const addresses = await vettedAddresses(url, settings, signal)
  progress.mark('dnsMs')
  return connect(url, addresses, settings, progress, signal)
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

/** Most addresses to try: a name with a thousand addresses must not cause a thousand connections. */
const maxAddressesTried = 4

/** Puts IPv4 and IPv6 addresses in turns: one family can be out of reach of this machine, or of the endpoint. */
function inTurns(addresses: readonly string[]): readonly string[] {
  const isIpv6 = (address: string) => address.includes(':')
  const families = [addresses.filter((address) => !isIpv6(address)), addresses.filter(isIpv6)]
  return addresses.flatMap((_, index) => families.flatMap((family) => family.slice(index, index + 1)))
}

async function connect(
  url: URL,
  addresses: readonly string[],
  settings: GuardedConnectionSettings,
  progress: ConnectionProgress,
  signal: AbortSignal,
): Promise<Socket> {
  const { socket, remoteAddress } = await dialFirst(
    url,
    inTurns(addresses).slice(0, maxAddressesTried),
    settings,
    progress,
    signal,
  )
  progress.mark('connectMs')
  if (!isSameAddress(remoteAddress, progress.address ?? '')) {
    socket.destroy()
    throw new AttemptFailure('ENDPOINT_NOT_ALLOWED')
  }
  // `checkEndpointUrl` accepts plain HTTP for `localhost` alone, if the policy allows it.
  if (url.protocol === 'http:') return socket
  const contextOf = isLoopbackEndpoint(url, settings.policy) ? settings.tls.loopback : settings.tls.public
  try {
    const secure = await startTls({ socket, servername: url.hostname, secureContext: contextOf(), signal })
    progress.mark('tlsMs')
    return secure
  } catch {
    throw new AttemptFailure(signal.aborted ? 'TIMEOUT' : 'TLS_FAILED')
  }
}

/** Connects to the first reachable address. Nothing has been sent yet, so trying several addresses is safe. */
async function dialFirst(
  url: URL,
  addresses: readonly string[],
  settings: GuardedConnectionSettings,
  progress: ConnectionProgress,
  signal: AbortSignal,
): Promise<Connection> {
  const port = url.port === '' ? 443 : Number(url.port)
  for (const address of addresses) {
    progress.address = address
    const limit = new AbortController()
    const stop = () => limit.abort()
    const timer = setTimeout(stop, settings.connectTimeoutMs)
    signal.addEventListener('abort', stop, { once: true })
    try {
      return await settings.dial({ address, port, signal: limit.signal })
    } catch (error) {
      if (signal.aborted) throw new AttemptFailure('TIMEOUT')
      if (error instanceof DialError && error.fault !== null) throw new AttemptFailure(error.fault)
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
    }
  }
  throw new AttemptFailure('CONNECT_FAILED')
}

/** Resolves to the promise's value; rejects when `signal` aborts first. */
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
