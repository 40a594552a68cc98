import { SpanKind } from '@opentelemetry/api'
import {
  moveTransaction,
  prepareEvent,
  type EventInput,
  type InsertedEvent,
  type MovedTransaction,
  type PreparedEvent,
  type PrepareEventDeps,
  type TransactionRequest,
  type TransactionStore,
  type WebhookStore,
} from '@kyc-relay/webhooks/delivery'
import { inSpan, traceparentOf, type SpanFields } from '../operations/tracing/span.js'

/** Writes events. Every event of this server, test events too, goes through one of these three. */
export interface Publisher {
  /** Prepares an event and writes it with its deliveries. */
  publish(event: EventInput): Promise<InsertedEvent>
  /** Writes an event that is prepared already. */
  insert(event: PreparedEvent): Promise<InsertedEvent>
  /** Moves a transaction and writes the event that tells about it, in one write. */
  move(request: TransactionRequest): Promise<MovedTransaction>
}

/** What publishing needs. */
export interface PublisherDeps extends Omit<PrepareEventDeps, 'endpoints'> {
  readonly store: Pick<WebhookStore, 'listEndpoints' | 'insertEvent'>
  readonly transactions: TransactionStore
  /** @throws DiskSpaceError while too little disk space is left. */
  readonly requireSpace: () => void
  readonly count: (eventType: string, event: InsertedEvent) => void
  /** Tells the delivery worker that deliveries may be due. */
  readonly wake: () => void
}

/** Publishes over the store: each write needs disk space, has a span, is counted, and wakes the delivery worker. */
export function createPublisher(deps: PublisherDeps): Publisher {
  const { store, transactions } = deps
  const preparing: PrepareEventDeps = { ...deps, endpoints: store }

  /** A move that another one overtook writes nothing: it is decided anew. */
  async function write<Written extends InsertedEvent | 'stale'>(
    event: PreparedEvent,
    insert: (event: PreparedEvent) => Promise<Written>,
  ): Promise<Written> {
    const written = await inSpan(
      'publish event',
      { kind: SpanKind.PRODUCER },
      async (span) => {
        deps.requireSpace()
        // The event carries its span to its deliveries.
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
  return {
    publish: async (event) => insert(await prepareEvent(event, preparing)),
    insert,
    move: (request) => moveTransaction(request, { ...preparing, transactions: moving }),
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
