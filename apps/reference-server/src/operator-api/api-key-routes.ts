import type { AppDirectory } from '@kyc-relay/storage-drizzle/apps'
import { Hono } from 'hono'
import * as z from 'zod'
import type { ApiKeys } from '../identity/api-keys.js'
import { refuseProblem } from '../http/json-route.js'
import type { EdgeEnv } from '../http/request-context.js'
import { accessOperations } from './access-operations.js'
import { id } from './field-schemas.js'
import { readActing, requireRight } from './internal-caller.js'

const keyVersion = z
  .string()
  .regex(/^[1-9]\d{0,8}$/)
  .transform(Number)

/** Dependencies of the operator's routes for API keys. */
export interface ApiKeyRoutesDeps {
  readonly directory: Pick<AppDirectory, 'findApp'>
  readonly apiKeys: Pick<ApiKeys, 'issue' | 'revoke'>
}

/** Creates the operator's routes for API keys: issue a key to an app that lost its key, and revoke a leaked key. */
export function createApiKeyRoutes({ directory, apiKeys }: ApiKeyRoutesDeps): Hono<EdgeEnv> {
  const routes = new Hono<EdgeEnv>()

  routes.post('/apps/:appId/keys', requireRight('keys'), async (c) => {
    const appId = id.safeParse(c.req.param('appId'))
    if (!appId.success) return refuseProblem(c, { code: 'NOT_FOUND' })
    const body = await readActing(c, accessOperations.issueApiKey.body)
    if (!body.ok) return body.response
    const { reason } = body.value
    if ((await directory.findApp(appId.data)) === null)
      return refuseProblem(c, { code: 'NOT_FOUND', detail: 'APP_UNKNOWN' })
    const issued = await apiKeys.issue({ appId: appId.data, reason, actor: { name: body.actor, reason } })
    return c.json({ appId: appId.data, ...issued }, 201, { 'cache-control': 'no-store' })
  })

  routes.delete('/apps/:appId/keys/:version', requireRight('keys'), async (c) => {
    const [appId, version] = [id.safeParse(c.req.param('appId')), keyVersion.safeParse(c.req.param('version'))]
    if (!appId.success || !version.success) return refuseProblem(c, { code: 'NOT_FOUND' })
    const body = await readActing(c, accessOperations.revokeApiKey.body)
    if (!body.ok) return body.response
    const { reason } = body.value
    const key = { appId: appId.data, version: version.data }
    const revoked = await apiKeys.revoke({ ...key, reason, actor: { name: body.actor, reason } })
    return revoked ? c.body(null, 204) : refuseProblem(c, { code: 'NOT_FOUND' })
  })
  return routes
}
