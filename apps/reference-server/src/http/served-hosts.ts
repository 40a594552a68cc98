import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'

/** Whether a name from a `Host` header, without its port, is one that this listener answers for. */
export type ServesHost = (name: string) => boolean

/** A proxy in front decides which names reach the listener. */
export const anyHost: ServesHost = () => true

const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Names of this machine for itself. A web page elsewhere can point a name of its own at loopback (DNS rebinding); its
 * requests still carry that name.
 */
export const loopbackHosts: ServesHost = (name) => loopbackNames.has(withoutRootDot(name))

/** The names that a certificate was issued for, wildcards included (RFC 9110 §7.4: others are misdirected). */
export function certificateHosts(certificatePem: string): ServesHost {
  const certificate = new X509Certificate(certificatePem)
  // Nearly every request names the host that the one before it named.
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
