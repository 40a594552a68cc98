import { randomUUID } from 'node:crypto'
import type { AppDirectory } from '@kyc-relay/storage-drizzle/apps'
import { Hono } from 'hono'
import type { createEmbeddedAccessTokens } from '../identity/access-tokens.js'
import { readJson, refuseProblem } from '../http/json-route.js'
import type { EdgeEnv } from '../http/request-context.js'
import { accessOperations } from './access-operations.js'
import { actorOf, requireRight } from './internal-caller.js'

const tokenLifetimeMs = 24 * 60 * 60 * 1000

/** Dependencies of the routes of the embedded token store. */
export interface AccessTokenRoutesDeps {
  readonly directory: Pick<AppDirectory, 'findApp'>
  readonly accessTokens: ReturnType<typeof createEmbeddedAccessTokens>
}

/** Creates the routes of the embedded token store, a replacement for an OAuth server. */
export function createAccessTokenRoutes(deps: AccessTokenRoutesDeps): Hono<EdgeEnv> {
  const routes = new Hono<EdgeEnv>()

  routes.post('/access-tokens', requireRight('keys'), async (c) => {
    const body = await readJson(c, accessOperations.issueAccessToken.body)
    if (!body.ok) return body.response
    const { appId, scopes } = body.value
    if ((await deps.directory.findApp(appId)) === null)
      return refuseProblem(c, { code: 'NOT_FOUND', detail: 'APP_UNKNOWN' })
    const userId = body.value.userId ?? randomUUID()
    const identifiers = { accountId: randomUUID(), externalReferenceId: `user-${userId.slice(0, 8)}` }
    const { accessToken, expiresAt, grant } = await deps.accessTokens.issue(
      { appId, userId, scopes },
      identifiers,
      tokenLifetimeMs,
      actorOf(c.get('caller')),
    )
    const { accountId, externalReferenceId } = grant
    const issued = { accessToken, userId, accountId, externalReferenceId, expiresAt }
    return c.json(issued, 201, { 'cache-control': 'no-store' })
  })
  return routes
}
