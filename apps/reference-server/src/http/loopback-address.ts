import { isIPv4 } from 'node:net'

/** Whether a listener with this `HOST` can be reached from this machine alone. */
export function isLoopbackAddress(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))
}
