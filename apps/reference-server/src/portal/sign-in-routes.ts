import { Hono } from 'hono'
import type { AuthenticationFailure } from '../identity/failed-authentications.js'
import { remoteAddressOf } from '../http/request-context.js'
import type { RequestLimits } from '../http/request-limits.js'
import { dropFormUnlessFor } from './kept-form.js'
import {
  endSession,
  listenerOf,
  requireSession,
  seeOther,
  sendProblem,
  type PortalEnv,
  type PortalGuard,
} from './portal-context.js'
import { pageAfterSignIn } from './return-page.js'
import { sessionCookie } from './session-cookie.js'
import type { Sessions } from './sessions.js'

/** Dependencies of signing in and out. */
export interface SignInDeps {
  readonly guard: PortalGuard
  readonly limits: RequestLimits
  /** Finds who signs in with the fields of a form. */
  readonly identify: (form: URLSearchParams) => Promise<Parameters<Sessions['begin']>[0] | null>
  /** Text and reason of a refusal. */
  readonly refusal: { readonly text: string; readonly reason: AuthenticationFailure }
}

/** Creates `/portal/sign-in` and `/portal/sign-out` of one portal. */
export function createSignInRoutes({ guard, limits, identify, refusal }: SignInDeps): Hono<PortalEnv> {
  const { kind, sessions, signIn, failures } = guard
  const routes = new Hono<PortalEnv>()

  routes.get('/portal/sign-in', (c) => signIn.send(c, null))
  routes.post('/portal/sign-in', async (c) => {
    if (!signIn.isOurs(c)) return sendProblem(c, 403)
    const holder = await identify(c.get('form'))
    if (holder === null) {
      failures.note({ listener: listenerOf(kind), reason: refusal.reason, requestId: c.env.requestId })
      // Only failures count: clients behind one proxy share an address, and must not lock each other out.
      const limit = limits.take('sign-in', remoteAddressOf(c))
      if (limit.verdict.allowed) return signIn.send(c, refusal.text, 401)
      for (const [name, value] of Object.entries(limit.headers)) c.header(name, value)
      return sendProblem(c, 429)
    }
    const cookie = sessionCookie(c, kind)
    const known = cookie.read()
    if (known !== null) await sessions.end(known)
    const { id } = await sessions.begin(holder)
    cookie.set(id)
    sessionCookie(c, kind, 'sign-in').clear()
    const page = pageAfterSignIn(c.get('form').get('next'), kind)
    dropFormUnlessFor(c, page)
    return seeOther(c, page)
  })
  routes.post('/portal/sign-out', requireSession(guard), async (c) => {
    await endSession(c, guard)
    dropFormUnlessFor(c, '/portal/sign-in')
    return seeOther(c, '/portal/sign-in')
  })
  return routes
}
