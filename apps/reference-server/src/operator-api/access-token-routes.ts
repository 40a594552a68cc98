import { randomUUID } from 'node:crypto'
import type { AppDirectory } from '@kyc-relay/storage-drizzle/apps'
import type { Hono } from 'hono'
import type { createEmbeddedAccessTokens } from '../identity/access-tokens.js'
import type { EdgeEnv } from '../http/request-context.js'
import { answer } from '../webhooks-api/operation.js'
import { accessOperations as operations } from './access-operations.js'
import { serveInternal } from './serve-internal.js'

const tokenLifetimeMs = 24 * 60 * 60 * 1000

/** Dependencies of the routes of the embedded token store. */
export interface AccessTokenRoutesDeps {
  readonly directory: Pick<AppDirectory, 'findApp'>
  readonly accessTokens: ReturnType<typeof createEmbeddedAccessTokens>
}

/** Serves the embedded token store, a replacement for an OAuth server. */
export function serveAccessTokens(routes: Hono<EdgeEnv>, deps: AccessTokenRoutesDeps): void {
  serveInternal(routes, operations.issueAccessToken, async ({ body: { appId, scopes, ...body }, actor }) => {
    if ((await deps.directory.findApp(appId)) === null) return { refusal: { code: 'NOT_FOUND', detail: 'APP_UNKNOWN' } }
    const userId = body.userId ?? randomUUID()
    const identifiers = { accountId: randomUUID(), externalReferenceId: `user-${userId.slice(0, 8)}` }
    const { accessToken, expiresAt, grant } = await deps.accessTokens.issue(
      { appId, userId, scopes },
      identifiers,
      tokenLifetimeMs,
      { name: actor, reason: null },
    )
    const { accountId, externalReferenceId } = grant
    const issued = { accessToken, userId, accountId, externalReferenceId, expiresAt: expiresAt.toISOString() }
    return answer(201, issued)
  })
}
