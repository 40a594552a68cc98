import type { Context, Handler } from 'hono'
import type { AccessTokens } from '../identity/access-tokens.js'
import { parseBearer } from '../identity/bearer.js'
import { failureOf, type FailedAuthentications } from '../identity/failed-authentications.js'
import { graphqlErrorBody } from '../http/error-bodies.js'
import { errorCatalogue, type Refusal } from '../http/error-catalogue.js'
import { readJsonObject, refuseBodyHead } from '../http/json-body.js'
import { isAnswered, remoteAddressOf, sentTarget, type EdgeEnv } from '../http/request-context.js'
import { negotiateMediaType } from '../http/media-types.js'
import { refusalOfError } from '../http/refusal-of-error.js'
import type { RequestLimits } from '../http/request-limits.js'
import type { Log } from '../operations/log.js'
import { insufficientScope } from './graphql-answer.js'
import { parseGraphqlRequest, type createGraphqlEndpoint } from './graphql-endpoint.js'

/** The address of the GraphQL endpoint on both hosts (docs/contract.md 1.3). */
export const graphqlPath = '/api/v1/graphql'

/**
 * Creates the HTTP route of a GraphQL host. It checks the form of the request, then the token, its scope, and the body.
 *
 * Without a valid token the body is not read.
 */
export function graphqlRoute(options: {
  readonly endpoint: ReturnType<typeof createGraphqlEndpoint>
  readonly accessTokens: AccessTokens
  readonly limits: RequestLimits
  readonly failures: FailedAuthentications
  readonly requiredScope: string | null
  readonly listener: 'api' | 'secure'
  readonly log: Log
}): Handler<EdgeEnv> {
  const { log, listener } = options
  return async (c) => {
    const { requestId } = c.env
    const authorization = c.req.header('authorization')
    const refuse = (refusal: Refusal, headers: Record<string, string> = {}) => {
      const { code, detail } = refusal
      // The listener logs a connection that breaks.
      if (!isAnswered(c)) {
        log.info('request refused', { requestId, listener, code, ...(detail === undefined ? {} : { detail }) })
      }
      return refuseGraphql(c, refusal, headers)
    }
    const shape = refuseShape(c)
    if (shape !== null) return refuse(shape, shape.code === 'METHOD_NOT_ALLOWED' ? { allow: 'POST' } : {})
    const mediaType = negotiateMediaType(c.req.header('accept'))
    if (mediaType === null) return refuse({ code: 'NOT_ACCEPTABLE' })
    try {
      const token = parseBearer(authorization)
      const holder = token === null ? null : await options.accessTokens.find(token)
      if (holder === null) {
        // Logged by `failures`, not for each request, so that attackers cannot flood the log.
        const reason = failureOf(authorization, 'ACCESS_TOKEN_MISSING', 'ACCESS_TOKEN_INVALID')
        options.failures.note({ listener, reason, requestId })
        const failed = options.limits.take('failed-authentication', remoteAddressOf(c))
        if (!failed.verdict.allowed) return refuseGraphql(c, { code: 'RATE_LIMITED' }, failed.headers)
        const challenge = token === null ? 'Bearer' : 'Bearer error="invalid_token"'
        return refuseGraphql(c, { code: 'UNAUTHENTICATED' }, { 'www-authenticate': challenge })
      }
      const limit = options.limits.take('token', `${holder.appId} ${holder.userId}`)
      if (!limit.verdict.allowed) return refuse({ code: 'RATE_LIMITED' }, limit.headers)
      if (options.requiredScope !== null && !holder.scopes.includes(options.requiredScope)) {
        return refuse({ code: 'FORBIDDEN' }, { 'www-authenticate': insufficientScope(options.requiredScope) })
      }
      const body = await readJsonObject(c)
      if (!body.ok) return refuse(body.refusal)
      const parsed = parseGraphqlRequest(body.value)
      if (!parsed.ok) return refuse(parsed.refusal)
      const {
        status,
        headers,
        body: text,
      } = await options.endpoint({
        mediaType,
        params: parsed.request,
        caller: { ...holder, requestId },
      })
      const all = { ...headers, ...limit.headers, 'cache-control': 'no-store' }
      return new Response(text, { status, headers: all })
    } catch (error) {
      return refuse(refusalOfError(error, log, { requestId, listener }), { 'retry-after': '5' })
    }
  }
}

/** Checks the form of a request, before authentication. */
function refuseShape(c: Context<EdgeEnv>): Refusal | null {
  const [path, ...query] = sentTarget(c).split('?')
  // The router also accepts `/api/v1/%67raphql` and other spellings of the address, which a proxy may read differently.
  if (path !== graphqlPath) return { code: 'NOT_FOUND' }
  if (c.req.method !== 'POST') return { code: 'METHOD_NOT_ALLOWED' }
  if (query.length > 0) return { code: 'BAD_REQUEST', detail: 'QUERY_STRING' }
  return refuseBodyHead(c)
}

/** Sends a refusal in GraphQL's error format. */
export function refuseGraphql(c: Context<EdgeEnv>, refusal: Refusal, headers: Record<string, string> = {}): Response {
  const { body, contentType } = graphqlErrorBody(refusal, c.env.requestId)
  return new Response(body, {
    status: refusal.status ?? errorCatalogue[refusal.code].status,
    headers: { 'content-type': contentType, 'cache-control': 'no-store', ...headers },
  })
}
