import { context, ROOT_CONTEXT, SpanKind, trace, type Span } from '@opentelemetry/api'
import type { Handler, MiddlewareHandler } from 'hono'
import { routePath } from 'hono/route'
import type { EdgeEnv } from '../../http/request-context.js'
import { errorCode } from '../log.js'
import { describeSpan, failSpan, isTraced, parseTraceparent, tracer, type SpanFields } from './span.js'

type Listener = NonNullable<SpanFields['listener']>

/**
 * Creates a span with a new trace for each public request. The caller's `traceparent` becomes only a link, so that
 * callers neither control sampling here nor write into our traces.
 */
export function tracedHandler(listener: Listener, route: string, handler: Handler<EdgeEnv>): Handler<EdgeEnv> {
  const runTraced = async (span: Span, ...[c, next]: Parameters<Handler<EdgeEnv>>) => {
    const { requestId } = c.env
    try {
      const answer = (await context.with(trace.setSpan(ROOT_CONTEXT, span), (): unknown =>
        handler(c, next),
      )) as Response
      endRequest(span, { requestId, listener, method: methodName(c.req.method), route, status: answer.status })
      return answer
    } catch (error) {
      failSpan(span, errorCode(error))
      span.end()
      throw error
    }
  }
  return (c, next) => {
    const { method } = c.req
    const from = parseTraceparent(c.req.header('traceparent'))
    const links = from === null ? [] : [{ context: from }]
    const span = tracer.startSpan(spanName(method, route), { kind: SpanKind.SERVER, root: true, links })
    return isTraced(span) ? runTraced(span, c, next) : (handler(c, next) as Promise<Response>)
  }
}

/** Creates a span for each internal request, as a child of the span in its `traceparent`. */
export function tracedMiddleware(listener: Listener): MiddlewareHandler<EdgeEnv> {
  return async (c, next) => {
    const method = methodName(c.req.method)
    const from = parseTraceparent(c.req.header('traceparent'))
    const parent = from === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, from)
    const span = tracer.startSpan(method, { kind: SpanKind.SERVER }, parent)
    await context.with(trace.setSpan(parent, span), next)
    if (span.isRecording()) {
      // The route pattern is known only now. The path itself holds ids.
      const route = withoutFormats(routePath(c, -1))
      span.updateName(`${method} ${route}`)
      const { requestId } = c.env
      endRequest(span, { requestId, listener, method, route, status: c.res.status })
    } else span.end()
  }
}

function endRequest(span: Span, fields: SpanFields): void {
  describeSpan(span, () => fields)
  if ((fields.status ?? 0) >= 500) failSpan(span, String(fields.status))
  span.end()
}

/** Shortens `/apps/:appId{[0-9a-f-]{36}}` to `/apps/:appId`. */
function withoutFormats(route: string): string {
  return route
    .split('/')
    .map((part) => part.split('{', 1)[0])
    .join('/')
}

const methods = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'])

/** Does not repeat an unknown method, which is text of the caller. */
function methodName(method: string | undefined): string {
  return method !== undefined && methods.has(method) ? method : 'OTHER'
}

function spanName(method: string | undefined, route: string): string {
  return `${methodName(method)} ${route}`
}
