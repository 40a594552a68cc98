import { EventEmitter, once } from 'node:events'
import { SimpleSpanProcessor, type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace-base'
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node'

/** Everything that a real SDK in this process exports. */
export interface RecordedSpans {
  readonly all: readonly ReadableSpan[]
  /** Resolves with the spans that `matches` picks, once there are `count` of them. */
  ended(matches: (span: ReadableSpan) => boolean, count?: number): Promise<readonly ReadableSpan[]>
  /** As an exporter would write them down: names, attributes, events, links, statuses. */
  texts(): readonly string[]
  stop(): Promise<void>
}

/** Registers the SDK, with its context manager, as an operator's start file does. Once per process. */
export function recordSpans(): RecordedSpans {
  const all: ReadableSpan[] = []
  const arrivals = new EventEmitter().setMaxListeners(100)
  const exporter: SpanExporter = {
    export(spans, done) {
      all.push(...spans)
      done({ code: 0 })
      arrivals.emit('ended')
    },
    shutdown: () => Promise.resolve(),
  }
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  provider.register()
  return {
    all,
    async ended(matches, count = 1) {
      while (all.filter(matches).length < count) await once(arrivals, 'ended')
      return all.filter(matches)
    },
    texts: () =>
      all.map(({ name, attributes, events, links, status, resource }) =>
        JSON.stringify({ name, attributes, events, links, status, resource: resource.attributes }),
      ),
    stop: () => provider.shutdown(),
  }
}
