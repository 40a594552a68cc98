import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { Hono } from 'hono'
import type { EventCatalogue } from '../events/event-catalogue.js'
import { refuseProblem } from '../http/json-route.js'
import type { EdgeEnv } from '../http/request-context.js'
import {
  DocumentationPage,
  documentationAssets,
  documentationHeaders,
  partnerApiPage,
  type ApiPage,
} from './documentation-page.js'
import { partnerDocument, type OpenApiDocument } from './openapi-document.js'
import { webhookOperations } from './webhook-operations.js'

const compress = promisify(gzip)

/** Checks an `Accept-Encoding` for gzip. A weight of 0 refuses it (RFC 9110, section 12.5.3). */
const takesGzip = (accepted: string): boolean =>
  accepted.split(',').some((one) => /^\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/i.test(one))

/**
 * Creates `/api/v1/openapi.json` and its page at `/api/v1/docs`. Both are public because they hold no secrets. A browser at
 * `/` comes to the portal, and one at `/docs` to the page.
 */
export function createDocumentationRoutes(catalogue: EventCatalogue): Hono<EdgeEnv> {
  const operations = Object.values(webhookOperations)
  const routes = createApiPageRoutes(partnerApiPage, '/api/v1/docs', () => partnerDocument(operations, catalogue))
  routes.get('/api/v1/schemas/kyc-submission-1.0.json', (c) =>
    c.body(submissionSchema(), 200, {
      'content-type': 'application/schema+json',
      'cache-control': 'public, max-age=300',
      'x-content-type-options': 'nosniff',
    }),
  )
  routes.get('/', (c) => c.redirect('/portal'))
  routes.get('/docs', (c) => c.redirect('/api/v1/docs'))
  return routes
}

let schemaText: string | null = null

/** Reads the JSON Schema of a submission, which kyc-core publishes. */
function submissionSchema(): string {
  schemaText ??= readFileSync(
    createRequire(import.meta.url).resolve('@kyc-relay/kyc-core/schema/kyc-submission-1.0.json'),
    'utf8',
  )
  return schemaText
}

/**
 * Creates the routes of one API description: the document, the page that draws it, and what the page loads.
 *
 * @param document Called once, for the first reader: most processes serve none.
 */
export function createApiPageRoutes(page: ApiPage, pagePath: string, document: () => OpenApiDocument): Hono<EdgeEnv> {
  const routes = new Hono<EdgeEnv>()
  let json: string | null = null
  routes.get(page.documentPath, (c) => {
    if (Object.keys(c.req.query()).length > 0) return refuseProblem(c, { code: 'UNKNOWN_PARAMETER' })
    return c.body((json ??= JSON.stringify(document(), null, 2)), 200, {
      'content-type': 'application/json',
      'cache-control': 'public, max-age=300',
      'x-content-type-options': 'nosniff',
    })
  })
  routes.get(pagePath, (c) => c.html(<DocumentationPage {...page} />, 200, documentationHeaders))
  for (const { address, type, text } of documentationAssets(page)) {
    // Made once, beside other requests: a stranger must not cost that work each time.
    let plain: string | null = null
    let gzipped: Promise<Uint8Array<ArrayBuffer>> | null = null
    routes.get(address, async (c) => {
      const headers = {
        'content-type': `${type}; charset=utf-8`,
        'cache-control': 'public, max-age=86400',
        'x-content-type-options': 'nosniff',
        vary: 'Accept-Encoding',
      }
      plain ??= await text()
      if (!takesGzip(c.req.header('accept-encoding') ?? '')) return c.body(plain, 200, headers)
      gzipped ??= compress(plain).then((bytes) => new Uint8Array(bytes))
      return c.body(await gzipped, 200, { ...headers, 'content-encoding': 'gzip' })
    })
  }
  return routes
}
