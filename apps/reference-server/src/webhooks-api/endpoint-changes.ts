import { randomUUID } from 'node:crypto'
import { type Endpoint, type WebhookStore } from '@kyc-relay/webhooks/delivery'
import { checkEndpointHeaders, endpointsPerApp, type NewEndpoint } from '@kyc-relay/webhooks/internal'
import type { checkEndpointUrl } from '@kyc-relay/webhooks/https'
import type { EventCatalogue } from '../events/event-catalogue.js'
import type { EndpointHeaders } from '../events/endpoint-headers.js'

interface EndpointDeps {
  readonly store: WebhookStore
  readonly checkUrl: (url: string) => ReturnType<typeof checkEndpointUrl>
  readonly sealHeaders: EndpointHeaders['seal']
  readonly now: () => Date
  readonly catalogue: Pick<EventCatalogue, 'offered'>
}

/** What a partner sets of an endpoint. */
interface EndpointSettings {
  readonly eventTypes?: readonly NonNullable<Endpoint['eventTypes']>[number][] | null | undefined
  readonly description?: string | null | undefined
  readonly standardWebhooks?: boolean | null | undefined
  /** Static headers, unchecked. */
  readonly headers?: Readonly<Record<string, unknown>> | null | undefined
}

/** Registers an endpoint, for the REST API and the portal. */
export async function registerEndpoint(
  deps: EndpointDeps,
  request: EndpointSettings & {
    readonly appId: string
    readonly url: string
    /** A random id, unless the caller names one. The store takes no id twice. */
    readonly endpointId?: string
  },
) {
  if (isNotOffered(deps, request)) return { kind: 'type_not_offered' } as const
  const checked = deps.checkUrl(request.url)
  if (!checked.ok) return { kind: 'url_refused', code: checked.code } as const
  const headers = await sealed(deps, request)
  if (typeof headers === 'string') return { kind: 'headers_refused', code: headers } as const
  const endpoint = { ...newEndpoint(deps, { ...request, url: checked.url, headers }), ...idOf(request) }
  const warnings = await warningsOf(deps, endpoint, null)
  const outcome = await deps.store.registerEndpoint(endpoint, endpointsPerApp)
  if (outcome !== 'registered') return { kind: outcome } as const
  return { kind: outcome, endpoint: await stored(deps, endpoint), warnings } as const
}

/** Replaces an endpoint, for the REST API and the portal. What the request leaves out stays as it is. */
export async function replaceEndpoint(
  deps: EndpointDeps,
  request: EndpointSettings & {
    readonly appId: string
    readonly endpointId: string
    readonly url?: string | undefined
  },
) {
  const { appId, endpointId } = request
  if (isNotOffered(deps, request)) return { kind: 'type_not_offered' } as const
  const old = (await deps.store.listEndpoints(appId)).find((one) => one.endpointId === endpointId)
  if (old === undefined) return { kind: 'not_found' } as const
  const checked = request.url === undefined ? ({ ok: true, url: old.url } as const) : deps.checkUrl(request.url)
  if (!checked.ok) return { kind: 'url_refused', code: checked.code } as const
  const given =
    request.headers === undefined && isSameOrigin(old.url, checked.url) ? old.headers : await sealed(deps, request)
  if (typeof given === 'string') return { kind: 'headers_refused', code: given } as const
  const endpoint = newEndpoint(deps, {
    appId,
    headers: given,
    url: checked.url,
    eventTypes: request.eventTypes === undefined ? old.eventTypes : request.eventTypes,
    description: request.description === undefined ? old.description : request.description,
    standardWebhooks: request.standardWebhooks ?? old.standardWebhooks,
  })
  const warnings = await warningsOf(deps, endpoint, endpointId)
  const outcome = await deps.store.replaceEndpoint({ appId, endpointId, replacement: endpoint })
  if (outcome !== 'replaced') return { kind: outcome } as const
  return { kind: outcome, endpoint: await stored(deps, endpoint), warnings } as const
}

const idOf = ({ endpointId }: { readonly endpointId?: string }) => (endpointId === undefined ? {} : { endpointId })

const isNotOffered = ({ catalogue }: EndpointDeps, { eventTypes }: EndpointSettings): boolean =>
  eventTypes?.every((type) => catalogue.offered.some(({ name }) => name === type)) === false

const isSameOrigin = (one: string, other: string): boolean => new URL(one).origin === new URL(other).origin

/** Seals static headers; null without, and a code if they are refused. */
async function sealed(
  { sealHeaders }: EndpointDeps,
  { appId, headers }: EndpointSettings & { readonly appId: string },
) {
  if (headers == null || Object.keys(headers).length === 0) return null
  // The check leaves only texts.
  return checkEndpointHeaders(headers) ?? (await sealHeaders(appId, headers as Readonly<Record<string, string>>))
}

/** An endpoint as it was stored: a pause may have passed to it. */
async function stored({ store }: EndpointDeps, added: NewEndpoint & Pick<Endpoint, 'description' | 'headers'>) {
  const endpoints = await store.listEndpoints(added.appId)
  return endpoints.find(({ endpointId }) => endpointId === added.endpointId) ?? { ...added, pausedBy: null }
}

function newEndpoint(
  deps: EndpointDeps,
  {
    appId,
    url,
    eventTypes,
    description,
    standardWebhooks,
    headers,
  }: Omit<EndpointSettings, 'headers'> & Pick<Endpoint, 'appId' | 'url' | 'headers'>,
) {
  const types = [...new Set(eventTypes ?? [])]
  return {
    endpointId: randomUUID(),
    appId,
    url,
    eventTypes: types.length === 0 ? null : types,
    description: description ?? null,
    standardWebhooks: standardWebhooks ?? false,
    headers,
    createdAt: deps.now(),
  } satisfies NewEndpoint
}

/** Warns of a URL that another endpoint of the app has. */
async function warningsOf({ store }: EndpointDeps, endpoint: NewEndpoint, replaces: string | null) {
  const others = (await store.listEndpoints(endpoint.appId)).filter(({ endpointId }) => endpointId !== replaces)
  return others.some(({ url }) => url === endpoint.url) ? [{ code: 'URL_ALREADY_REGISTERED' } as const] : []
}
