import { context, createContextKey, ROOT_CONTEXT, SpanKind, type Span } from '@opentelemetry/api'
import type {
  ClaimedDelivery,
  DeliveryWorkerObserver,
  InsertedEvent,
  PreparedEvent,
  TransactionStore,
  WebhookStore,
} from '@kyc-relay/webhooks/delivery'
import { describeSpan, failSpan, inSpan, tracer, type SpanFields } from './span.js'
import { formatTraceparent, parseTraceparent } from './trace-context.js'

const producer = { kind: SpanKind.PRODUCER }

/** The same store, with a span for each event that is published; the event carries it to its deliveries. */
export function tracePublishing<S extends Pick<WebhookStore, 'insertEvent'>>(store: S): S {
  return {
    ...store,
    insertEvent: (event: PreparedEvent) =>
      inSpan(
        'publish event',
        producer,
        (span) => store.insertEvent(carrying(event, span)),
        (inserted) => publishedFields(event, inserted),
      ),
  }
}

/** The same for events that are written with the move of a transaction. */
export function traceTransactions(store: TransactionStore): TransactionStore {
  return {
    ...store,
    moveTransaction: (move) =>
      inSpan(
        'publish event',
        producer,
        (span) => store.moveTransaction({ ...move, event: carrying(move.event, span) }),
        (moved) => (moved === 'stale' ? { outcome: 'STALE' } : publishedFields(move.event, moved)),
      ),
  }
}

/**
 * A span for each attempt, from its claim until its end is recorded. It begins a trace of its own, which may be days
 * after the event, with a link to the span that published it.
 */
export function createAttemptSpans(): Required<Pick<DeliveryWorkerObserver, 'onClaimed' | 'onResultWritten'>> {
  const spans = new WeakMap<ClaimedDelivery, Span>()
  return {
    onClaimed({ deliveries }) {
      for (const delivery of deliveries) {
        const publishedBy = parseTraceparent(delivery.traceContext)
        const links = publishedBy === null ? [] : [{ context: publishedBy }]
        const span = tracer.startSpan('deliver event', { kind: SpanKind.CLIENT, root: true, links })
        if (!span.isRecording()) continue
        describeSpan(span, () => ({
          appId: delivery.appId,
          eventId: delivery.eventId,
          eventType: delivery.eventType,
          deliveryId: delivery.deliveryId,
          endpointId: delivery.endpoint.endpointId,
          attempt: delivery.fence.attempt,
        }))
        spans.set(delivery, span)
      }
    },
    onResultWritten({ delivery, result, outcome }) {
      const span = spans.get(delivery)
      if (span === undefined) return
      const { state, report } = result.attempt
      describeSpan(span, () => ({
        attemptState: state,
        deliveryState: result.next.state,
        writeOutcome: outcome,
        ...(report.status === null ? {} : { statusClass: `${Math.trunc(report.status / 100)}xx` }),
      }))
      if (report.cause !== null) failSpan(span, report.cause)
      span.end()
    },
  }
}

/** The key by which every SDK knows that nothing is to be traced or sent along; the API does not export it. */
const suppressed = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING')
const untraced = ROOT_CONTEXT.setValue(suppressed, true)

/** The same call, out of sight of instrumentations: one of them would add our trace headers to a partner's request. */
export function hideFromTracing<Arguments extends unknown[], Result>(
  call: (...given: Arguments) => Result,
): (...given: Arguments) => Result {
  return (...given) => context.with(untraced, () => call(...given))
}

function carrying(event: PreparedEvent, span: Span): PreparedEvent {
  const traceContext = formatTraceparent(span.spanContext())
  return traceContext === null ? event : { ...event, traceContext }
}

function publishedFields({ appId, type, test }: PreparedEvent, inserted: InsertedEvent): SpanFields {
  return {
    appId,
    eventId: inserted.eventId,
    eventType: type,
    deliveries: inserted.deliveries.length,
    duplicate: inserted.duplicate,
    ...(inserted.withheld === null ? {} : { withheld: inserted.withheld }),
    ...(test ? { outcome: 'TEST' } : {}),
  }
}
