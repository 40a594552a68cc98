import type { IncomingHttpHeaders } from 'node:http'

/**
 * Checks the headers of a browser for a request from another site.
 *
 * Headers that are present must match. For a client without these headers, the token in its form is checked, which
 * another site cannot read.
 */
export function mayComeFromOurPages(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return false
  const { origin, host } = headers
  if (origin === undefined) return true
  const match = /^https?:\/\/([^/]+)$/.exec(origin)
  return match !== null && host !== undefined && match[1]?.toLowerCase() === host.toLowerCase()
}
