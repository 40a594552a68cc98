import type { Hono } from 'hono'
import type { EdgeEnv } from '../http/request-context.js'
import type { RequestLimits } from '../http/request-limits.js'
import { errorFields, type Log } from '../operations/log.js'
import type { UserRecords } from '@kyc-relay/storage-drizzle/sqlite'
import { limitEvidence } from '../operator-api/internal-caller.js'
import { peopleOperations } from '../operator-api/people-operations.js'
import { serveInternal } from '../operator-api/serve-internal.js'
import { exportUser, type ExportUserDeps } from './export-user.js'

/** Dependencies of the export route. */
export interface ExportRoutesDeps extends ExportUserDeps {
  readonly userRecords: UserRecords
  readonly newId: () => string
  readonly limits: RequestLimits
  readonly log: Log
}

/** Serves the export of everything that is held about a user. */
export function serveUserExport(routes: Hono<EdgeEnv>, deps: ExportRoutesDeps): void {
  const { userRecords, newId, limits, log } = deps
  const operation = { ...peopleOperations.exportUser, limit: limitEvidence(limits) }

  serveInternal(routes, operation, async ({ params: { userId }, body: { purpose }, actor }, c) => {
    const request = { userId, exportId: newId() }
    const { requestId } = c.env
    const record = (step: 'STARTED' | 'COMPLETED') =>
      userRecords.recordExport({ ...request, step, actor: { name: actor, reason: purpose } })

    async function* written() {
      const about = { requestId, ...request }
      let isCutOff = true
      try {
        const pieces = exportUser(request, { actor, purpose }, deps, (error) =>
          log.error('export failed', { ...about, ...errorFields(error) }),
        )
        const isComplete = yield* pieces
        isCutOff = false
        if (!isComplete) return
        try {
          await record('COMPLETED')
          log.info('user exported', about)
        } catch (error) {
          log.error('export failed', { ...about, ...errorFields(error) })
          // Cuts the connection. An error that is thrown here would be printed by the HTTP library.
          c.env.outgoing.destroy()
        }
      } finally {
        if (isCutOff) log.warn('export cut off: the connection was closed', about)
      }
    }

    await record('STARTED')
    return c.body(
      streamOf(written(), () => c.env.outgoing.destroy()),
      200,
      {
        'content-type': 'application/json',
        'content-disposition': `attachment; filename="${request.userId}.json"`,
      },
    )
  })
}

/** Longest time for a client to take a piece, in milliseconds; shorter than a stop of the server may take. */
const longestPauseMs = 30_000

/** Writes texts as the client reads them. Calls `onStalled` when it takes none for 30 s: it would hold up a stop. */
export function streamOf(texts: AsyncGenerator<string, void>, onStalled: () => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let stalled: NodeJS.Timeout | undefined
  return new ReadableStream({
    async pull(controller) {
      clearTimeout(stalled)
      const next = await texts.next()
      if (next.done === true) return controller.close()
      controller.enqueue(encoder.encode(next.value))
      stalled = setTimeout(onStalled, longestPauseMs).unref()
    },
    async cancel() {
      clearTimeout(stalled)
      await texts.return()
    },
  })
}
