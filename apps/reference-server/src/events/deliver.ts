import { SpanKind, type Span } from '@opentelemetry/api'
import {
  createDeliveryWorker,
  type ClaimedDelivery,
  type DeliveryWorkerDeps,
  type AttemptResult,
} from '@kyc-relay/webhooks/delivery'
import type { DeliveryWorkerObserver } from '@kyc-relay/webhooks/internal'
import type { EndpointChange } from './endpoint-changes.js'
import { errorFields, type Log } from '../operations/log.js'
import { describeSpan, failSpan, parseTraceparent, tracer } from '../operations/tracing/span.js'

type Worker = ReturnType<typeof createDeliveryWorker>

/** Creates the delivery worker of the server, with metrics, traces and a log line for each attempt. */
export function createEventDelivery(
  deps: Pick<
    DeliveryWorkerDeps,
    'store' | 'signingKeys' | 'grants' | 'send' | 'openHeaders' | 'bodySealer' | 'now' | 'eventTypes'
  > & {
    readonly retryBaseMs: number
    readonly metrics: Required<Omit<DeliveryWorkerObserver, 'onEndpointHealthChanged'>>
    readonly onEndpointChanged: (change: EndpointChange) => void
    readonly log: Log
  },
): Worker {
  const { metrics, log, retryBaseMs, onEndpointChanged, ...ports } = deps
  const spans = createAttemptSpans()
  return createDeliveryWorker({
    ...ports,
    random: Math.random,
    options: { retry: { baseMs: retryBaseMs } },
    onResultWritten(event) {
      metrics.onResultWritten(event)
      spans.onResultWritten(event)
      logAttempt(log, event.delivery, event.result)
    },
    onClaimed(event) {
      metrics.onClaimed(event)
      spans.onClaimed(event)
    },
    onEndpointHealthChanged: ({ appId, endpointId, failing }) =>
      onEndpointChanged({ appId, endpointId, state: failing ? 'FAILING' : 'HEALTHY' }),
    onProblem(code, error) {
      metrics.onProblem(code, error)
      log.error('delivery worker', { ...errorFields(error), code })
    },
  })
}

/** The worker is not ready while it cannot reach the store. One failed poll does not count. */
export function isDelivering({ running, failures }: ReturnType<Worker['status']>): boolean {
  return running && failures < mostFailures
}

const mostFailures = 3

function logAttempt(log: Log, delivery: ClaimedDelivery, result: AttemptResult): void {
  const { cause } = result.attempt.report
  log.info('attempt ended', {
    deliveryId: delivery.deliveryId,
    endpointId: delivery.endpoint.endpointId,
    attempt: delivery.fence.attempt,
    outcome: result.next.state,
    ...(cause === null ? {} : { cause }),
  })
}

/**
 * Creates a span for each attempt, from its claim until its result is recorded. The span starts a new trace, with a
 * link to the span that published the event: an attempt can be days after the event.
 */
function createAttemptSpans(): Required<Pick<DeliveryWorkerObserver, 'onClaimed' | 'onResultWritten'>> {
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
