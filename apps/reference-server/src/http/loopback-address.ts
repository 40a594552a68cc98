import { isIPv4 } from 'node:net'

/** Checks whether a listener with this `HOST` is reachable only from this machine. */
export function isLoopbackAddress(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))
}
