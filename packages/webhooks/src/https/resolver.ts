import { Resolver } from 'node:dns/promises'

/** Result of resolving a name. */
export type Resolution =
  | { readonly kind: 'addresses'; readonly addresses: readonly string[] }
  /** The name does not exist or has no address. The partner must correct it. */
  | { readonly kind: 'not_found' }
  /** No response, because of the partner's name servers or the service's resolver. */
  | { readonly kind: 'unavailable' }

/** Resolves all addresses of a name, of both families. Never rejects. */
export type NameResolver = (hostname: string) => Promise<Resolution>

/** Codes for a response of the name's servers that no address exists. */
const notFoundCodes: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA'])

/** Settings of {@link createNameResolver}. */
export interface NameResolverOptions {
  /** Time limit for a response. Default 3,000. */
  readonly timeoutMs?: number
  /** Name servers to query, as `address` or `address:port`. Default: those of the system. */
  readonly servers?: readonly string[]
}

/**
 * Creates a resolver that queries name servers directly. `getaddrinfo` would apply search domains and `/etc/hosts`, and
 * four slow names would block its thread pool.
 */
export function createNameResolver(options: NameResolverOptions = {}): NameResolver {
  const timeoutMs = options.timeoutMs ?? 3_000
  return async (hostname) => {
    const resolver = new Resolver({ timeout: timeoutMs, tries: 1 })
    if (options.servers !== undefined) resolver.setServers(options.servers)
    // The option limits each try on each server; this limits the total time.
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
