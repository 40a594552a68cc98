import { Hono } from 'hono'
import { refusalOfError } from '../http/refusal-of-error.js'
import { isRouted, methodsOf } from '../http/unrouted.js'
import type { Log } from '../operations/log.js'
import type { WebhookRoutesDeps } from '../webhooks-api/webhook-routes.js'
import { createDeliveryLogRoutes } from './delivery-log-routes.js'
import { createEndpointRoutes } from './endpoint-routes.js'
import { createEventTypeRoutes } from './event-type-routes.js'
import { createKeyRoutes } from './key-routes.js'
import {
  acceptForm,
  createSignInForms,
  listenerOf,
  requireSession,
  seeOther,
  sendProblem,
  type PortalEnv,
  type PortalGuard,
} from './portal-context.js'
import { createRecoveryRoutes } from './recovery-routes.js'
import { returnPageOfForm } from './return-page.js'
import { createSessions, newSessionSecret, type SessionDeps } from './sessions.js'
import { createSignInRoutes } from './sign-in-routes.js'
import { createTestEventRoutes } from './test-event-routes.js'

/** Dependencies of the portal of partners: those of the REST API, and its sessions. */
export interface PortalDeps extends SessionDeps {
  readonly webhooks: WebhookRoutesDeps
  readonly findAppName: (appId: string) => Promise<string | null>
  readonly log: Log
}

/** Creates the portal of partners under `/portal`. Its pages work without JavaScript. */
export function createPortalApp(deps: PortalDeps): Hono<PortalEnv> {
  const { webhooks, findAppName } = deps
  const { apiKeys, failures, limits } = webhooks
  const guard: PortalGuard = {
    kind: 'app',
    failures,
    sessions: createSessions({ ...deps, operators: [], newSecret: newSessionSecret }),
    signIn: createSignInForms({ kind: 'app', newSecret: newSessionSecret }),
    async findAccess({ holder }) {
      if (holder.kind !== 'app') return null
      const state = await apiKeys.findState({ appId: holder.appId, version: holder.keyVersion })
      return state && (state === 'RETIRING' ? 'READING' : 'ACTING')
    },
  }
  const app = new Hono<PortalEnv>()

  app.use('/portal/*', acceptForm)
  app.route(
    '/',
    createSignInRoutes({
      guard,
      limits,
      refusal: { text: 'The application or its API key is wrong.', reason: 'APP_SIGN_IN_REFUSED' },
      async identify(form) {
        const found = await apiKeys.findApp(form.get('apiKey')?.trim() ?? '')
        const appName = found === null ? null : await findAppName(found.appId)
        const given = form.get('app')?.trim().toLowerCase()
        if (found === null || appName === null) return null
        if (given !== found.appId.toLowerCase() && given !== appName.toLowerCase()) return null
        return { kind: 'app', appId: found.appId, appName, keyVersion: found.version }
      },
    }),
  )
  app.get('/portal', requireSession(guard), (c) => seeOther(c, '/portal/webhooks'))
  for (const place of ['webhooks', 'deliveries', 'events', 'keys']) app.use(`/portal/${place}/*`, requireSession(guard))
  app.route('/', createEndpointRoutes(webhooks))
  app.route('/', createTestEventRoutes(webhooks))
  app.route('/', createDeliveryLogRoutes(webhooks))
  app.route('/', createEventTypeRoutes(webhooks))
  app.route('/', createRecoveryRoutes(webhooks))
  app.route('/', createKeyRoutes(webhooks, guard))
  endPortal(app, guard, deps.log)
  return app
}

/** Answers what a portal does not have, and its errors, with pages. A slash at the end of an address is left out. */
export function endPortal(app: Hono<PortalEnv>, { kind }: PortalGuard, log: Log): void {
  app.all('/portal/*', (c) => {
    const { pathname, search } = new URL(c.req.url)
    if (c.req.method === 'GET') {
      if (pathname.endsWith('/')) return seeOther(c, pathname.slice(0, -1) + search)
      // A browser that reloads the answer to a form asks for the address of the form.
      const page = isRouted(app, 'POST', pathname) ? returnPageOfForm(pathname) : null
      if (page !== null) return seeOther(c, page)
    }
    const methods = methodsOf(app, pathname)
    if (methods.length === 0) return sendProblem(c, 404)
    c.header('allow', methods.join(', '))
    return sendProblem(c, 405)
  })
  app.onError((error, c) => {
    const where = { requestId: c.env.requestId, listener: listenerOf(kind) }
    return sendProblem(c, refusalOfError(error, log, where).code === 'UNAVAILABLE' ? 503 : 500)
  })
}
