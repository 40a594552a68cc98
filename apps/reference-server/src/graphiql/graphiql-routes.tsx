import { Hono } from 'hono'
import { raw } from 'hono/html'
import type { EdgeEnv } from '../http/request-context.js'
import { refuseProblem } from '../http/json-route.js'
import { pageHeadersWith } from '../portal/page-headers.js'
import { graphiqlAssets, readGraphiqlAsset } from './graphiql-assets.js'

/** Headers of the page. GraphiQL's style sheet holds its fonts and pictures. */
const graphiqlHeaders = pageHeadersWith({ 'img-src': "'self' data:", 'font-src': 'data:' })

/** Creates `/graphiql`, in which a developer tries queries of the standard API. For local development only. */
export function createGraphiqlRoutes(): Hono<EdgeEnv> {
  const routes = new Hono<EdgeEnv>()
  routes.get('/graphiql', (c) =>
    c.html(
      <>
        {raw('<!doctype html>')}
        <html lang="en">
          <head>
            <meta charset="utf-8" />
            <meta name="viewport" content="width=device-width, initial-scale=1" />
            <title>GraphiQL · kyc-relay</title>
            <link rel="icon" href="/assets/icon.svg" />
            <link rel="stylesheet" href="/assets/graphiql/graphiql.css" />
            <link rel="stylesheet" href="/assets/graphiql/page.css" />
          </head>
          <body>
            <noscript>
              <p>This page needs JavaScript.</p>
            </noscript>
            <main></main>
            {['react', 'react-dom', 'graphiql', 'start'].map((name) => (
              <script src={`/assets/graphiql/${name}.js`}></script>
            ))}
          </body>
        </html>
      </>,
      200,
      graphiqlHeaders,
    ),
  )
  for (const address of graphiqlAssets) {
    routes.get(address, async (c) => {
      const text = await readGraphiqlAsset(address)
      if (text === null) return refuseProblem(c, { code: 'NOT_FOUND', unrouted: true })
      return c.body(text, 200, {
        'content-type': `${address.endsWith('.css') ? 'text/css' : 'text/javascript'}; charset=utf-8`,
        'cache-control': 'no-cache',
        'x-content-type-options': 'nosniff',
      })
    })
  }
  return routes
}
