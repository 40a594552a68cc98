import type { AppDirectory } from '@kyc-relay/storage-drizzle/apps'
import type { Hono } from 'hono'
import type { ApiKeys } from '../identity/api-keys.js'
import type { EdgeEnv } from '../http/request-context.js'
import { answer } from '../webhooks-api/operation.js'
import { accessOperations as operations } from './access-operations.js'
import { serveInternal } from './serve-internal.js'

/** Dependencies of the operator's routes for API keys. */
export interface ApiKeyRoutesDeps {
  readonly directory: Pick<AppDirectory, 'findApp'>
  readonly apiKeys: Pick<ApiKeys, 'issue' | 'revoke'>
}

/** Serves API keys to the operator: issue a key to an app that lost its key, and revoke a leaked key. */
export function serveApiKeys(routes: Hono<EdgeEnv>, { directory, apiKeys }: ApiKeyRoutesDeps): void {
  serveInternal(routes, operations.issueApiKey, async ({ params: { appId }, body: { reason }, actor }) => {
    if ((await directory.findApp(appId)) === null) return { refusal: { code: 'NOT_FOUND', detail: 'APP_UNKNOWN' } }
    const issued = await apiKeys.issue({ appId, reason, actor: { name: actor, reason } })
    return answer(201, { appId, ...issued, signsFrom: issued.signsFrom.toISOString() })
  })

  serveInternal(routes, operations.revokeApiKey, async ({ params: { appId, version }, body: { reason }, actor }) => {
    const revoked = await apiKeys.revoke({ appId, version, reason, actor: { name: actor, reason } })
    return revoked ? answer(204) : { refusal: { code: 'NOT_FOUND' } }
  })
}
