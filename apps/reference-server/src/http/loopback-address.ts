import { isIPv4 } from 'node:net'

/** Checks whether a listener with this `HOST` is reachable only from this machine. */
export function isLoopbackAddress(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))
}

/** Checks for a loopback address that the name `localhost` may not lead to. */
export function isOtherLoopback(host: string): boolean {
  return isLoopbackAddress(host) && host !== 'localhost' && host !== '127.0.0.1'
}
