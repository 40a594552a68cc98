import { SpanKind } from '@opentelemetry/api'
import {
  isSameEvent,
  moveTransaction,
  prepareEvent,
  WebhookError,
  type EventInput,
  type PreparedEvent,
  type PrepareEventDeps,
  type TransactionStore,
  type WebhookStore,
} from '@kyc-relay/webhooks/delivery'
import {
  findMove,
  type InsertedEvent,
  type MovedTransaction,
  type TransactionRequest,
} from '@kyc-relay/webhooks/internal'
import { inSpan, traceparentOf, type SpanFields } from '../operations/tracing/span.js'

/** Publishes events. Every event of this server, including test events, uses one of these three methods. */
export interface Publisher {
  /**
   * Prepares an event and writes it with its deliveries. An event of a known transaction changes its status.
   *
   * @throws WebhookError as `prepareEvent` and `moveTransaction`, and `SOURCE_EVENT_ID_CONFLICT`
   */
  publish(event: EventInput): Promise<InsertedEvent>
  /** Writes a prepared event. */
  insert(event: PreparedEvent): Promise<InsertedEvent>
  /** Changes the status of a transaction and writes its event, in one write. */
  move(request: TransactionRequest): Promise<MovedTransaction>
}

/** Dependencies of publishing. */
export interface PublisherDeps extends Omit<PrepareEventDeps, 'endpoints'> {
  readonly store: Pick<WebhookStore, 'listEndpoints' | 'insertEvent'>
  readonly transactions: TransactionStore
  /** @throws DiskSpaceError while too little disk space is left. */
  readonly requireSpace: () => void
  readonly count: (eventType: string, event: InsertedEvent) => void
  /** Wakes the delivery worker. */
  readonly wake: () => void
}

/**
 * Creates the publisher over the store. Each write checks disk space, has a span, is counted, and wakes the delivery
 * worker.
 */
export function createPublisher(deps: PublisherDeps): Publisher {
  const { store, transactions } = deps
  const preparing: PrepareEventDeps = { ...deps, endpoints: store }

  /** A move that another one overtook writes nothing and is retried. */
  async function write<Written extends InsertedEvent | 'stale'>(
    event: PreparedEvent,
    insert: (event: PreparedEvent) => Promise<Written>,
  ): Promise<Written> {
    const written = await inSpan(
      'publish event',
      { kind: SpanKind.PRODUCER },
      async (span) => {
        deps.requireSpace()
        // The event stores its span for its deliveries.
        const traceContext = traceparentOf(span.spanContext())
        return insert(traceContext === null ? event : { ...event, traceContext })
      },
      (result) => fieldsOf(event, result),
    )
    if (written !== 'stale') {
      deps.count(event.type, written)
      deps.wake()
    }
    return written
  }

  const insert = (event: PreparedEvent) => write(event, (carrying) => store.insertEvent(carrying))
  const moving: TransactionStore = {
    ...transactions,
    moveTransaction: (move) => write(move.event, (event) => transactions.moveTransaction({ ...move, event })),
  }
  const move = (request: TransactionRequest) => moveTransaction(request, { ...preparing, transactions: moving })
  return {
    async publish(event) {
      const reported = await findMove(event, transactions)
      if (reported !== null) return (await move(reported)).event
      const prepared = await prepareEvent(event, preparing)
      const inserted = await insert(prepared)
      const isAccepted = await isSameEvent(prepared, inserted, deps.bodySealer)
      if (!isAccepted) throw new WebhookError('SOURCE_EVENT_ID_CONFLICT')
      return inserted
    },
    insert,
    move,
  }
}

function fieldsOf({ appId, type, test }: PreparedEvent, written: InsertedEvent | 'stale'): SpanFields {
  if (written === 'stale') return { outcome: 'STALE' }
  return {
    appId,
    eventId: written.eventId,
    eventType: type,
    deliveries: written.deliveries.length,
    duplicate: written.duplicate,
    ...(written.withheld === null ? {} : { withheld: written.withheld }),
    ...(test ? { outcome: 'TEST' } : {}),
  }
}
