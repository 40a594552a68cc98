import { randomUUID } from 'node:crypto'
import { eventTypes, type EventType } from '@kyc-relay/webhooks'
import type { DeliveryState, Endpoint } from '@kyc-relay/webhooks/delivery'
import { Hono } from 'hono'
import { z } from 'zod'
import { registerEndpoint, replaceEndpoint } from '../webhooks-api/endpoint-changes.js'
import { listDeliveries, type WebhookRoutesDeps } from '../webhooks-api/webhook-routes.js'
import { registration } from '../webhooks-api/webhook-schemas.js'
import { violation } from '../http/violations.js'
import { countDeliveryDay } from './delivery-day.js'
import { DeliveriesPage } from './pages/deliveries-page.js'
import { DeliveryPage } from './pages/delivery-page.js'
import { EndpointFormPage, type EndpointForm } from './pages/endpoint-form-page.js'
import { EndpointsPage, RemoveEndpointPage, TestEventPage } from './pages/endpoint-pages.js'
import { seeOther, sendPage, sendProblem, type PortalContext, type PortalEnv } from './portal-context.js'

const uuid = '[0-9A-Fa-f-]{36}'
const pageSize = 25

/** Dependencies of the pages for developers: those of the REST API. */
export type DeveloperDeps = Pick<WebhookRoutesDeps, 'store' | 'checkUrl' | 'testEvents' | 'wake' | 'now'>

/** Creates the pages of webhooks and deliveries for a signed-in app. */
export function createDeveloperRoutes(deps: DeveloperDeps): Hono<PortalEnv> {
  const { store, testEvents } = deps
  const routes = new Hono<PortalEnv>()

  routes.get('/portal/webhooks', async (c) => {
    const appId = appIdOf(c)
    const [endpoints, day] = await Promise.all([store.listEndpoints(appId), countDeliveryDay(store, appId, deps.now())])
    return sendPage(c, <EndpointsPage session={c.get('session')} endpoints={endpoints} day={day} />)
  })

  const sendForm = (c: PortalContext, endpoint: Endpoint | null, form: EndpointForm, problem: string | null) =>
    sendPage(
      c,
      <EndpointFormPage session={c.get('session')} endpoint={endpoint} form={form} problem={problem} />,
      problem === null ? 200 : 400,
    )

  routes.get('/portal/webhooks/new', (c) =>
    sendForm(c, null, { url: '', description: '', eventTypes: [], standardWebhooks: false }, null),
  )
  routes.post('/portal/webhooks/new', async (c) => {
    const { form, settings, problem } = readEndpointForm(c.get('form'))
    if (problem !== null) return sendForm(c, null, form, problem)
    const registered = await registerEndpoint(deps, { appId: appIdOf(c), ...settings })
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
    const text =
      registered.kind === 'url_refused'
        ? violation('/url', registered.code).message
        : 'The application already has 50 URLs. Remove one first.'
    return sendForm(c, null, form, text)
  })

  routes.get(`/portal/webhooks/:endpointId{${uuid}}/change`, async (c) => {
    const endpoint = await findEndpoint(c)
    if (endpoint === null) return sendProblem(c, 404)
    const { url, description, eventTypes: types, standardWebhooks } = endpoint
    return sendForm(
      c,
      endpoint,
      { url, description: description ?? '', eventTypes: types ?? [], standardWebhooks },
      null,
    )
  })
  routes.post(`/portal/webhooks/:endpointId{${uuid}}/change`, async (c) => {
    const endpoint = await findEndpoint(c)
    if (endpoint === null) return sendProblem(c, 404)
    const { form, settings, problem } = readEndpointForm(c.get('form'))
    if (problem !== null) return sendForm(c, endpoint, form, problem)
    const { appId, endpointId } = endpoint
    const replaced = await replaceEndpoint(deps, { appId, endpointId, ...settings })
    if (replaced.kind === 'replaced') {
      deps.wake()
      await c.get('session').flash({ tone: 'good', text: 'The URL was changed.' })
      return seeOther(c, '/portal/webhooks')
    }
    if (replaced.kind === 'url_refused') return sendForm(c, endpoint, form, violation('/url', replaced.code).message)
    if (replaced.kind === 'not_found') return sendProblem(c, 404)
    return sendForm(c, endpoint, form, 'Another of your URLs is this one, or was. Add it as a new URL instead.')
  })

  routes.get(`/portal/webhooks/:endpointId{${uuid}}/remove`, async (c) => {
    const endpoint = await findEndpoint(c)
    if (endpoint === null) return sendProblem(c, 404)
    return sendPage(c, <RemoveEndpointPage session={c.get('session')} endpoint={endpoint} />)
  })
  routes.post(`/portal/webhooks/:endpointId{${uuid}}/remove`, async (c) => {
    const removed = await store.removeEndpoint({ appId: appIdOf(c), endpointId: c.req.param('endpointId') })
    if (!removed) return sendProblem(c, 404)
    await c.get('session').flash({ tone: 'good', text: 'The URL was removed.' })
    return seeOther(c, '/portal/webhooks')
  })

  routes.get(`/portal/webhooks/:endpointId{${uuid}}/test`, async (c) => {
    const asked = c.req.query('eventType')
    const test = await testEvents.prepare({
      appId: appIdOf(c),
      endpointId: c.req.param('endpointId'),
      eventType: asked !== undefined && isEventType(asked) ? asked : null,
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

  routes.get('/portal/deliveries', async (c) => {
    const appId = appIdOf(c)
    const { filters, cursor } = readFilters(c)
    const [endpoints, page] = await Promise.all([
      store.listEndpoints(appId),
      listDeliveries(store, {
        appId,
        limit: pageSize,
        ...(filters.status === undefined ? {} : { state: filters.status }),
        ...(filters.eventType === undefined ? {} : { eventType: filters.eventType }),
        ...(filters.endpointId === undefined ? {} : { endpointId: filters.endpointId }),
        ...(cursor === undefined ? {} : { cursor }),
      }),
    ])
    const broken = page === 'cursor_invalid'
    const address = (next: string | null) => {
      const query = new URLSearchParams(
        Object.entries({ ...filters, cursor: next ?? undefined }).filter(
          (one): one is [string, string] => one[1] !== undefined,
        ),
      )
      return query.size === 0 ? '/portal/deliveries' : `/portal/deliveries?${query}`
    }
    return sendPage(
      c,
      <DeliveriesPage
        session={c.get('session')}
        endpoints={endpoints}
        filters={filters}
        deliveries={broken ? [] : page.items}
        nextPage={broken || page.nextCursor === null ? null : address(page.nextCursor)}
        firstPage={cursor === undefined ? null : address(null)}
        problem={broken ? 'There is no such page of the log.' : null}
      />,
      broken ? 400 : 200,
    )
  })

  routes.get(`/portal/deliveries/:deliveryId{${uuid}}`, async (c) => {
    const delivery = await store.findDelivery({ appId: appIdOf(c), deliveryId: c.req.param('deliveryId') })
    if (delivery === null) return sendProblem(c, 404)
    return sendPage(c, <DeliveryPage session={c.get('session')} delivery={delivery} now={deps.now()} />)
  })
  routes.post(`/portal/deliveries/:deliveryId{${uuid}}/resend`, async (c) => {
    const deliveryId = c.req.param('deliveryId')
    const newDeliveryId = randomUUID()
    const outcome = await store.resendDelivery({ appId: appIdOf(c), deliveryId, newDeliveryId })
    if (outcome === 'not_found') return sendProblem(c, 404)
    const session = c.get('session')
    if (outcome === 'resent') {
      deps.wake()
      await session.flash({ tone: 'good', text: 'On its way again, with the same bytes and the same X-Event-ID.' })
      return seeOther(c, `/portal/deliveries/${newDeliveryId}`)
    }
    const text =
      outcome === 'not_finished'
        ? 'The event is still being delivered. Send it again after the delivery has ended.'
        : 'Its URL was removed, so the event cannot be sent again.'
    await session.flash({ tone: 'bad', text })
    return seeOther(c, `/portal/deliveries/${deliveryId}`)
  })

  async function findEndpoint(c: PortalContext): Promise<Endpoint | null> {
    const endpoints = await store.listEndpoints(appIdOf(c))
    return endpoints.find((endpoint) => endpoint.endpointId === c.req.param('endpointId')) ?? null
  }

  return routes
}

/** Returns the signed-in app. */
export function appIdOf(c: PortalContext): string {
  const { holder } = c.get('session')
  return holder.kind === 'app' ? holder.appId : ''
}

const deliveryStates: readonly DeliveryState[] = ['PENDING', 'DELIVERED', 'FAILED', 'CANCELLED']

/** Ignores invalid filters in an edited address. */
function readFilters(c: PortalContext) {
  const { status, eventType, endpointId, cursor } = c.req.query()
  return {
    filters: {
      status: deliveryStates.find((state) => state === status),
      eventType: eventTypes.find((type) => type === eventType),
      endpointId: z.uuid().safeParse(endpointId).data,
    },
    cursor: cursor === '' ? undefined : cursor,
  }
}

/** Reads the form of a URL. `problem` is null if it can be used. */
function readEndpointForm(fields: URLSearchParams) {
  const form = {
    url: (fields.get('url') ?? '').trim(),
    description: (fields.get('description') ?? '').trim(),
    eventTypes: fields.getAll('eventTypes').filter(isEventType),
    standardWebhooks: fields.get('standardWebhooks') !== null,
  }
  const isDescribed = registration.shape.description.safeParse(form.description).success
  const problem =
    form.eventTypes.length < fields.getAll('eventTypes').length
      ? 'This event type does not exist.'
      : isDescribed
        ? null
        : 'The description is longer than 200 characters, or has control characters.'
  return { form, settings: { ...form, description: form.description === '' ? null : form.description }, problem }
}

function isEventType(text: string): text is EventType {
  return (eventTypes as readonly string[]).includes(text)
}
