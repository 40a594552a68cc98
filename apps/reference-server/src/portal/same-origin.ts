import type { IncomingHttpHeaders } from 'node:http'

/**
 * Whether a request that changes something may come from a page of ours, as far as the browser says.
 *
 * What a browser says must fit; a client that says nothing is checked by the token in its form, which no other site can
 * read.
 */
export function mayComeFromOurPages(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return false
  const { origin, host } = headers
  if (origin === undefined) return true
  const match = /^https?:\/\/([^/]+)$/.exec(origin)
  return match !== null && host !== undefined && match[1]?.toLowerCase() === host.toLowerCase()
}
