import { randomUUID } from 'node:crypto'
import { openDelivery } from '@kyc-relay/webhooks/delivery'
import { Hono } from 'hono'
import { shownHeaders } from '../webhooks-api/shown-headers.js'
import { listDeliveries, type WebhookRoutesDeps } from '../webhooks-api/webhook-routes.js'
import { addressOfLog, hasUnreadFilters, readLogFilters, resolveFilters } from './log-filters.js'
import { DeliveriesPage } from './pages/deliveries-page.js'
import { DeliveryPage } from './pages/delivery-page.js'
import {
  appIdOf,
  idInPath,
  seeOtherWithNotice,
  sendPage,
  sendProblem,
  uuidPattern,
  type PortalEnv,
} from './portal-context.js'
import { returnPage } from './return-page.js'

const pageSize = 25
const pageProblem = 'There is no such page of the log.'
const unreadFilters = 'A filter could not be read, and was left out.'

/** Dependencies of the delivery log. */
export type DeliveryLogRoutesDeps = Pick<WebhookRoutesDeps, 'store' | 'bodySealer' | 'wake' | 'now' | 'catalogue'>

/** Creates the pages of the delivery log for a signed-in app. */
export function createDeliveryLogRoutes(deps: DeliveryLogRoutesDeps): Hono<PortalEnv> {
  const { store } = deps
  const routes = new Hono<PortalEnv>()

  routes.get('/portal/deliveries', async (c) => {
    const appId = appIdOf(c)
    const { cursor, ...query } = c.req.query()
    const filters = readLogFilters(query, deps.catalogue.names)
    const found = await resolveFilters(store, appId, filters)
    const [endpoints, page] = await Promise.all([
      store.listEndpoints(appId),
      found && listDeliveries(store, { appId, limit: pageSize, ...found, ...(cursor ? { cursor } : {}) }),
    ])
    const broken = page === null || page === 'cursor_invalid'
    const isUnread = !broken && hasUnreadFilters(query, filters)
    return sendPage(
      c,
      <DeliveriesPage
        session={c.get('session')}
        endpoints={endpoints}
        filters={filters}
        eventTypes={deps.catalogue.offered.map(({ name }) => name)}
        deliveries={broken ? [] : page.items}
        nextPage={broken || page.nextCursor === null ? null : addressOfLog(filters, page.nextCursor)}
        firstPage={cursor ? addressOfLog(filters, null) : null}
        thisPage={addressOfLog(filters, cursor ?? null)}
        now={deps.now()}
        problem={page === 'cursor_invalid' ? pageProblem : isUnread ? unreadFilters : null}
        findProblem={page === null ? 'This is no id. An id has 36 characters, as in the log.' : null}
      />,
      broken ? 400 : 200,
    )
  })

  routes.get(`/portal/deliveries/:deliveryId{${uuidPattern}}`, async (c) => {
    const delivery = await store.findDelivery({ appId: appIdOf(c), deliveryId: idInPath(c, 'deliveryId') })
    if (delivery === null) return sendProblem(c, 404)
    const opened = await openDelivery(delivery, deps.bodySealer)
    const endpoint = (await store.listEndpoints(delivery.appId)).find((one) => one.endpointId === delivery.endpointId)
    const headerNames = endpoint?.headers?.names ?? []
    const standardWebhooks = endpoint?.standardWebhooks ?? false
    const headers = await shownHeaders({ ...opened, standardWebhooks, headerNames }, null)
    return sendPage(
      c,
      <DeliveryPage
        session={c.get('session')}
        delivery={opened}
        headers={headers}
        headerNames={headerNames}
        isPaused={!delivery.test && (endpoint?.pausedBy ?? null) !== null}
        now={deps.now()}
      />,
    )
  })
  routes.post('/portal/deliveries/resend', async (c) => {
    const appId = appIdOf(c)
    const fields = c.get('form')
    // A page of the log has no more.
    const ids = [...new Set(fields.getAll('deliveryId'))].slice(0, pageSize)
    let resent = 0
    for (const deliveryId of ids) {
      const outcome = await store.resendDelivery({ appId, deliveryId, newDeliveryId: randomUUID() })
      if (outcome === 'resent') resent += 1
    }
    if (resent > 0) deps.wake()
    const back = returnPage(fields.get('back'))
    const page = back?.startsWith('/portal/deliveries?') === true ? back : '/portal/deliveries'
    return seeOtherWithNotice(c, page, resultOfResending(resent, ids.length))
  })

  routes.post(`/portal/deliveries/:deliveryId{${uuidPattern}}/resend`, async (c) => {
    const deliveryId = idInPath(c, 'deliveryId')
    const newDeliveryId = randomUUID()
    const outcome = await store.resendDelivery({ appId: appIdOf(c), deliveryId, newDeliveryId })
    if (outcome === 'not_found') return sendProblem(c, 404)
    if (outcome === 'resent') {
      deps.wake()
      const text = 'On its way again, with the same bytes and the same X-Event-ID.'
      return seeOtherWithNotice(c, `/portal/deliveries/${newDeliveryId}`, { tone: 'good', text })
    }
    const text =
      outcome === 'not_finished'
        ? 'The event is still being delivered. Send it again after the delivery has ended.'
        : 'Its URL was removed, so the event cannot be sent again.'
    return seeOtherWithNotice(c, `/portal/deliveries/${deliveryId}`, { tone: 'bad', text })
  })

  return routes
}

function resultOfResending(resent: number, selected: number) {
  if (selected === 0) return { tone: 'warn', text: 'Select the deliveries to send again.' } as const
  const sent = resent === 1 ? 'One delivery is on its way again.' : `${resent} deliveries are on their way again.`
  if (resent === selected) return { tone: 'good', text: sent } as const
  const left = `${selected - resent} of ${selected} cannot be sent: they are pending, erased, or their URL was removed.`
  return { tone: 'warn', text: resent === 0 ? left : `${sent} ${left}` } as const
}
