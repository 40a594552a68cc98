import type { Refusal } from './error-catalogue.js'

/** The parts of a request that are judged before any routing, as Node's parser delivers them. */
export interface RequestHead {
  readonly method: string
  /** The request target as sent. */
  readonly target: string
  readonly httpVersion: string
  /** Names and values in turns, as sent. */
  readonly rawHeaders: readonly string[]
}

const singleHeaders = new Set(['host', 'authorization', 'content-type', 'content-length', 'transfer-encoding'])

/**
 * Refuses requests that two parsers could read in two ways (RFC 9112 §3.2, §11.2): a router sees only what passes.
 *
 * Null when the head is unambiguous.
 */
export function refuseAmbiguousRequest(head: RequestHead): Refusal | null {
  if (head.httpVersion !== '1.1') return { code: 'BAD_REQUEST', detail: 'HTTP_VERSION', status: 505 }
  if (head.method === 'TRACE' || head.method === 'CONNECT') return { code: 'METHOD_NOT_ALLOWED' }
  if (!head.target.startsWith('/')) return { code: 'BAD_REQUEST', detail: 'REQUEST_TARGET' }
  const seen = new Set<string>()
  for (let index = 0; index < head.rawHeaders.length; index += 2) {
    const name = head.rawHeaders[index]?.toLowerCase() ?? ''
    if (singleHeaders.has(name) && seen.has(name)) return { code: 'BAD_REQUEST', detail: 'DUPLICATE_HEADER' }
    seen.add(name)
  }
  if (seen.has('upgrade')) return { code: 'BAD_REQUEST', detail: 'UPGRADE' }
  if (seen.has('content-encoding')) return { code: 'UNSUPPORTED_MEDIA_TYPE', detail: 'CONTENT_ENCODING' }
  return null
}

const utf8Json = /^application\/json[ \t]*(?:;[ \t]*charset[ \t]*=[ \t]*(?:utf-8|"utf-8")[ \t]*)?$/i

/** Whether a `Content-Type` value means JSON in UTF-8. */
export function isUtf8Json(contentType: string | undefined): boolean {
  return contentType !== undefined && utf8Json.test(contentType)
}
