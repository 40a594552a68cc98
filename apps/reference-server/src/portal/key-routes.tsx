import { Hono } from 'hono'
import { remoteAddressOf } from '../http/request-context.js'
import type { WebhookRoutesDeps } from '../webhooks-api/webhook-routes.js'
import { KeysPage } from './pages/keys-page.js'
import { RevokeKeyPage } from './pages/revoke-key-page.js'
import {
  appIdOf,
  endSession,
  seeOtherWithNotice,
  sendPage,
  sendProblem,
  type PortalContext,
  type PortalEnv,
  type PortalGuard,
} from './portal-context.js'

/** Dependencies of the API key page. */
export type KeyRoutesDeps = Pick<WebhookRoutesDeps, 'apiKeys' | 'store' | 'dryRunKeyRotation' | 'limits' | 'failures'>

/** Creates the pages of the API key: rotate, test, activate, discard, revoke. */
export function createKeyRoutes(deps: KeyRoutesDeps, guard: PortalGuard): Hono<PortalEnv> {
  const { apiKeys } = deps
  const routes = new Hono<PortalEnv>()

  routes.get('/portal/keys', (c) => send(c))

  routes.post('/portal/keys/rotate', async (c) => {
    const appId = appIdOf(c)
    const given = await apiKeys.findApp(c.get('form').get('apiKey')?.trim() ?? '')
    if (given?.appId !== appId) {
      const requestId = c.env.requestId
      deps.failures.note({ listener: 'api', reason: 'API_KEY_INVALID', requestId })
      const { verdict } = deps.limits.take('sign-in', remoteAddressOf(c))
      if (!verdict.allowed) return sendProblem(c, 429)
      return send(c, { keyProblem: 'This is not the API key of this application.' }, 403)
    }
    if (c.get('form').has('version') && (await isShownKeyWaiting(c))) await apiKeys.discard(appId)
    const rotated = await apiKeys.rotate(appId)
    if (rotated === 'rotation_pending') {
      const text =
        'A new key already waits for its activation. If you have not seen it, for example because the form was sent twice, discard it and make another one.'
      return send(c, { notice: { tone: 'warn', text } }, 409)
    }
    return send(c, { newKey: rotated.apiKey })
  })

  routes.post('/portal/keys/dry-run', async (c) => {
    const endpointId = c.get('form').get('endpointId') ?? ''
    const dryRun = await deps.dryRunKeyRotation({ appId: appIdOf(c), endpointId })
    switch (dryRun) {
      case 'endpoint_not_found':
        return sendProblem(c, 404)
      case 'no_rotation_pending':
        return send(c, { notice: { tone: 'warn', text: 'No new key waits for its activation.' } }, 409)
      case 'dry_run_running':
        return send(c, { notice: { tone: 'warn', text: 'A dry run is already running. Wait until it ends.' } }, 409)
      default:
        return send(c, { dryRun })
    }
  })

  routes.post('/portal/keys/activate', async (c) => {
    const appId = appIdOf(c)
    if (c.get('form').get('confirm') !== 'yes')
      return send(c, { notice: { tone: 'bad', text: 'Confirm first that every receiver has the new key.' } }, 400)
    if (!(await isShownKeyWaiting(c)) || !(await apiKeys.activate(appId)))
      return seeOtherWithNotice(c, '/portal/keys', { tone: 'warn', text: notWaiting })
    await c.get('session').endOthers()
    return seeOtherWithNotice(c, '/portal/keys', {
      tone: 'good',
      text: 'The new key signs webhooks from now on. The old key allows only reading, for 24 more hours. To make changes, sign in with the new key.',
    })
  })

  routes.post('/portal/keys/discard', async (c) => {
    const discarded = (await isShownKeyWaiting(c)) && (await apiKeys.discard(appIdOf(c)))
    return seeOtherWithNotice(
      c,
      '/portal/keys',
      discarded
        ? { tone: 'good', text: 'The new key was discarded. It will not sign webhooks.' }
        : { tone: 'warn', text: notWaiting },
    )
  })

  routes.get('/portal/keys/:version{[0-9]{1,9}}/revoke', async (c) => {
    const versions = await apiKeys.listVersions(appIdOf(c))
    const version = versions.find((one) => String(one.version) === c.req.param('version'))
    if (version === undefined) return sendProblem(c, 404)
    return sendPage(c, <RevokeKeyPage session={c.get('session')} versions={versions} version={version} />)
  })
  routes.post('/portal/keys/:version{[0-9]{1,9}}/revoke', async (c) => {
    const version = Number(c.req.param('version'))
    const appId = appIdOf(c)
    if (!(await apiKeys.revoke({ appId, version, reason: null }))) return sendProblem(c, 404)
    // The session ends with its key, so the next page could not show the message.
    if ((await guard.findAccess(c.get('session'))) === null) {
      await endSession(c, guard)
      return guard.signIn.send(c, `Key ${version} was revoked, and you are signed out.`, 200, '/portal/keys')
    }
    return seeOtherWithNotice(c, '/portal/keys', { tone: 'good', text: `Key ${version} was revoked.` })
  })

  /**
   * Checks whether the page showed the key that waits now. A key that was discarded since must not stand for it. A form
   * without `version` means the waiting key.
   */
  async function isShownKeyWaiting(c: PortalContext): Promise<boolean> {
    const shown = c.get('form').get('version')
    if (shown === null) return true
    const versions = await apiKeys.listVersions(appIdOf(c))
    return versions.some(({ version, state }) => state === 'WAITING' && String(version) === shown)
  }

  async function send(
    c: PortalContext,
    more: Pick<Parameters<typeof KeysPage>[0], 'newKey' | 'dryRun' | 'notice' | 'keyProblem'> = {},
    status = 200,
  ): Promise<Response> {
    const appId = appIdOf(c)
    const [versions, endpoints] = await Promise.all([apiKeys.listVersions(appId), deps.store.listEndpoints(appId)])
    const page = <KeysPage session={c.get('session')} versions={versions} endpoints={endpoints} {...more} />
    return sendPage(c, page, status)
  }

  return routes
}

const notWaiting = 'Nothing was changed: the key of that page no longer waits for its activation.'
