import { randomUUID } from 'node:crypto'
import type { AppDirectory } from '@kyc-relay/storage-drizzle/apps'
import { Hono } from 'hono'
import type { ApiKeys } from '../identity/api-keys.js'
import { readJson, refuseProblem } from '../http/json-route.js'
import type { EdgeEnv } from '../http/request-context.js'
import { errorCode } from '../operations/log.js'
import { routePath } from '../webhooks-api/operation.js'
import { accessOperations } from './access-operations.js'
import { id } from './field-schemas.js'
import { actorOf, requireRight } from './internal-caller.js'

const grantPath = routePath('/grants/{appId}/{userId}')

const appExists = { code: 'BAD_REQUEST', detail: 'APP_EXISTS', status: 409 } as const

/** Dependencies of the routes for apps and grants. */
export interface AppRoutesDeps {
  readonly directory: AppDirectory
  readonly apiKeys: Pick<ApiKeys, 'createApp'>
  readonly cancelPending: (request: { appId: string; userId: string; reason: string }) => Promise<number>
}

/** Creates the routes for apps and their grants. The service with the OAuth consent calls them. */
export function createAppRoutes({ directory, apiKeys, cancelPending }: AppRoutesDeps): Hono<EdgeEnv> {
  const routes = new Hono<EdgeEnv>()

  routes.post('/apps', requireRight('keys'), async (c) => {
    const body = await readJson(c, accessOperations.createApp.body)
    if (!body.ok) return body.response
    const { name } = body.value
    const appId = body.value.appId ?? randomUUID()
    if ((await directory.findApp(appId)) !== null) return refuseProblem(c, appExists)
    try {
      const { apiKey } = await apiKeys.createApp({ appId, name, actor: actorOf(c.get('caller')) })
      return c.json({ appId, name, apiKey }, 201, { 'cache-control': 'no-store' })
    } catch (error) {
      // Another request made it meanwhile.
      if (errorCode(error) === 'CONSTRAINT') return refuseProblem(c, appExists)
      throw error
    }
  })

  routes.put(grantPath, requireRight('keys'), async (c) => {
    const [appId, userId] = [id.safeParse(c.req.param('appId')), id.safeParse(c.req.param('userId'))]
    if (!appId.success || !userId.success) return refuseProblem(c, { code: 'NOT_FOUND' })
    const body = await readJson(c, accessOperations.putGrant.body)
    if (!body.ok) return body.response
    if ((await directory.findApp(appId.data)) === null)
      return refuseProblem(c, { code: 'NOT_FOUND', detail: 'APP_UNKNOWN' })
    const grant = { appId: appId.data, userId: userId.data, ...body.value, scopes: [...new Set(body.value.scopes)] }
    await directory.putGrant(grant, actorOf(c.get('caller')))
    return c.json(grant)
  })

  routes.delete(grantPath, requireRight('keys'), async (c) => {
    const [appId, userId] = [id.safeParse(c.req.param('appId')), id.safeParse(c.req.param('userId'))]
    if (!appId.success || !userId.success) return refuseProblem(c, { code: 'NOT_FOUND' })
    const grant = { appId: appId.data, userId: userId.data }
    if (!(await directory.revokeGrant({ ...grant, actor: actorOf(c.get('caller')) })))
      return refuseProblem(c, { code: 'NOT_FOUND' })
    await cancelPending({ ...grant, reason: 'GRANT_REVOKED' })
    return c.body(null, 204)
  })
  return routes
}
