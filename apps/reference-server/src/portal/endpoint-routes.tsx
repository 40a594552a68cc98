import { randomUUID } from 'node:crypto'
import type { Endpoint } from '@kyc-relay/webhooks/delivery'
import { endpointsPerApp } from '@kyc-relay/webhooks/internal'
import { Hono } from 'hono'
import * as z from 'zod'
import { errorCode } from '../operations/log.js'
import { registerEndpoint, replaceEndpoint } from '../webhooks-api/endpoint-changes.js'
import type { WebhookRoutesDeps } from '../webhooks-api/webhook-routes.js'
import { countDay, dayStart, monthStart, totalsOf } from './attempt-counts.js'
import { noSuchType, notKept, readEndpointForm, refusedField } from './endpoint-form.js'
import { findEndpointInPath } from './endpoint-in-path.js'
import { takeForm } from './kept-form.js'
import { EndpointFormPage, type EndpointForm, type EndpointFormProblem } from './pages/endpoint-form-page.js'
import { RemoveEndpointPage } from './pages/endpoint-action-pages.js'
import { EndpointPage } from './pages/endpoint-page.js'
import { EndpointsPage } from './pages/endpoint-pages.js'
import {
  appIdOf,
  idInPath,
  seeOtherWithNotice,
  sendPage,
  sendProblem,
  uuidPattern,
  type PortalContext,
  type PortalEnv,
} from './portal-context.js'

/** Dependencies of the pages of endpoints. */
export type EndpointRoutesDeps = Pick<
  WebhookRoutesDeps,
  'store' | 'checkUrl' | 'sealHeaders' | 'wake' | 'now' | 'catalogue'
>

/** Creates the pages of the endpoints of a signed-in app: list, health, add, change, pause, resume, remove. */
export function createEndpointRoutes(deps: EndpointRoutesDeps): Hono<PortalEnv> {
  const { store } = deps
  const { names } = deps.catalogue
  const routes = new Hono<PortalEnv>()

  routes.get('/portal/webhooks', async (c) => {
    const appId = appIdOf(c)
    const now = deps.now()
    const [endpoints, health, counts] = await Promise.all([
      store.listEndpoints(appId),
      store.listEndpointHealth(appId),
      store.listEndpointHours({ appId, since: dayStart(now) }),
    ])
    const day = countDay(counts, now)
    return sendPage(c, <EndpointsPage session={c.get('session')} endpoints={endpoints} health={health} day={day} />)
  })

  routes.get(`/portal/webhooks/:endpointId{${uuidPattern}}`, async (c) => {
    const endpoint = await findEndpointInPath(c, store)
    if (endpoint === null) return sendProblem(c, 404)
    const { appId, endpointId } = endpoint
    const now = deps.now()
    const [health, counts] = await Promise.all([
      store.listEndpointHealth(appId),
      store.listEndpointHours({ appId, since: monthStart(now) }),
    ])
    const month = counts.filter((row) => row.endpointId === endpointId)
    const day = month.filter(({ hour }) => hour >= dayStart(now))
    const page = (
      <EndpointPage
        session={c.get('session')}
        endpoint={endpoint}
        health={health.find((one) => one.endpointId === endpointId)}
        hours={countDay(day, now)}
        day={totalsOf(day)}
        month={totalsOf(month)}
      />
    )
    return sendPage(c, page)
  })

  /** Types of an endpoint that its form has boxes for, in the order of the boxes. */
  const offeredTypesOf = ({ eventTypes }: Endpoint) =>
    deps.catalogue.offered.flatMap(({ name }) => (eventTypes?.includes(name) ? [name] : []))

  const sendForm = (
    c: PortalContext,
    endpoint: Endpoint | null,
    form: EndpointForm,
    problem: EndpointFormProblem | null,
  ) =>
    sendPage(
      c,
      <EndpointFormPage
        session={c.get('session')}
        endpoint={endpoint}
        form={form}
        problem={problem}
        offered={deps.catalogue.offered}
      />,
      problem === null || c.req.method === 'GET' ? 200 : 400,
    )

  routes.get('/portal/webhooks/new', (c) => {
    const kept = takeForm(c, appIdOf(c))
    const fields = kept instanceof URLSearchParams ? kept : new URLSearchParams()
    return sendForm(c, null, readEndpointForm(fields, names).form, kept === 'too_large' ? notKept : null)
  })
  routes.post('/portal/webhooks/new', async (c) => {
    const { form, settings, problem } = readEndpointForm(c.get('form'), names)
    if (problem !== null) return sendForm(c, null, form, problem)
    const appId = appIdOf(c)
    const endpointId = z
      .uuid()
      .catch(() => randomUUID())
      .parse(c.get('form').get('endpointId'))
      .toLowerCase()
    const registered = await registerEndpoint(deps, { appId, endpointId, ...settings }).catch((error: unknown) => {
      if (errorCode(error) === 'CONSTRAINT') return { kind: 'sent_already' } as const
      throw error
    })
    if (registered.kind === 'sent_already') {
      const text = 'The form was sent already, and is not sent twice. The URLs of your application are here.'
      return seeOtherWithNotice(c, '/portal/webhooks', { tone: 'warn', text })
    }
    if (registered.kind === 'registered') {
      return seeOtherWithNotice(
        c,
        '/portal/webhooks',
        registered.warnings.length === 0
          ? { tone: 'good', text: 'The URL was added. Send a test event to check it.' }
          : { tone: 'warn', text: 'The URL was added. Another of your URLs is the same; each event is sent once.' },
      )
    }
    const refused: EndpointFormProblem =
      registered.kind === 'url_refused' || registered.kind === 'headers_refused'
        ? refusedField(registered)
        : registered.kind === 'limit_reached'
          ? { field: null, text: `The application already has ${endpointsPerApp} URLs. Remove one first.` }
          : noSuchType
    return sendForm(c, null, form, refused)
  })

  routes.get(`/portal/webhooks/:endpointId{${uuidPattern}}/change`, async (c) => {
    const endpoint = await findEndpointInPath(c, store)
    if (endpoint === null) return sendProblem(c, 404)
    const kept = takeForm(c, endpoint.appId)
    if (kept instanceof URLSearchParams) return sendForm(c, endpoint, readEndpointForm(kept, names).form, null)
    const { url, description, eventTypes: types, standardWebhooks } = endpoint
    return sendForm(
      c,
      endpoint,
      {
        url,
        description: description ?? '',
        eventTypes: types ?? [],
        standardWebhooks,
        headers: '',
        removeHeaders: false,
      },
      kept === 'too_large' ? notKept : null,
    )
  })
  routes.post(`/portal/webhooks/:endpointId{${uuidPattern}}/change`, async (c) => {
    const endpoint = await findEndpointInPath(c, store)
    if (endpoint === null) return sendProblem(c, 404)
    const { form, settings, problem } = readEndpointForm(c.get('form'), names)
    if (problem !== null) return sendForm(c, endpoint, form, problem)
    const { appId, endpointId } = endpoint
    // A type that is no longer offered has no box. A form with the same boxes ticked must not drop it, or mean all types.
    const isOtherSelection = String(form.eventTypes) !== String(offeredTypesOf(endpoint))
    const eventTypes = isOtherSelection ? form.eventTypes : undefined
    const replaced = await replaceEndpoint(deps, { appId, endpointId, ...settings, eventTypes })
    if (replaced.kind === 'replaced') {
      deps.wake()
      return seeOtherWithNotice(c, '/portal/webhooks', { tone: 'good', text: 'The URL was changed.' })
    }
    if (replaced.kind === 'not_found') return sendProblem(c, 404)
    if (replaced.kind === 'url_refused' || replaced.kind === 'headers_refused')
      return sendForm(c, endpoint, form, refusedField(replaced))
    if (replaced.kind === 'type_not_offered') return sendForm(c, endpoint, form, noSuchType)
    const text = 'Another of your URLs is this one, or was. Add it as a new URL instead.'
    return sendForm(c, endpoint, form, { field: 'url', text })
  })

  routes.post(`/portal/webhooks/:endpointId{${uuidPattern}}/pause`, async (c) => {
    const [appId, endpointId] = [appIdOf(c), idInPath(c, 'endpointId')]
    if ((await store.pauseEndpoint({ appId, endpointId, by: 'PARTNER' })) === 'not_found') return sendProblem(c, 404)
    return seeOtherWithNotice(c, '/portal/webhooks', {
      tone: 'good',
      text: 'The URL is paused. Events for it wait until you resume it.',
    })
  })
  routes.post(`/portal/webhooks/:endpointId{${uuidPattern}}/resume`, async (c) => {
    const [appId, endpointId] = [appIdOf(c), idInPath(c, 'endpointId')]
    const outcome = await store.resumeEndpoint({ appId, endpointId, by: 'PARTNER' })
    if (outcome === 'not_found') return sendProblem(c, 404)
    if (outcome === 'resumed') deps.wake()
    return seeOtherWithNotice(
      c,
      '/portal/webhooks',
      outcome === 'resumed'
        ? { tone: 'good', text: 'The URL is resumed. What waited is on its way.' }
        : { tone: 'bad', text: 'The operator paused this URL. Ask the operator to resume it.' },
    )
  })

  routes.get(`/portal/webhooks/:endpointId{${uuidPattern}}/remove`, async (c) => {
    const endpoint = await findEndpointInPath(c, store)
    if (endpoint === null) return sendProblem(c, 404)
    return sendPage(c, <RemoveEndpointPage session={c.get('session')} endpoint={endpoint} />)
  })
  routes.post(`/portal/webhooks/:endpointId{${uuidPattern}}/remove`, async (c) => {
    const removed = await store.removeEndpoint({ appId: appIdOf(c), endpointId: idInPath(c, 'endpointId') })
    if (!removed) return sendProblem(c, 404)
    return seeOtherWithNotice(c, '/portal/webhooks', { tone: 'good', text: 'The URL was removed.' })
  })

  return routes
}
