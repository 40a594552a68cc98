import { randomUUID } from 'node:crypto'
import type { Endpoint } from '@kyc-relay/webhooks/delivery'
import { endpointsPerApp } from '@kyc-relay/webhooks/internal'
import { Hono } from 'hono'
import * as z from 'zod'
import { errorCode } from '../operations/log.js'
import { registerEndpoint, replaceEndpoint } from '../webhooks-api/endpoint-changes.js'
import type { WebhookRoutesDeps } from '../webhooks-api/webhook-routes.js'
import { registration } from '../webhooks-api/webhook-schemas.js'
import { violation, type ViolationCode } from '../http/violations.js'
import { countDay, dayStart, monthStart, totalsOf } from './attempt-counts.js'
import { readHeaders } from './header-lines.js'
import { takeForm } from './kept-form.js'
import { EndpointFormPage, type EndpointForm, type EndpointFormProblem } from './pages/endpoint-form-page.js'
import { RemoveEndpointPage, TestEventPage } from './pages/endpoint-action-pages.js'
import { EndpointPage } from './pages/endpoint-page.js'
import { EndpointsPage } from './pages/endpoint-pages.js'
import { idInPath, seeOther, sendPage, sendProblem, type PortalContext, type PortalEnv } from './portal-context.js'

const uuid = '[0-9A-Fa-f-]{36}'

/** Dependencies of the pages for developers: those of the REST API. */
export type DeveloperDeps = Pick<
  WebhookRoutesDeps,
  'store' | 'bodySealer' | 'checkUrl' | 'sealHeaders' | 'testEvents' | 'wake' | 'now' | 'catalogue'
>

/** Creates the pages of webhooks and deliveries for a signed-in app. */
export function createDeveloperRoutes(deps: DeveloperDeps): Hono<PortalEnv> {
  const { store, testEvents } = deps
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

  routes.get(`/portal/webhooks/:endpointId{${uuid}}`, async (c) => {
    const endpoint = await findEndpoint(c)
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
      await c.get('session').flash({ tone: 'warn', text })
      return seeOther(c, '/portal/webhooks')
    }
    if (registered.kind === 'registered') {
      await c
        .get('session')
        .flash(
          registered.warnings.length === 0
            ? { tone: 'good', text: 'The URL was added. Send a test event to check it.' }
            : { tone: 'warn', text: 'The URL was added. Another of your URLs is the same; each event is sent once.' },
        )
      return seeOther(c, '/portal/webhooks')
    }
    const refused: EndpointFormProblem =
      registered.kind === 'url_refused' || registered.kind === 'headers_refused'
        ? refusedField(registered)
        : registered.kind === 'limit_reached'
          ? { field: null, text: `The application already has ${endpointsPerApp} URLs. Remove one first.` }
          : noSuchType
    return sendForm(c, null, form, refused)
  })

  routes.get(`/portal/webhooks/:endpointId{${uuid}}/change`, async (c) => {
    const endpoint = await findEndpoint(c)
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
  routes.post(`/portal/webhooks/:endpointId{${uuid}}/change`, async (c) => {
    const endpoint = await findEndpoint(c)
    if (endpoint === null) return sendProblem(c, 404)
    const { form, settings, problem } = readEndpointForm(c.get('form'), names)
    if (problem !== null) return sendForm(c, endpoint, form, problem)
    const { appId, endpointId } = endpoint
    const replaced = await replaceEndpoint(deps, { appId, endpointId, ...settings })
    if (replaced.kind === 'replaced') {
      deps.wake()
      await c.get('session').flash({ tone: 'good', text: 'The URL was changed.' })
      return seeOther(c, '/portal/webhooks')
    }
    if (replaced.kind === 'not_found') return sendProblem(c, 404)
    if (replaced.kind === 'url_refused' || replaced.kind === 'headers_refused')
      return sendForm(c, endpoint, form, refusedField(replaced))
    if (replaced.kind === 'type_not_offered') return sendForm(c, endpoint, form, noSuchType)
    const text = 'Another of your URLs is this one, or was. Add it as a new URL instead.'
    return sendForm(c, endpoint, form, { field: 'url', text })
  })

  routes.post(`/portal/webhooks/:endpointId{${uuid}}/pause`, async (c) => {
    const [appId, endpointId] = [appIdOf(c), idInPath(c, 'endpointId')]
    if ((await store.pauseEndpoint({ appId, endpointId, by: 'PARTNER' })) === 'not_found') return sendProblem(c, 404)
    await c.get('session').flash({ tone: 'good', text: 'The URL is paused. Events for it wait until you resume it.' })
    return seeOther(c, '/portal/webhooks')
  })
  routes.post(`/portal/webhooks/:endpointId{${uuid}}/resume`, async (c) => {
    const [appId, endpointId] = [appIdOf(c), idInPath(c, 'endpointId')]
    const outcome = await store.resumeEndpoint({ appId, endpointId, by: 'PARTNER' })
    if (outcome === 'not_found') return sendProblem(c, 404)
    if (outcome === 'resumed') deps.wake()
    await c
      .get('session')
      .flash(
        outcome === 'resumed'
          ? { tone: 'good', text: 'The URL is resumed. What waited is on its way.' }
          : { tone: 'bad', text: 'The operator paused this URL. Ask the operator to resume it.' },
      )
    return seeOther(c, '/portal/webhooks')
  })

  routes.get(`/portal/webhooks/:endpointId{${uuid}}/remove`, async (c) => {
    const endpoint = await findEndpoint(c)
    if (endpoint === null) return sendProblem(c, 404)
    return sendPage(c, <RemoveEndpointPage session={c.get('session')} endpoint={endpoint} />)
  })
  routes.post(`/portal/webhooks/:endpointId{${uuid}}/remove`, async (c) => {
    const removed = await store.removeEndpoint({ appId: appIdOf(c), endpointId: idInPath(c, 'endpointId') })
    if (!removed) return sendProblem(c, 404)
    await c.get('session').flash({ tone: 'good', text: 'The URL was removed.' })
    return seeOther(c, '/portal/webhooks')
  })

  routes.get(`/portal/webhooks/:endpointId{${uuid}}/test`, async (c) => {
    const asked = c.req.query('eventType')
    const test = await testEvents.prepare({
      appId: appIdOf(c),
      endpointId: idInPath(c, 'endpointId'),
      eventType: asked !== undefined && names.includes(asked) ? asked : null,
    })
    if (test === null) return sendProblem(c, 404)
    const session = c.get('session')
    const previewId = randomUUID()
    await session.keepPreview(previewId, test)
    const page = (
      <TestEventPage
        session={session}
        endpoint={test.endpoint}
        eventType={test.event.type}
        names={deps.catalogue.offered.map(({ name }) => name)}
        request={await testEvents.preview(test)}
        previewId={previewId}
      />
    )
    return sendPage(c, page)
  })
  routes.post(`/portal/webhooks/:endpointId{${uuid}}/test`, async (c) => {
    const session = c.get('session')
    const previewId = c.get('form').get('preview') ?? ''
    const endpoint = await findEndpoint(c)
    if (endpoint === null) return sendProblem(c, 404)
    const test = await session.takePreview(previewId)
    if (test !== null && test.endpoint.endpointId !== endpoint.endpointId) return sendProblem(c, 404)
    if (test === null) {
      await session.flash({
        tone: 'warn',
        text: 'That request was sent already, or shown too long ago. Here is a new one.',
      })
      return seeOther(c, `/portal/webhooks/${endpoint.endpointId}/test`)
    }
    const [delivery] = (await testEvents.send(test)).deliveries
    return seeOther(c, delivery === undefined ? '/portal/deliveries' : `/portal/deliveries/${delivery.deliveryId}`)
  })

  async function findEndpoint(c: PortalContext): Promise<Endpoint | null> {
    const endpoints = await store.listEndpoints(appIdOf(c))
    return endpoints.find((endpoint) => endpoint.endpointId === idInPath(c, 'endpointId')) ?? null
  }

  return routes
}

interface Refusal {
  readonly kind: 'url_refused' | 'headers_refused'
  readonly code: ViolationCode
}

function refusedField({ kind, code }: Refusal): EndpointFormProblem {
  const field = kind === 'url_refused' ? 'url' : 'headers'
  return { field, text: violation(`/${field}`, code).message }
}

const descriptionProblem = 'The description is longer than 200 characters, or has control characters.'
const notKept: EndpointFormProblem = {
  field: null,
  text: 'Your session had ended, and the form was too large to keep. Fill it in again.',
}
const noSuchType: EndpointFormProblem = { field: 'eventTypes', text: 'This event type does not exist.' }

/** Returns the signed-in app. */
export function appIdOf(c: PortalContext): string {
  const { holder } = c.get('session')
  return holder.kind === 'app' ? holder.appId : ''
}

/** Reads the form of a URL. `problem` is null if it can be used. */
function readEndpointForm(fields: URLSearchParams, names: readonly string[]) {
  const form = {
    url: (fields.get('url') ?? '').trim(),
    description: (fields.get('description') ?? '').trim(),
    eventTypes: fields.getAll('eventTypes').filter((name) => names.includes(name)),
    standardWebhooks: fields.get('standardWebhooks') !== null,
    headers: (fields.get('headers') ?? '').replaceAll('\r', ''),
    removeHeaders: fields.get('removeHeaders') !== null,
  }
  const { removeHeaders, ...settings } = form
  const lines = readHeaders(form.headers)
  const isDescribed = registration.shape.description.safeParse(form.description).success
  const problem: EndpointFormProblem | null =
    form.eventTypes.length < fields.getAll('eventTypes').length
      ? noSuchType
      : new Set(lines.map(([name]) => name)).size < lines.length
        ? { field: 'headers', text: violation('/headers', 'HEADER_NAME_REPEATED').message }
        : isDescribed
          ? null
          : { field: 'description', text: descriptionProblem }
  const headers = lines.length > 0 ? Object.fromEntries(lines) : removeHeaders ? {} : undefined
  const description = form.description === '' ? null : form.description
  return { form, settings: { ...settings, description, headers }, problem }
}
