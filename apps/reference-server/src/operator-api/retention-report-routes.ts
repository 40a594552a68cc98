import type { Hono } from 'hono'
import type { EdgeEnv } from '../http/request-context.js'
import type { Log } from '../operations/log.js'
import { answer } from '../webhooks-api/operation.js'
import { peopleOperations as operations } from './people-operations.js'
import { confirmRetentionReport, readRetentionReport, type RetentionReportDeps } from './retention-report.js'
import { serveInternal } from './serve-internal.js'

const off = { refusal: { code: 'BAD_REQUEST', detail: 'RETENTION_OFF', status: 409 } } as const

/** Serves the report of users whose retention time is over, and its confirmation. */
export function serveRetentionReport(
  routes: Hono<EdgeEnv>,
  { log, ...deps }: RetentionReportDeps & { readonly log: Log },
): void {
  serveInternal(routes, operations.retentionReport, async () => {
    const report = await readRetentionReport(deps.now(), deps)
    return report === null ? off : answer(200, report)
  })

  serveInternal(routes, operations.confirmReport, async ({ params: { reportId }, body: { purpose }, actor }, c) => {
    const confirmed = await confirmRetentionReport({ reportId, actor: { name: actor, reason: purpose } }, deps)
    if (confirmed === 'off') return off
    if (confirmed === 'outdated') return { refusal: { code: 'BAD_REQUEST', detail: 'REPORT_OUTDATED', status: 409 } }
    log.info('retention report confirmed', { requestId: c.env.requestId, count: confirmed.erased.length })
    return answer(200, confirmed)
  })
}
