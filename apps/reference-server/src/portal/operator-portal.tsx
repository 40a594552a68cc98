import type { Operator } from '../identity/operators.js'
import type { RequestLimits } from '../http/request-limits.js'
import type { FailedAuthentications } from '../identity/failed-authentications.js'
import type { Log } from '../operations/log.js'
import { Hono } from 'hono'
import { createEvidencePageRoutes, type EvidencePageDeps } from './evidence-page-routes.js'
import { createOperatorRoutes, type OperatorDeps } from './operator-routes.js'
import { endPortal } from './portal-app.js'
import {
  acceptForm,
  createSignInForms,
  requireSession,
  seeOther,
  type PortalEnv,
  type PortalGuard,
} from './portal-context.js'
import { createSessions, newSessionSecret, type SessionDeps } from './sessions.js'
import { createSignInRoutes } from './sign-in-routes.js'

/** Dependencies of the portal of operators. */
export interface OperatorPortalDeps extends SessionDeps, OperatorDeps {
  readonly evidence: EvidencePageDeps['evidence']
  /** Those who can sign in. */
  readonly operators: readonly Operator[]
  readonly findOperator: (token: string) => Operator | null
  readonly limits: RequestLimits
  readonly failures: FailedAuthentications
  readonly log: Log
}

/**
 * Creates the portal of operators under `/portal` of the internal listener. An operator signs in with the operator's own
 * token, and each page needs a right. The pages work without JavaScript.
 */
export function createOperatorPortal(deps: OperatorPortalDeps): Hono<PortalEnv> {
  const guard: PortalGuard = {
    kind: 'operator',
    failures: deps.failures,
    sessions: createSessions({ ...deps, newSecret: newSessionSecret }),
    signIn: createSignInForms({ kind: 'operator', newSecret: newSessionSecret }),
    findAccess: () => Promise.resolve('ACTING'),
  }
  const app = new Hono<PortalEnv>()
  app.use('/portal/*', acceptForm)
  app.route(
    '/',
    createSignInRoutes({
      guard,
      limits: deps.limits,
      refusal: { text: 'The operator token is wrong.', reason: 'OPERATOR_SIGN_IN_REFUSED' },
      identify: (form) => Promise.resolve(deps.findOperator(form.get('operatorToken')?.trim() ?? '')),
    }),
  )
  app.get('/portal', requireSession(guard), (c) => seeOther(c, '/portal/kyc'))
  app.use('/portal/kyc/*', requireSession(guard))
  app.route('/', createOperatorRoutes(deps))
  app.route('/', createEvidencePageRoutes(deps))
  endPortal(app, guard, deps.log)
  return app
}
