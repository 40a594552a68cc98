import { isSpanContextValid, type SpanContext } from '@opentelemetry/api'

// W3C Trace Context §3.2.2. A later version may append fields, this one may not.
const traceparentForm =
  /^(?!ff)(?<version>[0-9a-f]{2})-(?<traceId>[0-9a-f]{32})-(?<spanId>[0-9a-f]{16})-(?<flags>[0-9a-f]{2})(?<more>-.*)?$/

/** No `traceparent` of any version so far is longer; anything that is gets dropped unread. */
const longest = 128

/** Reads a `traceparent`. Null for everything that is not exactly one. */
export function parseTraceparent(text: unknown): SpanContext | null {
  if (typeof text !== 'string' || text.length > longest) return null
  const { version, traceId, spanId, flags, more } = traceparentForm.exec(text)?.groups ?? {}
  if (traceId === undefined || spanId === undefined || flags === undefined) return null
  if (version === '00' && more !== undefined) return null
  // Only the sampled flag has a meaning here (§3.2.2.5): what else a caller sets is not passed on.
  const parsed = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
  return isSpanContextValid(parsed) ? parsed : null
}

/** Writes a `traceparent` of version 00; null for a span that no SDK knows. */
export function formatTraceparent(span: SpanContext): string | null {
  if (!isSpanContextValid(span)) return null
  return `00-${span.traceId}-${span.spanId}-${(span.traceFlags & 1).toString().padStart(2, '0')}`
}
