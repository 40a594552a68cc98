import { Resolver } from 'node:dns/promises'

/** What asking for a name gave. */
export type Resolution =
  | { readonly kind: 'addresses'; readonly addresses: readonly string[] }
  /** The name does not exist, or has no address: the partner's affair. */
  | { readonly kind: 'not_found' }
  /** No answer could be had: the partner's name servers, or our own resolver. */
  | { readonly kind: 'unavailable' }

/** Gives all addresses of a name, of both families. Never rejects. */
export type NameResolver = (hostname: string) => Promise<Resolution>

/** Codes that mean the name's own servers answered that there is nothing. */
const notFoundCodes: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA'])

/** Settings of {@link createNameResolver}. */
export interface NameResolverOptions {
  /** Longest wait for an answer. Default 3,000. */
  readonly timeoutMs?: number
  /** `address` or `address:port` of the name servers to ask. Default: the system's. */
  readonly servers?: readonly string[]
}

/**
 * Asks the name servers directly. `getaddrinfo` would apply search domains and `/etc/hosts`, and four slow names would
 * block its thread pool.
 */
export function createNameResolver(options: NameResolverOptions = {}): NameResolver {
  const timeoutMs = options.timeoutMs ?? 3_000
  return async (hostname) => {
    const resolver = new Resolver({ timeout: timeoutMs, tries: 1 })
    if (options.servers !== undefined) resolver.setServers(options.servers)
    // The option counts per server and try; this counts altogether.
    const timer = setTimeout(() => resolver.cancel(), timeoutMs)
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    clearTimeout(timer)
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (addresses.length > 0) return { kind: 'addresses', addresses }
    const notFound = answers.every(
      (answer) => answer.status === 'fulfilled' || notFoundCodes.has((answer.reason as { code?: unknown }).code),
    )
    return { kind: notFound ? 'not_found' : 'unavailable' }
  }
}
