import { Hono } from 'hono'
import { refuseProblem } from '../http/json-route.js'
import type { EdgeEnv } from '../http/request-context.js'
import { refusalOfError } from '../http/refusal-of-error.js'
import { refuseUnrouted } from '../http/unrouted.js'
import type { Log } from '../operations/log.js'
import { createMetricsRoute } from '../operations/metrics-route.js'
import type { Metrics } from '../operations/metrics.js'
import { createProbeRoutes, type Probes } from '../operations/probe-routes.js'
import { tracedMiddleware } from '../operations/tracing/request-spans.js'
import { createApiPageRoutes } from '../webhooks-api/documentation-routes.js'
import { internalDocument } from './internal-document.js'
import { createReadRoutes, type ReadRoutesDeps } from './read-routes.js'
import { serveAccessTokens, type AccessTokenRoutesDeps } from './access-token-routes.js'
import { serveApiKeys, type ApiKeyRoutesDeps } from './api-key-routes.js'
import { serveApps, type AppRoutesDeps } from './app-routes.js'
import { serveEndpoints, type EndpointRoutesDeps } from './endpoint-routes.js'
import { createAssetRoutes } from '../portal/assets.js'
import { createOperatorPortal, type OperatorPortalDeps } from '../portal/operator-portal.js'
import { serveDuplicates, type DuplicateRoutesDeps } from '../evidence/duplicate-routes.js'
import { serveEvidence, type EvidenceRoutesDeps } from '../evidence/evidence-routes.js'
import type { EventCatalogue } from '../events/event-catalogue.js'
import { serveEvents } from '../events/event-routes.js'
import type { Publisher } from '../events/publish.js'
import { serveTransactions } from '../events/transaction-routes.js'
import { identifyCaller, type InternalCallerDeps } from './internal-caller.js'
import { serveRetentionReport } from './retention-report-routes.js'
import type { RetentionReportDeps } from './retention-report.js'
import { serveUserRights, type UserRightsRoutesDeps } from './user-rights-routes.js'
import { serveKycStatus, type KycStatusRoutesDeps } from './kyc-status-routes.js'
import { serveUserExport, type ExportRoutesDeps } from '../user-export/export-routes.js'
import { serveVault, type VaultRoutesDeps } from './vault-routes.js'

/** Dependencies of the internal API. */
export interface InternalAppDeps extends InternalCallerDeps {
  readonly publisher: Publisher
  readonly newId: () => string
  readonly vault: Omit<VaultRoutesDeps, 'log'>
  readonly userExport: Omit<ExportRoutesDeps, 'log' | 'limits'>
  readonly userRights: Omit<UserRightsRoutesDeps, 'log'> & RetentionReportDeps
  readonly apps: AppRoutesDeps & ApiKeyRoutesDeps
  readonly evidence: Omit<EvidenceRoutesDeps, 'log' | 'limits'> & Pick<DuplicateRoutesDeps, 'vault'>
  readonly kycStatuses: Omit<KycStatusRoutesDeps, 'log' | 'newId'>
  readonly endpoints: EndpointRoutesDeps
  readonly embeddedTokens: AccessTokenRoutesDeps
  readonly reads: Omit<ReadRoutesDeps, 'eventTypeNames'>
  readonly catalogue: Pick<EventCatalogue, 'names' | 'publishable'>
  readonly portal: Omit<OperatorPortalDeps, 'evidence' | 'findOperator' | 'limits' | 'failures' | 'log'>
  readonly probes: Probes
  readonly metrics: Metrics
  readonly log: Log
}

const internalApiPage = {
  title: 'Internal API',
  documentPath: '/internal/v1/openapi.json',
  scriptPath: '/assets/internal-api.js',
  // None: a browser that asks for one would count as a caller without a token.
  iconPath: 'data:,',
}

/** Creates the internal API for operators and other services of the operator: bound to loopback, with a token. */
export function createInternalApp(deps: InternalAppDeps): Hono<EdgeEnv> {
  const { log } = deps
  const app = new Hono<EdgeEnv>()

  // Probes and metrics need no token: they are on loopback only and hold no personal data.
  app.route('/', createProbeRoutes(deps.probes))
  app.route('/', createMetricsRoute(deps.metrics, null))

  // The description of the API has no secrets, and a browser sends no token.
  app.route(
    '/',
    createApiPageRoutes(internalApiPage, '/internal/v1/docs', () => internalDocument(deps.catalogue.names)),
  )

  // Browsers sign in to the portal with a form, and keep a cookie.
  app.route('/', createAssetRoutes())
  app.route('/', createOperatorPortal({ ...deps, ...deps.portal }))
  app.get('/', (c) => c.redirect('/portal'))

  app.use(identifyCaller(deps))
  app.use(tracedMiddleware('internal'))

  serveEvents(app, deps.publisher, deps.catalogue)
  serveTransactions(app, deps.publisher, deps.newId)
  serveVault(app, { ...deps.vault, log })
  serveEvidence(app, { ...deps.evidence, limits: deps.limits, log })
  serveDuplicates(app, { vault: deps.evidence.vault, limits: deps.limits, log })
  serveUserRights(app, { ...deps.userRights, log })
  serveUserExport(app, { ...deps.userExport, limits: deps.limits, log })
  serveRetentionReport(app, { ...deps.userRights, log })
  serveKycStatus(app, { ...deps.kycStatuses, newId: deps.newId, log })
  serveApps(app, deps.apps)
  serveApiKeys(app, deps.apps)
  serveEndpoints(app, deps.endpoints)
  serveAccessTokens(app, deps.embeddedTokens)
  app.route('/', createReadRoutes({ ...deps.reads, eventTypeNames: deps.catalogue.names }))

  refuseUnrouted(app, refuseProblem)
  app.onError((error, c) => {
    const where = { requestId: c.env.requestId, listener: 'internal' } as const
    return refuseProblem(c, refusalOfError(error, log, where), { 'retry-after': '5' })
  })
  return app
}
