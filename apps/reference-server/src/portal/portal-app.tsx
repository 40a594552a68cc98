import { randomBytes } from 'node:crypto'
import type { AppDirectory } from '@kyc-relay/storage-drizzle/apps'
import { Hono } from 'hono'
import type { WebhookRoutesDeps } from '../webhooks-api/webhook-routes.js'
import { refusalOfError } from '../http/refusal-of-error.js'
import type { Log } from '../operations/log.js'
import { createDeliveryLogRoutes } from './delivery-log-routes.js'
import { createDeveloperRoutes } from './developer-routes.js'
import { createEventTypeRoutes } from './event-type-routes.js'
import { createRecoveryRoutes } from './recovery-routes.js'
import { createKeyRoutes } from './key-routes.js'
import { createOperatorRoutes, type OperatorDeps } from './operator-routes.js'
import {
  acceptForm,
  createSignInForms,
  requireSession,
  seeOther,
  sendProblem,
  type PortalEnv,
} from './portal-context.js'
import { sessionCookie } from './session-cookie.js'
import type { PortalSessions } from '../storage/portal-sessions.js'
import { createSessions } from './sessions.js'
import { createSignInRoutes } from './sign-in-routes.js'

/** Dependencies of the portal: those of the REST API and of the operator's pages. */
export interface PortalDeps {
  readonly webhooks: WebhookRoutesDeps
  readonly operator: OperatorDeps
  /** Token for the operator's pages; null if they are not served. */
  readonly internalToken: string | null
  readonly log: Log
  /** Portal sessions, shared by all processes. */
  readonly sessions: PortalSessions
  readonly recordSignIn: AppDirectory['recordSignIn']
}

const newSecret = () => randomBytes(32).toString('base64url')

/** Creates the portal under `/portal`. Its pages work without JavaScript. */
export function createPortalApp(deps: PortalDeps): Hono<PortalEnv> {
  const { webhooks, operator } = deps
  const sessions = createSessions({ ...deps, store: deps.sessions, newSecret })
  const signIn = createSignInForms({ newSecret, operator: deps.internalToken !== null })
  const { failures } = webhooks
  const guard = { sessions, apiKeys: webhooks.apiKeys, signIn, failures }
  const app = new Hono<PortalEnv>()

  app.use('/portal/*', acceptForm)
  const { apiKeys, limits } = webhooks
  const { findAppName } = operator
  app.route(
    '/',
    createSignInRoutes({ apiKeys, limits, failures, findAppName, internalToken: deps.internalToken, sessions, signIn }),
  )

  app.get('/portal', requireSession(guard, 'any'), (c) =>
    seeOther(c, c.get('session').holder.kind === 'operator' ? '/portal/kyc' : '/portal/webhooks'),
  )
  app.post('/portal/sign-out', requireSession(guard, 'any'), async (c) => {
    const cookie = sessionCookie(c)
    await sessions.end(cookie.read() ?? '')
    cookie.clear()
    return seeOther(c, '/portal/sign-in')
  })

  for (const place of ['webhooks', 'deliveries', 'events', 'keys'])
    app.use(`/portal/${place}/*`, requireSession(guard, 'app'))
  app.route('/', createDeveloperRoutes(webhooks))
  app.route('/', createDeliveryLogRoutes(webhooks))
  app.route('/', createEventTypeRoutes(webhooks))
  app.route('/', createRecoveryRoutes(webhooks))
  app.route('/', createKeyRoutes(webhooks))
  app.use('/portal/kyc/*', requireSession(guard, 'operator'))
  app.route('/', createOperatorRoutes(operator))

  app.all('/portal/*', (c) => sendProblem(c, c.req.method === 'POST' ? 405 : 404))
  app.onError((error, c) => {
    const where = { requestId: c.env.requestId, listener: 'api' } as const
    return sendProblem(c, refusalOfError(error, deps.log, where).code === 'UNAVAILABLE' ? 503 : 500)
  })
  return app
}
