import { Hono } from 'hono'
import { refuseProblem } from '../http/json-route.js'
import type { EdgeEnv } from '../http/request-context.js'
import type { RequestLimits } from '../http/request-limits.js'
import { errorFields, type Log } from '../operations/log.js'
import type { UserRecords } from '@kyc-relay/storage-drizzle/sqlite'
import { id } from '../operator-api/field-schemas.js'
import { callerKey, readActing, requireRight } from '../operator-api/internal-caller.js'
import { peopleOperations } from '../operator-api/people-operations.js'
import { exportUser, type ExportUserDeps } from './export-user.js'

/** Dependencies of the export route. */
export interface ExportRoutesDeps extends ExportUserDeps {
  readonly userRecords: UserRecords
  readonly newId: () => string
  readonly limits: RequestLimits
  readonly log: Log
}

/** Creates the route that exports everything that is held about a user. */
export function createExportRoutes(deps: ExportRoutesDeps): Hono<EdgeEnv> {
  const { userRecords, newId, limits, log } = deps
  const routes = new Hono<EdgeEnv>()

  routes.post('/users/:userId/export', requireRight('evidence'), async (c) => {
    const userId = id.safeParse(c.req.param('userId'))
    if (!userId.success) return refuseProblem(c, { code: 'NOT_FOUND' })
    const { verdict, headers } = limits.take('evidence', callerKey(c.get('caller')))
    if (!verdict.allowed) return refuseProblem(c, { code: 'RATE_LIMITED' }, headers)
    const body = await readActing(c, peopleOperations.exportUser.body)
    if (!body.ok) return body.response
    const revealer = { actor: body.actor, purpose: body.value.purpose }
    const request = { userId: userId.data, exportId: newId() }
    const { requestId } = c.env
    const record = (step: 'STARTED' | 'COMPLETED') =>
      userRecords.recordExport({ ...request, step, actor: { name: revealer.actor, reason: revealer.purpose } })

    async function* written() {
      const about = { requestId, ...request }
      let isCutOff = true
      try {
        const pieces = exportUser(request, revealer, deps, (error) =>
          log.error('export failed', { ...about, ...errorFields(error) }),
        )
        const isComplete = yield* pieces
        isCutOff = false
        if (!isComplete) return
        await record('COMPLETED').catch((error: unknown) => {
          log.error('export failed', { ...about, ...errorFields(error) })
          throw error
        })
        log.info('user exported', about)
      } finally {
        if (isCutOff) log.warn('export cut off: the connection was closed', about)
      }
    }

    await record('STARTED')
    return c.body(streamOf(written()), 200, {
      'content-type': 'application/json',
      'content-disposition': `attachment; filename="${request.userId}.json"`,
      'cache-control': 'no-store',
    })
  })
  return routes
}

/** Writes texts as the client reads them. */
function streamOf(texts: AsyncGenerator<string, void>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const next = await texts.next()
      if (next.done === true) controller.close()
      else controller.enqueue(encoder.encode(next.value))
    },
    async cancel() {
      await texts.return()
    },
  })
}
