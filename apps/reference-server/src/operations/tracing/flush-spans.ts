import { trace } from '@opentelemetry/api'

/**
 * Lets the SDK, if there is one, send the spans that it still holds. Resolves when they are out or after `patienceMs`;
 * never rejects.
 */
export async function flushSpans(patienceMs: number): Promise<void> {
  const flush = flushOf(trace.getTracerProvider())
  if (flush === null) return
  const flushed = Promise.resolve(flush()).catch(() => undefined)
  let timer: NodeJS.Timeout | undefined
  await Promise.race([flushed, new Promise((resolve) => (timer = setTimeout(resolve, patienceMs)))])
  clearTimeout(timer)
}

/** By shape and not by class: the SDK brings a copy of the API of its own, whose classes are others. */
function flushOf(provider: object): (() => unknown) | null {
  const { getDelegate } = provider as { getDelegate?: () => object }
  const sdk = (getDelegate?.call(provider) ?? provider) as { forceFlush?: () => unknown }
  return typeof sdk.forceFlush === 'function' ? () => sdk.forceFlush?.() : null
}
