import { trace } from '@opentelemetry/api'
import { withinMs } from '../time-limit.js'

/** Lets the SDK, if any, send its remaining spans. Resolves when they are sent or after `timeoutMs`; never rejects. */
export async function flushSpans(timeoutMs: number): Promise<void> {
  const flush = flushOf(trace.getTracerProvider())
  if (flush === null) return
  await withinMs(timeoutMs, Promise.resolve(flush())).catch(() => undefined)
}

/** Checks the shape, not the class: the SDK has a separate copy of the API with other classes. */
function flushOf(provider: object): (() => unknown) | null {
  const { getDelegate } = provider as { getDelegate?: () => object }
  const sdk = (getDelegate?.call(provider) ?? provider) as { forceFlush?: () => unknown }
  return typeof sdk.forceFlush === 'function' ? () => sdk.forceFlush?.() : null
}
