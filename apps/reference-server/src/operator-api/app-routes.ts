import { randomUUID } from 'node:crypto'
import type { AppDirectory } from '@kyc-relay/storage-drizzle/apps'
import type { Hono } from 'hono'
import type { ApiKeys } from '../identity/api-keys.js'
import type { EdgeEnv } from '../http/request-context.js'
import { errorCode } from '../operations/log.js'
import { answer } from '../webhooks-api/operation.js'
import { accessOperations as operations } from './access-operations.js'
import { serveInternal } from './serve-internal.js'

const appExists = { refusal: { code: 'BAD_REQUEST', detail: 'APP_EXISTS', status: 409 } } as const

/** Dependencies of the routes for apps and grants. */
export interface AppRoutesDeps {
  readonly directory: AppDirectory
  readonly apiKeys: Pick<ApiKeys, 'createApp'>
  readonly cancelPending: (request: { appId: string; userId: string; reason: string }) => Promise<number>
}

/** Serves apps and their grants. The service with the OAuth consent calls them. */
export function serveApps(routes: Hono<EdgeEnv>, { directory, apiKeys, cancelPending }: AppRoutesDeps): void {
  serveInternal(routes, operations.createApp, async ({ body: { name, ...body }, actor }) => {
    const appId = body.appId ?? randomUUID()
    if ((await directory.findApp(appId)) !== null) return appExists
    try {
      const { apiKey } = await apiKeys.createApp({ appId, name, actor: { name: actor, reason: null } })
      return answer(201, { appId, name, apiKey })
    } catch (error) {
      // Another request made it meanwhile.
      if (errorCode(error) === 'CONSTRAINT') return appExists
      throw error
    }
  })

  serveInternal(routes, operations.putGrant, async ({ params: { appId, userId }, body, actor: name }) => {
    if ((await directory.findApp(appId)) === null) return { refusal: { code: 'NOT_FOUND', detail: 'APP_UNKNOWN' } }
    const grant = { appId, userId, ...body, scopes: [...new Set(body.scopes)] }
    await directory.putGrant(grant, { name, reason: null })
    return answer(200, grant)
  })

  serveInternal(routes, operations.revokeGrant, async ({ params: grant, actor: name }) => {
    if (!(await directory.revokeGrant({ ...grant, actor: { name, reason: null } })))
      return { refusal: { code: 'NOT_FOUND' } }
    await cancelPending({ ...grant, reason: 'GRANT_REVOKED' })
    return answer(204)
  })
}
