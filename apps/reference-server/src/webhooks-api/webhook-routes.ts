import { randomUUID } from 'node:crypto'
import { openDelivery, type WebhookStore } from '@kyc-relay/webhooks/delivery'
import type { HeaderProblem, ListDeliveriesRequest } from '@kyc-relay/webhooks/internal'
import type { checkEndpointUrl, EndpointUrlRefusal } from '@kyc-relay/webhooks/https'
import { Hono, type MiddlewareHandler } from 'hono'
import type { ApiKeys } from '../identity/api-keys.js'
import type { EventCatalogue } from '../events/event-catalogue.js'
import type { EndpointHeaders } from '../events/endpoint-headers.js'
import { parseBearer } from '../identity/bearer.js'
import { failureOf, type FailedAuthentications } from '../identity/failed-authentications.js'
import { refuseProblem } from '../http/json-route.js'
import { remoteAddressOf, type EdgeEnv } from '../http/request-context.js'
import type { RequestLimits } from '../http/request-limits.js'
import { errorCode } from '../operations/log.js'
import type { createKeyRotationDryRun } from './key-rotation-dry-run.js'
import { registerEndpoint, replaceEndpoint } from './endpoint-changes.js'
import { serveKnownTypes, unknownTypes } from './known-event-types.js'
import { answer, routePath, serveOperation } from './operation.js'
import { serveRecoveries, type RecoveryRoutesDeps } from './recovery-routes.js'
import type { TestEvents } from './test-event.js'
import { violation } from '../http/violations.js'
import { serveVerifications, type VerificationRoutesDeps } from './verification-routes.js'
import { webhookOperations as operations } from './webhook-operations.js'
import { presentDelivery, presentDeliveryDetail, presentEndpoint, presentKeyVersion } from './webhook-presentation.js'

/** Dependencies of the webhook routes. */
export interface WebhookRoutesDeps extends Pick<
  RecoveryRoutesDeps,
  'recoveries' | 'countRecovery' | 'grants' | 'feed' | 'bodyAgeMs' | 'bodySealer'
> {
  readonly reconciliation: VerificationRoutesDeps
  readonly apiKeys: ApiKeys
  readonly store: WebhookStore
  readonly checkUrl: (url: string) => ReturnType<typeof checkEndpointUrl>
  readonly sealHeaders: EndpointHeaders['seal']
  readonly testEvents: TestEvents
  readonly dryRunKeyRotation: ReturnType<typeof createKeyRotationDryRun>
  readonly limits: RequestLimits
  readonly failures: FailedAuthentications
  readonly wake: () => void
  readonly now: () => Date
  readonly catalogue: EventCatalogue
}

/**
 * Creates `/api/v1/webhooks`: registration, delivery log, resend, test events and API keys of one app, with its API
 * key.
 */
export function createWebhookRoutes(deps: WebhookRoutesDeps): Hono<EdgeEnv> {
  const { apiKeys, store } = deps
  const offered = deps.catalogue.offered.map(({ name }) => name)
  const routes = new Hono<EdgeEnv>()
  const paths = Object.values(operations).map(({ path }) => routePath(path))
  // A path of two operations is guarded once: each guard counts the request.
  const elsewhere = new Set(paths.filter((path) => !`${path}/`.startsWith('/api/v1/webhooks/')))
  for (const path of ['/api/v1/webhooks/*', ...elsewhere]) routes.use(path, requireApiKey(deps))
  serveVerifications(routes, deps.reconciliation)

  async function listPresented(appId: string) {
    const [endpoints, health] = await Promise.all([store.listEndpoints(appId), store.listEndpointHealth(appId)])
    const healthOf = new Map(health.map((one) => [one.endpointId, one]))
    return endpoints.map((endpoint) => presentEndpoint(endpoint, healthOf.get(endpoint.endpointId)))
  }

  const findPresented = async (appId: string, endpointId: string) =>
    (await listPresented(appId)).find(({ id }) => id === endpointId)

  serveOperation(routes, operations.listEndpoints, async ({ appId }) =>
    answer(200, { items: await listPresented(appId), nextCursor: null }),
  )

  serveKnownTypes(
    routes,
    deps.catalogue.names,
    operations.registerEndpoint,
    async ({ appId, body }) => {
      const registered = await registerEndpoint(deps, { appId, ...body })
      if (registered.kind === 'url_refused') return urlRefused(registered.code)
      if (registered.kind === 'headers_refused') return headersRefused(registered.code)
      if (registered.kind === 'type_not_offered') return notOffered(offered, body)
      if (registered.kind === 'limit_reached')
        return { refusal: { code: 'LIMIT_EXCEEDED', detail: 'ENDPOINT_LIMIT', status: 409 } }
      const { endpoint, warnings } = registered
      const location = `/api/v1/webhooks/${endpoint.endpointId}`
      return answer(201, { ...presentEndpoint(endpoint, undefined), warnings }, { location })
    },
    offered,
  )

  serveKnownTypes(
    routes,
    deps.catalogue.names,
    operations.replaceEndpoint,
    async ({ appId, params: { endpointId }, body }) => {
      const replaced = await replaceEndpoint(deps, { appId, endpointId, ...body })
      if (replaced.kind === 'url_refused') return urlRefused(replaced.code)
      if (replaced.kind === 'headers_refused') return headersRefused(replaced.code)
      if (replaced.kind === 'type_not_offered') return notOffered(offered, body)
      if (replaced.kind !== 'replaced') {
        return { refusal: { code: replaced.kind === 'not_found' ? 'NOT_FOUND' : 'ENDPOINT_URL_IN_USE' } }
      }
      deps.wake()
      const { endpoint, warnings } = replaced
      const location = `/api/v1/webhooks/${endpoint.endpointId}`
      return answer(201, { ...presentEndpoint(endpoint, undefined), warnings, replaces: endpointId }, { location })
    },
    offered,
  )

  serveKnownTypes(
    routes,
    deps.catalogue.names,
    operations.listDeliveries,
    async ({ appId, query: { status, ...filter } }) => {
      const page = await listDeliveries(store, { appId, ...defined(filter), ...(status ? { state: status } : {}) })
      if (page === 'cursor_invalid') {
        const fields = [violation('/cursor', 'CURSOR_INVALID')]
        return { refusal: { code: 'BAD_REQUEST', detail: 'QUERY_INVALID', fields } }
      }
      return answer(200, { items: page.items.map(presentDelivery), nextCursor: page.nextCursor })
    },
  )

  serveOperation(routes, operations.getDelivery, async ({ appId, params: { deliveryId } }) => {
    const found = await store.findDelivery({ appId, deliveryId })
    if (found === null) return { refusal: { code: 'NOT_FOUND' } }
    const opened = await openDelivery(found, deps.bodySealer)
    return answer(200, presentDeliveryDetail(opened, await headerNamesOf(store, found)))
  })

  serveOperation(routes, operations.resendDelivery, async ({ appId, params: { deliveryId } }) => {
    const newDeliveryId = randomUUID()
    const outcome = await store.resendDelivery({ appId, deliveryId, newDeliveryId })
    if (outcome === 'not_found') {
      // The store also answers `not_found` for a blanked body.
      const isKnown = (await store.findDelivery({ appId, deliveryId })) !== null
      return isKnown ? conflict('BODY_BLANKED') : { refusal: { code: 'NOT_FOUND' } }
    }
    if (outcome === 'not_finished') return conflict('DELIVERY_PENDING')
    if (outcome === 'endpoint_removed') return conflict('ENDPOINT_REMOVED')
    deps.wake()
    return answer(202, { deliveryId: newDeliveryId })
  })

  serveOperation(routes, operations.listKeys, async ({ appId }) =>
    answer(200, { items: (await apiKeys.listVersions(appId)).map(presentKeyVersion) }),
  )

  serveOperation(routes, operations.rotateKey, async ({ appId }) => {
    const rotated = await apiKeys.rotate(appId)
    if (rotated === 'rotation_pending') return conflict('ROTATION_PENDING')
    const { apiKey, version, signsFrom } = rotated
    return answer(201, { apiKey, version, signsFrom: signsFrom.toISOString() })
  })

  serveOperation(routes, operations.dryRunKeyRotation, async ({ appId, body: { endpointId } }) => {
    const dryRun = await deps.dryRunKeyRotation({ appId, endpointId })
    if (dryRun === 'endpoint_not_found') return { refusal: { code: 'NOT_FOUND' } }
    if (dryRun === 'no_rotation_pending') return conflict('NO_ROTATION_PENDING')
    if (dryRun === 'dry_run_running') return conflict('DRY_RUN_RUNNING')
    const { endpoint, ready } = dryRun
    const results = dryRun.results.map(({ result, explanation, ...one }) => ({
      ...one,
      httpStatus: result.status,
      cause: result.cause,
      explanation: { ...explanation },
    }))
    return answer(200, { endpointId, url: endpoint.url, ready, results })
  })

  serveOperation(routes, operations.activateKey, async ({ appId }) =>
    (await apiKeys.activate(appId)) ? answer(200, { activated: true } as const) : conflict('NO_ROTATION_PENDING'),
  )

  serveOperation(routes, operations.discardKey, async ({ appId }) =>
    (await apiKeys.discard(appId)) ? answer(204) : conflict('NO_ROTATION_PENDING'),
  )

  serveOperation(routes, operations.revokeKey, async ({ appId, params }) => {
    const revoked = await apiKeys.revoke({ appId, version: params.version, reason: null })
    return revoked ? answer(204) : { refusal: { code: 'NOT_FOUND' } }
  })

  serveOperation(routes, operations.getEndpoint, async ({ appId, params: { endpointId } }) => {
    const endpoint = await findPresented(appId, endpointId)
    return endpoint === undefined ? { refusal: { code: 'NOT_FOUND' } } : answer(200, endpoint)
  })

  serveOperation(routes, operations.pauseEndpoint, async ({ appId, params: { endpointId } }) => {
    await store.pauseEndpoint({ appId, endpointId, by: 'PARTNER' })
    const endpoint = await findPresented(appId, endpointId)
    return endpoint === undefined ? { refusal: { code: 'NOT_FOUND' } } : answer(200, endpoint)
  })

  serveOperation(routes, operations.resumeEndpoint, async ({ appId, params: { endpointId } }) => {
    const outcome = await store.resumeEndpoint({ appId, endpointId, by: 'PARTNER' })
    if (outcome === 'paused_by_operator') return { refusal: { code: 'PAUSED_BY_OPERATOR' } }
    deps.wake()
    const endpoint = await findPresented(appId, endpointId)
    return endpoint === undefined ? { refusal: { code: 'NOT_FOUND' } } : answer(200, endpoint)
  })

  serveOperation(routes, operations.removeEndpoint, async ({ appId, params: { endpointId } }) =>
    (await store.removeEndpoint({ appId, endpointId })) ? answer(204) : { refusal: { code: 'NOT_FOUND' } },
  )

  serveKnownTypes(
    routes,
    deps.catalogue.names,
    operations.sendTestEvent,
    async ({ appId, params: { endpointId }, body }) => {
      const test = await deps.testEvents.prepare({ appId, endpointId, eventType: body.eventType ?? null })
      if (test === null) return { refusal: { code: 'NOT_FOUND' } }
      if (body.dryRun === true) {
        const { headers, ...request } = await deps.testEvents.preview(test)
        return answer(200, { request: { ...request, headers: { ...headers } } })
      }
      const inserted = await deps.testEvents.send(test)
      return answer(202, { eventId: inserted.eventId, deliveries: [...inserted.deliveries] })
    },
  )

  serveRecoveries(routes, deps)

  return routes
}

/**
 * Finds the app of the API key and counts the request against its limit. Failed requests count against the limit of the
 * address. A retiring key allows only reading; changes and sending need the signing or the waiting key.
 */
function requireApiKey(deps: Pick<WebhookRoutesDeps, 'apiKeys' | 'limits' | 'failures'>): MiddlewareHandler<EdgeEnv> {
  const { apiKeys, limits } = deps
  return async (c, next) => {
    const authorization = c.req.header('authorization')
    const key = parseBearer(authorization)
    const app = key === null ? null : await apiKeys.findApp(key)
    if (app === null) {
      const reason = failureOf(authorization, 'API_KEY_MISSING', 'API_KEY_INVALID')
      deps.failures.note({ listener: 'api', reason, requestId: c.env.requestId })
      // Only failures count: a partner and an attacker can share an address.
      const { verdict, headers: limit } = limits.take('failed-authentication', remoteAddressOf(c))
      if (!verdict.allowed) return refuseProblem(c, { code: 'RATE_LIMITED' }, limit)
      const refusal = { code: 'UNAUTHENTICATED', detail: 'API_KEY_REQUIRED' } as const
      return refuseProblem(c, refusal, { 'www-authenticate': 'Bearer' })
    }
    const { verdict, headers: limit } = limits.take('app', app.appId)
    if (!verdict.allowed) return refuseProblem(c, { code: 'RATE_LIMITED' }, limit)
    const reads = c.req.method === 'GET' || c.req.method === 'HEAD'
    if (!reads && app.state === 'RETIRING')
      return refuseProblem(c, { code: 'FORBIDDEN', detail: 'API_KEY_RETIRING' }, limit)
    c.set('appId', app.appId)
    await next()
    for (const [name, value] of Object.entries(limit)) c.res.headers.set(name, value)
  }
}

/** Names of the static headers of the endpoint of a delivery; none after its removal. */
async function headerNamesOf(
  store: Pick<WebhookStore, 'listEndpoints'>,
  { appId, endpointId }: { readonly appId: string; readonly endpointId: string },
): Promise<readonly string[]> {
  const endpoint = (await store.listEndpoints(appId)).find((one) => one.endpointId === endpointId)
  return endpoint?.headers?.names ?? []
}

/** Reads one page; `cursor_invalid` for a cursor of another list. */
export async function listDeliveries(store: Pick<WebhookStore, 'listDeliveries'>, request: ListDeliveriesRequest) {
  try {
    return await store.listDeliveries(request)
  } catch (error) {
    if (errorCode(error) === 'CURSOR_INVALID') return 'cursor_invalid'
    throw error
  }
}

const headersRefused = (code: HeaderProblem) =>
  ({ refusal: { code: 'BAD_REQUEST', detail: code, fields: [violation('/headers', code)] } }) as const

const urlRefused = (code: EndpointUrlRefusal) =>
  ({ refusal: { code: 'BAD_REQUEST', detail: code, fields: [violation('/url', code)] } }) as const

const notOffered = (offered: readonly string[], body: Readonly<Record<string, unknown>>) =>
  ({
    refusal: { code: 'BAD_REQUEST', detail: 'EVENT_TYPE_NOT_OFFERED', fields: unknownTypes(offered, body) },
  }) as const

function conflict(detail: string) {
  return { refusal: { code: 'BAD_REQUEST', detail, status: 409 } } as const
}

/** Removes undefined members: the store distinguishes absent and undefined. */
function defined<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>
  }
}
