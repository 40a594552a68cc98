import {
  context,
  INVALID_TRACEID,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Span,
  type SpanContext,
  type SpanOptions,
} from '@opentelemetry/api'
import { parseTraceParent, suppressTracing, W3CTraceContextPropagator } from '@opentelemetry/core'
import { errorCode, type FieldTypes } from '../log.js'

/** Allowed attributes of spans: ids, codes, counts and route patterns. Never a value of a partner's input. */
const allowed = {
  requestId: ['kyc_relay.request_id', 'string'],
  listener: ['kyc_relay.listener', 'listener'],
  method: ['http.request.method', 'string'],
  route: ['http.route', 'string'],
  status: ['http.response.status_code', 'number'],
  outcome: ['kyc_relay.outcome', 'string'],
  violations: ['kyc_relay.violations', 'number'],
  verificationId: ['kyc_relay.verification_id', 'string'],
  appId: ['kyc_relay.app_id', 'string'],
  eventId: ['kyc_relay.event_id', 'string'],
  eventType: ['kyc_relay.event_type', 'string'],
  withheld: ['kyc_relay.withheld', 'string'],
  duplicate: ['kyc_relay.duplicate', 'boolean'],
  deliveries: ['kyc_relay.deliveries', 'number'],
  deliveryId: ['kyc_relay.delivery_id', 'string'],
  endpointId: ['kyc_relay.endpoint_id', 'string'],
  attempt: ['kyc_relay.attempt', 'number'],
  attemptState: ['kyc_relay.attempt_state', 'string'],
  deliveryState: ['kyc_relay.delivery_state', 'string'],
  writeOutcome: ['kyc_relay.write_outcome', 'string'],
  statusClass: ['kyc_relay.status_class', 'string'],
  errorType: ['error.type', 'string'],
} as const

/** Fields of a span. They become its attributes. */
export type SpanFields = { readonly [Name in keyof typeof allowed]?: FieldTypes[(typeof allowed)[Name][1]] }

/** Without an SDK, its spans record nothing. */
export const tracer = trace.getTracer('kyc-relay')

/** Sets allow-listed attributes on a recording span. */
export function describeSpan(span: Span, fields: () => SpanFields): void {
  if (!span.isRecording()) return
  for (const [name, value] of Object.entries(fields())) {
    const [attribute] = allowed[name as keyof SpanFields] ?? []
    if (attribute !== undefined && value !== undefined) span.setAttribute(attribute, value)
  }
}

/** Marks a span as failed with a stable code. The error itself is not recorded: its message can hold any data. */
export function failSpan(span: Span, errorType: string): void {
  if (!span.isRecording()) return
  span.setStatus({ code: SpanStatusCode.ERROR })
  describeSpan(span, () => ({ errorType }))
}

/** Checks whether an SDK created the span. Without an SDK no context is needed. */
export function isTraced(span: Span): boolean {
  return span.spanContext().traceId !== INVALID_TRACEID
}

/** Runs `work` inside a span. Spans of `work` are its children. */
export function inSpan<T>(
  name: string,
  options: SpanOptions,
  work: (span: Span) => Promise<T>,
  describe: (result: T) => SpanFields,
): Promise<T> {
  const span = tracer.startSpan(name, options)
  return isTraced(span) ? runInSpan(span, work, describe) : work(span)
}

async function runInSpan<T>(
  span: Span,
  work: (span: Span) => Promise<T>,
  describe: (result: T) => SpanFields,
): Promise<T> {
  try {
    const result = await context.with(trace.setSpan(context.active(), span), () => work(span))
    describeSpan(span, () => describe(result))
    return result
  } catch (error) {
    failSpan(span, errorCode(error))
    throw error
  } finally {
    span.end()
  }
}

/** The longest version of `traceparent` so far has 55 characters. Longer text is dropped unread. */
const longestTraceparent = 128

/** Parses a `traceparent`; null for invalid text. */
export function parseTraceparent(text: unknown): SpanContext | null {
  if (typeof text !== 'string' || text.length > longestTraceparent || text !== text.trim()) return null
  const parsed = parseTraceParent(text)
  // Only the sampled flag is passed on.
  return parsed === null ? null : { ...parsed, traceFlags: parsed.traceFlags & TraceFlags.SAMPLED, isRemote: true }
}

const propagator = new W3CTraceContextPropagator()

/** Formats the `traceparent` of a span, version 00; null for a span without an SDK. */
export function traceparentOf(span: SpanContext): string | null {
  let traceparent: string | null = null
  const sampledOnly = { ...span, traceFlags: span.traceFlags & TraceFlags.SAMPLED }
  propagator.inject(trace.setSpanContext(ROOT_CONTEXT, sampledOnly), null, {
    set: (_carrier, name, value) => {
      if (name === 'traceparent') traceparent = value
    },
  })
  return traceparent
}

const untraced = suppressTracing(ROOT_CONTEXT)

/** Runs a call without instrumentation, which would add our trace headers to a partner's request. */
export function hideFromTracing<Arguments extends unknown[], Result>(
  call: (...given: Arguments) => Result,
): (...given: Arguments) => Result {
  return (...given) => context.with(untraced, () => call(...given))
}
