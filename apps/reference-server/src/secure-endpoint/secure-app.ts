import { Hono, type Handler } from 'hono'
import { graphqlErrorBody } from '../http-edge/error-bodies.js'
import { refuseGraphql } from '../graphql/graphql-route.js'
import { requestIdOf, type EdgeEnv } from '../http-edge/listener.js'
import { errorCode, type Log } from '../observability/log.js'

/** The secure ingestion endpoint: one address, one method, nothing else (spec, "Endpoints"). */
export function createSecureApp(deps: { readonly graphql: Handler<EdgeEnv>; readonly log: Log }): Hono<EdgeEnv> {
  const app = new Hono<EdgeEnv>()
  app.all('/api/v1/graphql', deps.graphql)
  app.get('/healthz', (c) => c.json({ status: 'ok' }))
  app.notFound((c) => refuseGraphql(c, { code: 'NOT_FOUND' }, requestIdOf(c.env.incoming)))
  app.onError((error, c) => {
    deps.log.error('request failed', {
      requestId: requestIdOf(c.env.incoming),
      listener: 'secure',
      code: errorCode(error),
    })
    const { body, contentType } = graphqlErrorBody({ code: 'INTERNAL' }, requestIdOf(c.env.incoming))
    return c.body(body, 500, { 'content-type': contentType, 'cache-control': 'no-store' })
  })
  return app
}
