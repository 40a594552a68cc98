import type { Context, Handler } from 'hono'
import type { AccessTokens } from '../auth/access-tokens.js'
import { parseBearer } from '../auth/bearer.js'
import { graphqlErrorBody } from '../http-edge/error-bodies.js'
import { errorCatalogue, type Refusal } from '../http-edge/error-catalogue.js'
import { readJsonObject, refuseBodyHead } from '../http-edge/json-body.js'
import { requestIdOf, type EdgeEnv } from '../http-edge/listener.js'
import { errorCode, type Log } from '../observability/log.js'
import type { createGraphqlEndpoint } from './graphql-endpoint.js'

/**
 * The HTTP half of a GraphQL host: shape of the request, then the token, then its scope, then the body.
 *
 * Whoever has no valid token learns nothing about the body: it is not even read.
 */
export function graphqlRoute(options: {
  readonly endpoint: ReturnType<typeof createGraphqlEndpoint>
  readonly accessTokens: AccessTokens
  readonly requiredScope: string | null
  readonly listener: 'api' | 'secure'
  readonly log: Log
}): Handler<EdgeEnv> {
  return async (c) => {
    const { incoming } = c.env
    const requestId = requestIdOf(incoming)
    const refuse = (refusal: Refusal, headers: Record<string, string> = {}) =>
      refuseGraphql(c, refusal, requestId, headers)
    if (incoming.method !== 'POST') return refuse({ code: 'METHOD_NOT_ALLOWED' }, { allow: 'POST' })
    if (incoming.url?.includes('?')) return refuse({ code: 'BAD_REQUEST', detail: 'QUERY_STRING' })
    const head = refuseBodyHead(incoming)
    if (head !== null) return refuse(head)
    try {
      const token = parseBearer(incoming.headers.authorization)
      if (token === null) return refuse({ code: 'UNAUTHENTICATED' }, { 'www-authenticate': 'Bearer' })
      const holder = await options.accessTokens.find(token)
      if (holder === null)
        return refuse({ code: 'UNAUTHENTICATED' }, { 'www-authenticate': 'Bearer error="invalid_token"' })
      if (options.requiredScope !== null && !holder.scopes.includes(options.requiredScope)) {
        return refuse(
          { code: 'FORBIDDEN' },
          { 'www-authenticate': `Bearer error="insufficient_scope", scope="${options.requiredScope}"` },
        )
      }
      const body = await readJsonObject(incoming)
      if (!body.ok) return refuse(body.refusal)
      const [text, init] = await options.endpoint({
        accept: incoming.headers.accept,
        body: body.value,
        caller: { ...holder, requestId },
      })
      return c.body(text ?? '', init.status as 200, { ...init.headers, 'cache-control': 'no-store' })
    } catch (error) {
      options.log.error('request failed', { requestId, listener: options.listener, code: errorCode(error) })
      return refuse({ code: isRetryable(error) ? 'UNAVAILABLE' : 'INTERNAL' }, { 'retry-after': '5' })
    }
  }
}

/** Whether an error of a store or the vault says that a retry may work. */
export function isRetryable(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'retryable' in error && error.retryable === true
}

/** Answers a refusal in GraphQL's error shape. A body that was not read is not waited for. */
export function refuseGraphql(
  c: Context<EdgeEnv>,
  refusal: Refusal,
  requestId: string,
  headers: Record<string, string> = {},
): Response {
  const { body, contentType } = graphqlErrorBody(refusal, requestId)
  const status = refusal.status ?? errorCatalogue[refusal.code].status
  const unread = !c.env.incoming.complete
  return c.body(body, status as 400, {
    'content-type': contentType,
    'cache-control': 'no-store',
    ...(unread ? { connection: 'close' } : {}),
    ...headers,
  })
}
