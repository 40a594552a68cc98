import type { Context, Hono } from 'hono'
import type { Refusal } from './error-catalogue.js'
import type { EdgeEnv } from './request-context.js'

/**
 * Responds to requests without a route: 405 with `Allow` if the address has another method, else 404. Call it after the
 * last route.
 */
export function refuseUnrouted(
  app: Hono<EdgeEnv>,
  refuse: (c: Context<EdgeEnv>, refusal: Refusal, headers: Record<string, string>) => Response,
): void {
  const routes = app.routes
    .filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => ({ method, address: addressOf(path) }))
  app.notFound((c) => {
    const methods = new Set(routes.filter(({ address }) => address.test(c.req.path)).map(({ method }) => method))
    if (methods.has('GET')) methods.add('HEAD')
    if (methods.size === 0 || methods.has(c.req.method)) return refuse(c, { code: 'NOT_FOUND' }, {})
    return refuse(c, { code: 'METHOD_NOT_ALLOWED' }, { allow: [...methods].sort().join(', ') })
  })
}

/**
 * Converts a route's path to a pattern: `:name` is one segment, `:name{pattern}` a segment that matches the pattern.
 */
function addressOf(path: string): RegExp {
  const segments = path.split('/').map((segment) => {
    const parameter = /^:\w+(?:\{(.+)\})?$/.exec(segment)
    return parameter === null ? segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') : (parameter[1] ?? '[^/]+')
  })
  return new RegExp(`^${segments.join('/')}$`)
}
