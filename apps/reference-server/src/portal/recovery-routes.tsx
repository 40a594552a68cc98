import { randomUUID } from 'node:crypto'
import { Hono } from 'hono'
import type { RecoveryTotals } from '../events/recovery-counter.js'
import type { RecoveryRoutesDeps } from '../webhooks-api/recovery-routes.js'
import { findEndpointInPath } from './endpoint-in-path.js'
import { utcTime } from './log-filters.js'
import { RecoverFormPage, RecoveryPage, type RecoveryProblem } from './pages/recovery-pages.js'
import { appIdOf, idInPath, seeOther, sendPage, sendProblem, uuidPattern, type PortalEnv } from './portal-context.js'

const timeProblem = 'Give the time in UTC.'

/** Creates the pages that deliver what an endpoint missed: a form that counts first, and the progress. */
export function createRecoveryRoutes({ store, recoveries, countRecovery, now }: RecoveryRoutesDeps): Hono<PortalEnv> {
  const routes = new Hono<PortalEnv>()

  routes.get(`/portal/webhooks/:endpointId{${uuidPattern}}/recover`, async (c) => {
    const endpoint = await findEndpointInPath(c, store)
    if (endpoint === null) return sendProblem(c, 404)
    const form = { from: '', until: '' }
    const page = (
      <RecoverFormPage endpoint={endpoint} form={form} count={null} problem={null} session={c.get('session')} />
    )
    return sendPage(c, page)
  })

  routes.post(`/portal/webhooks/:endpointId{${uuidPattern}}/recover`, async (c) => {
    const endpoint = await findEndpointInPath(c, store)
    if (endpoint === null) return sendProblem(c, 404)
    const fields = c.get('form')
    const form = { from: fields.get('from') ?? '', until: fields.get('until') ?? '' }
    const [from, until] = [utcTime.safeParse(form.from), utcTime.safeParse(form.until)]
    const send = (count: RecoveryTotals | null, problem: RecoveryProblem | null) =>
      sendPage(
        c,
        <RecoverFormPage endpoint={endpoint} form={form} count={count} problem={problem} session={c.get('session')} />,
        problem === null ? 200 : 400,
      )
    const since = from.success ? new Date(`${from.data}Z`) : null
    const end = until.success ? new Date(`${until.data}Z`) : null
    if (since === null) return send(null, { field: 'from', text: timeProblem })
    if (form.until !== '' && end === null) return send(null, { field: 'until', text: timeProblem })
    if (end !== null && end <= since) return send(null, { field: 'until', text: 'The end must be after the begin.' })
    const { appId, endpointId } = endpoint
    const range = { appId, endpointId, since, eventTypes: null }
    if (fields.get('start') === null) {
      const count = await countRecovery({ ...range, until: end ?? now() })
      return count === 'running'
        ? send(null, { field: null, text: 'Another count is running. Wait for its end.' })
        : send(count, null)
    }
    const recoveryId = randomUUID()
    const outcome = await recoveries.startRecovery({ ...range, recoveryId, until: end })
    if (outcome === 'not_found') return sendProblem(c, 404)
    if (outcome === 'running')
      return send(null, { field: null, text: 'A recovery of this URL is running. Wait for its end.' })
    return seeOther(c, `/portal/webhooks/${endpointId}/recoveries/${recoveryId}`)
  })

  routes.get(`/portal/webhooks/:endpointId{${uuidPattern}}/recoveries/:recoveryId{${uuidPattern}}`, async (c) => {
    const recovery = await recoveries.findRecovery({ appId: appIdOf(c), recoveryId: idInPath(c, 'recoveryId') })
    const endpointId = idInPath(c, 'endpointId')
    if (recovery === null) return sendProblem(c, 404)
    return sendPage(c, <RecoveryPage session={c.get('session')} endpointId={endpointId} recovery={recovery} />)
  })
  routes.post(`/portal/webhooks/:endpointId{${uuidPattern}}/recoveries/:recoveryId{${uuidPattern}}/stop`, async (c) => {
    const [endpointId, recoveryId] = [idInPath(c, 'endpointId'), idInPath(c, 'recoveryId')]
    if (!(await recoveries.stopRecovery({ appId: appIdOf(c), recoveryId }))) return sendProblem(c, 404)
    return seeOther(c, `/portal/webhooks/${endpointId}/recoveries/${recoveryId}`)
  })
  return routes
}
