import { Hono } from 'hono'
import type { ApiKeys } from '../identity/api-keys.js'
import type { FailedAuthentications } from '../identity/failed-authentications.js'
import { remoteAddressOf } from '../http/request-context.js'
import type { RequestLimits } from '../http/request-limits.js'
import { seeOther, sendProblem, type PortalContext, type PortalEnv, type SignInForms } from './portal-context.js'
import { pageAfterSignIn } from './return-page.js'
import { sessionCookie } from './session-cookie.js'
import { equalSecrets, type SessionHolder, type Sessions } from './sessions.js'

/** Dependencies of signing in and out. */
export interface SignInDeps {
  readonly apiKeys: Pick<ApiKeys, 'findApp'>
  readonly findAppName: (appId: string) => Promise<string | null>
  /** Null if the operator cannot sign in here. */
  readonly internalToken: string | null
  readonly limits: RequestLimits
  readonly failures: FailedAuthentications
  readonly sessions: Sessions
  readonly signIn: SignInForms
}

/** Creates `/portal/sign-in` for applications and for the operator. */
export function createSignInRoutes(deps: SignInDeps): Hono<PortalEnv> {
  const routes = new Hono<PortalEnv>()

  routes.get('/portal/sign-in', (c) => deps.signIn.send(c, 'app', null))
  routes.post('/portal/sign-in', (c) =>
    attempt(c, 'app', 'The application or its API key is wrong.', async (form) => {
      const app = await deps.apiKeys.findApp(form.get('apiKey')?.trim() ?? '')
      const appName = app === null ? null : await deps.findAppName(app.appId)
      const given = form.get('app')?.trim().toLowerCase()
      if (app === null || appName === null) return null
      if (given !== app.appId.toLowerCase() && given !== appName.toLowerCase()) return null
      return { kind: 'app', appId: app.appId, appName, keyVersion: app.version }
    }),
  )

  if (deps.internalToken !== null) {
    const { internalToken } = deps
    routes.get('/portal/sign-in/operator', (c) => deps.signIn.send(c, 'operator', null))
    routes.post('/portal/sign-in/operator', (c) =>
      attempt(c, 'operator', 'The internal token is wrong.', async (form) =>
        equalSecrets(form.get('internalToken')?.trim() ?? '', internalToken) ? { kind: 'operator' } : null,
      ),
    )
  }
  return routes

  async function attempt(
    c: PortalContext,
    form: 'app' | 'operator',
    refusal: string,
    identify: (form: URLSearchParams) => Promise<SessionHolder | null>,
  ): Promise<Response> {
    if (!deps.signIn.isOurs(c)) return sendProblem(c, 403)
    const holder = await identify(c.get('form'))
    if (holder === null) {
      const reason = form === 'app' ? 'APP_SIGN_IN_REFUSED' : 'OPERATOR_SIGN_IN_REFUSED'
      deps.failures.note({ listener: 'api', reason, requestId: c.env.requestId })
      // Only failures count: clients behind one proxy share an address, and must not lock each other out.
      const limit = deps.limits.take('sign-in', remoteAddressOf(c))
      if (limit.verdict.allowed) return deps.signIn.send(c, form, { form, text: refusal }, 401)
      for (const [name, value] of Object.entries(limit.headers)) c.header(name, value)
      return sendProblem(c, 429)
    }
    const cookie = sessionCookie(c)
    const known = cookie.read()
    if (known !== null) await deps.sessions.end(known)
    const { id } = await deps.sessions.begin(holder)
    cookie.set(id)
    sessionCookie(c, 'sign-in').clear()
    return seeOther(c, pageAfterSignIn(c.get('form').get('next'), holder))
  }
}
