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
  app.notFound((c) => {
    const methods = methodsOf(app, c.req.path)
    if (methods.length === 0 || methods.includes(c.req.method))
      return refuse(c, { code: 'NOT_FOUND', unrouted: true }, {})
    return refuse(c, { code: 'METHOD_NOT_ALLOWED' }, { allow: methods.join(', ') })
  })
}

/** Returns the methods for which an address has a route of its own, as `Allow` lists them; none for an unknown address. */
export function methodsOf(app: Pick<Hono, 'router' | 'routes'>, path: string): readonly string[] {
  const routed = new Set(app.routes.map(({ method }) => method).filter((method) => method !== 'ALL'))
  const methods = [...routed].filter((method) => isRouted(app, method, path))
  return (methods.includes('GET') ? [...methods, 'HEAD'] : methods).sort()
}

/** Checks whether an address has a route of its own for a method. */
export function isRouted(app: Pick<Hono, 'router'>, method: string, path: string): boolean {
  return app.router.match(method, path)[0].some(([[, route]]) => route.method === method)
}
