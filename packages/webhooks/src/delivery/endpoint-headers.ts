import type { SendResult } from './sender.js'

/** Static headers of an endpoint, as a store keeps them. */
export interface SealedHeaders {
  /** Names as the partner gave them. */
  readonly names: readonly string[]
  /** Names and values, sealed by the host. Opaque to a store, and as it is for the life of the endpoint. */
  readonly sealed: string
  /** The wrapped data key of `sealed`. Opaque to a store. A rotation of keys replaces it. */
  readonly dataKey: string
}

/**
 * Opens the static headers of an endpoint: names and values. It rejects if it cannot open them; then nothing is sent,
 * and the attempt does not count (`HEADERS_UNAVAILABLE`).
 */
export type OpenHeaders = (endpoint: {
  readonly appId: string
  readonly headers: SealedHeaders
}) => Promise<Readonly<Record<string, string>>>

/** Most static headers of one endpoint. */
const mostHeaders = 5

/** Why static headers are refused. */
export type HeaderProblem =
  | 'TOO_MANY_HEADERS'
  | 'HEADER_NAME_INVALID'
  | 'HEADER_NAME_NOT_ALLOWED'
  | 'HEADER_NAME_REPEATED'
  | 'HEADER_VALUE_INVALID'

// RFC 9110, sections 5.6.2 and 7.6.1. The service sets the first ones itself; the last two carry its traces.
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/
const reserved =
  /^(?:host|content-.*|x-hmac-signature|x-event-id|x-test-event|webhook-.*|accept-encoding|user-agent|expect|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|http2-settings|traceparent|tracestate)$/
const visible = /^[\x21-\x7e](?:[\x20-\x7e]{0,998}[\x21-\x7e])?$/

/**
 * Checks static headers that a partner sets: at most five, names of 1–100 characters that are not reserved, and values
 * of 1–1,000 visible ASCII characters, with spaces inside.
 *
 * Reserved are names that the service sets, `Content-*`, `Webhook-*`, the hop-by-hop headers and trace context.
 *
 * @returns the first problem; null if there is none
 *
 * @example
 * ```ts
 * import { checkEndpointHeaders } from '@kyc-relay/webhooks/internal'
 *
 * checkEndpointHeaders({ Authorization: 'Bearer abc' }) // null
 * checkEndpointHeaders({ Host: 'partner.com' }) // 'HEADER_NAME_NOT_ALLOWED'
 * ```
 */
export function checkEndpointHeaders(headers: Readonly<Record<string, unknown>>): HeaderProblem | null {
  const names = Object.keys(headers)
  if (names.length > mostHeaders) return 'TOO_MANY_HEADERS'
  const seen = new Set<string>()
  for (const name of names) {
    const [lower, value] = [name.toLowerCase(), headers[name]]
    if (!token.test(name)) return 'HEADER_NAME_INVALID'
    if (reserved.test(lower)) return 'HEADER_NAME_NOT_ALLOWED'
    if (seen.has(lower)) return 'HEADER_NAME_REPEATED'
    if (typeof value !== 'string' || !visible.test(value)) return 'HEADER_VALUE_INVALID'
    seen.add(lower)
  }
  return null
}

/**
 * Returns the shell variable that stands for the value of a static header.
 *
 * @example
 * ```ts
 * import { shellVariableOf } from '@kyc-relay/webhooks/internal'
 *
 * shellVariableOf('X-Tenant') // '$X_TENANT'
 * ```
 */
export function shellVariableOf(name: string): string {
  const variable = name.toUpperCase().replace(/[^A-Z0-9]/g, '_')
  return `$${/^[0-9]/.test(variable) ? '_' : ''}${variable}`
}

/** What stands for a value that a receiver echoed. */
const redacted = '[redacted]'

/**
 * Takes the values of static headers out of a receiver's answer: as they are, as in JSON, URL-encoded and in base64. So
 * it does with the credentials after a scheme such as `Bearer`. Of an answer that was cut, a part of a value at its end
 * goes too.
 *
 * @example
 * ```ts
 * import { redactEchoes, type SendResult } from '@kyc-relay/webhooks/internal'
 *
 * const kept = (result: SendResult) => redactEchoes(result, ['Bearer example'])
 * ```
 */
export function redactEchoes<Seen extends SendResult>(result: Seen, values: readonly string[]): Seen {
  if (values.length === 0) return result
  const forms = [...new Set(values.flatMap(formsOf))].filter((form) => form !== '')
  const redact = (text: string, longest: number) => {
    // Cut first: the receiver chooses the text, and the host's sender how much of it is read.
    const kept = text.slice(0, longest)
    const ranges = forms.flatMap((form) => rangesOf(kept, form, kept.length === longest))
    return withoutRanges(kept, ranges).slice(0, longest)
  }
  const { responseHeaders, responseBody } = result
  return {
    ...result,
    responseHeaders: Object.fromEntries(
      Object.entries(responseHeaders).map(([name, text]) => [name, redact(text, longestHeader)]),
    ),
    responseBody: responseBody === null ? null : bytesOf(redact(textOf(responseBody), longestBody)),
  }
}

/** Lengths at which the log of attempts cuts an answer. A redacted one is no longer. */
const longestHeader = 1_024
const longestBody = 16_384

/** A scheme and credentials, as in `Bearer example-key`: receivers repeat the credentials without the scheme. */
const credentials = /^[A-Za-z][\w-]* (\S{8,})$/

/** Ways in which a receiver may write a value. PHP escapes slashes in JSON. */
function formsOf(value: string): readonly string[] {
  const secret = credentials.exec(value)?.[1]
  return [value, ...(secret === undefined ? [] : [secret])].flatMap((text) => {
    const json = JSON.stringify(text).slice(1, -1)
    return [text, json, json.replaceAll('/', '\\/'), encodeURIComponent(text), btoa(text)]
  })
}

/** Part of a text: its first character, and the one after its last. */
type Range = readonly [start: number, end: number]

/** Shortest begin of a form that counts at a cut. One or two characters tell nothing. */
const shortestBegin = 3

/**
 * Finds a form in a text, also where finds overlap, and its begin at the end of a text that was cut. The worst text of a
 * receiver takes milliseconds, because texts are cut before.
 */
function rangesOf(text: string, form: string, isCut: boolean): readonly Range[] {
  const ranges: Range[] = []
  for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + 1)) ranges.push([at, at + form.length])
  if (!isCut) return ranges
  let begin = form.length
  while (begin >= shortestBegin && !text.endsWith(form.slice(0, begin))) begin--
  if (begin >= shortestBegin) ranges.push([text.length - begin, text.length])
  return ranges
}

/** Puts the mark in the place of each range, and of ranges that overlap. */
function withoutRanges(text: string, ranges: readonly Range[]): string {
  const parts: string[] = []
  let [kept, taken] = [0, 0]
  for (const [start, end] of [...ranges].sort((one, other) => one[0] - other[0])) {
    if (start >= taken) parts.push(text.slice(kept, start), redacted)
    taken = Math.max(taken, end)
    kept = taken
  }
  return parts.join('') + text.slice(kept)
}

// One character for each byte: values are ASCII, and a body may be in any encoding.
const textOf = (bytes: Uint8Array) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
const bytesOf = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0))
