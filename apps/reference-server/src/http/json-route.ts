import type { Context } from 'hono'
import { problemBody } from './error-bodies.js'
import { errorCatalogue, type Refusal } from './error-catalogue.js'
import type { EdgeEnv } from './request-context.js'

/** Responds with problem details. `fields` lists violations by JSON Pointer, never by value. */
export function refuseProblem(
  c: Context<EdgeEnv>,
  refusal: Refusal & { readonly fields?: readonly { readonly pointer: string; readonly code: string }[] },
  headers: Record<string, string> = {},
): Response {
  const { body, contentType } = problemBody(refusal, c.env.requestId, refusal.fields)
  return new Response(body, {
    status: refusal.status ?? errorCatalogue[refusal.code].status,
    headers: { 'content-type': contentType, 'cache-control': 'no-store', ...headers },
  })
}
