import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'

/** Checks whether this listener serves a name of a `Host` header, without its port. */
export type ServesHost = (name: string) => boolean

/** Serves every name: a proxy decides which names reach the listener. */
export const anyHost: ServesHost = () => true

/**
 * Serves the loopback names of this machine, and the address of the listener. This stops DNS rebinding: a foreign web
 * page can point its name at loopback, but its requests still have that name.
 */
export function loopbackHosts(listening: string): ServesHost {
  const names = new Set(['localhost', '127.0.0.1', '[::1]', listening])
  return (name) => names.has(withoutRootDot(name))
}

/** Serves the names of a certificate, including wildcards. Requests for other names are misdirected (RFC 9110 §7.4). */
export function certificateHosts(certificatePem: string): ServesHost {
  const certificate = new X509Certificate(certificatePem)
  // Most requests have the same host as the previous one.
  let known: string | null = null
  return (name) => {
    if (name === known) return true
    const host = withoutRootDot(name)
    const address = host.startsWith('[') ? host.slice(1, -1) : host
    const isNamed = (isIP(address) === 0 ? certificate.checkHost(host) : certificate.checkIP(address)) !== undefined
    if (isNamed) known = name
    return isNamed
  }
}

function withoutRootDot(name: string): string {
  return (name.endsWith('.') ? name.slice(0, -1) : name).toLowerCase()
}
