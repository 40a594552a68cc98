import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { Hono } from 'hono'
import type { EdgeEnv } from '../http/request-context.js'
import { DocumentationPage, documentationHeaders, documentationAssets } from './documentation-page.js'
import { openApiDocument } from './openapi-document.js'
import { webhookOperations } from './webhook-operations.js'

const compress = promisify(gzip)

/**
 * Creates `/api/v1/openapi.json` and its page at `/api/v1/docs`. Both are public because they hold no secrets. A browser at
 * `/` comes to the portal, and one at `/docs` to the page.
 */
export function createDocumentationRoutes(): Hono<EdgeEnv> {
  const document = openApiDocument(Object.values(webhookOperations))
  const json = JSON.stringify(document, null, 2)
  const routes = new Hono<EdgeEnv>()
  routes.get('/api/v1/openapi.json', (c) =>
    c.body(json, 200, {
      'content-type': 'application/json',
      'cache-control': 'public, max-age=300',
      'x-content-type-options': 'nosniff',
    }),
  )
  routes.get('/api/v1/docs', (c) => c.html(<DocumentationPage />, 200, documentationHeaders))
  for (const [address, { type, text }] of Object.entries(documentationAssets)) {
    // Compressed once, beside other requests: a stranger must not cost that work each time.
    let gzipped: Promise<Uint8Array<ArrayBuffer>> | null = null
    routes.get(address, async (c) => {
      const headers = {
        'content-type': `${type}; charset=utf-8`,
        'cache-control': 'public, max-age=86400',
        'x-content-type-options': 'nosniff',
        vary: 'Accept-Encoding',
      }
      if (!/\bgzip\b/.test(c.req.header('accept-encoding') ?? '')) return c.body(text, 200, headers)
      gzipped ??= compress(text).then((bytes) => new Uint8Array(bytes))
      return c.body(await gzipped, 200, { ...headers, 'content-encoding': 'gzip' })
    })
  }
  routes.get('/', (c) => c.redirect('/portal'))
  routes.get('/docs', (c) => c.redirect('/api/v1/docs'))
  return routes
}
