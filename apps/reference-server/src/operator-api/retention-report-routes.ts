import { Hono } from 'hono'
import { refuseProblem } from '../http/json-route.js'
import type { EdgeEnv } from '../http/request-context.js'
import type { Log } from '../operations/log.js'
import { readActing, requireRight } from './internal-caller.js'
import { peopleOperations } from './people-operations.js'
import { confirmRetentionReport, readRetentionReport, type RetentionReportDeps } from './retention-report.js'

const off = { code: 'BAD_REQUEST', detail: 'RETENTION_OFF', status: 409 } as const

/** Creates the routes for the users whose retention time is over: the report, and its confirmation. */
export function createRetentionReportRoutes({
  log,
  ...deps
}: RetentionReportDeps & { readonly log: Log }): Hono<EdgeEnv> {
  const routes = new Hono<EdgeEnv>()

  routes.get('/retention-report', requireRight('erase'), async (c) => {
    const report = await readRetentionReport(deps.now(), deps)
    return report === null ? refuseProblem(c, off) : c.json(report, 200, { 'cache-control': 'no-store' })
  })

  routes.post('/retention-report/:reportId/erase', requireRight('erase'), async (c) => {
    const body = await readActing(c, peopleOperations.confirmReport.body)
    if (!body.ok) return body.response
    const actor = { name: body.actor, reason: body.value.purpose }
    const confirmed = await confirmRetentionReport({ reportId: c.req.param('reportId'), actor }, deps)
    if (confirmed === 'off') return refuseProblem(c, off)
    if (confirmed === 'outdated')
      return refuseProblem(c, { code: 'BAD_REQUEST', detail: 'REPORT_OUTDATED', status: 409 })
    log.info('retention report confirmed', { requestId: c.env.requestId, count: confirmed.erased.length })
    return c.json(confirmed, 200, { 'cache-control': 'no-store' })
  })
  return routes
}
