import type { UserRetention } from '@kyc-relay/storage-drizzle/sqlite'
import type { Hono } from 'hono'
import type { EdgeEnv } from '../http/request-context.js'
import { violation } from '../http/violations.js'
import type { Log } from '../operations/log.js'
import { answer } from '../webhooks-api/operation.js'
import type { ErasureRefusal, ErasureReport, ErasureRequest } from './erase-user.js'
import { peopleOperations as operations } from './people-operations.js'
import { serveInternal } from './serve-internal.js'

/** Earlier times are mistakes. */
const earliestClosure = new Date('1900-01-01')

const erasureBegun = { refusal: { code: 'ERASURE_IN_PROGRESS' } } as const

/** Dependencies of the routes for users' rights. */
export interface UserRightsRoutesDeps {
  readonly userRetention: Pick<UserRetention, 'hold' | 'release' | 'close'>
  readonly eraseUser: (request: ErasureRequest) => Promise<ErasureReport | ErasureRefusal>
  readonly now: () => Date
  readonly log: Log
}

/** Serves erasure, legal holds and the closure of a user's account. Only the internal listener has them. */
export function serveUserRights(
  routes: Hono<EdgeEnv>,
  { userRetention, eraseUser, now, log }: UserRightsRoutesDeps,
): void {
  serveInternal(routes, operations.eraseUser, async ({ params: { userId }, body, actor }, c) => {
    const report = await eraseUser({ userId, actor: { name: actor, reason: body.purpose ?? null } })
    // Only a hold refuses this request: it names no time of a closure.
    if (typeof report === 'string') return { refusal: { code: 'LEGAL_HOLD' } }
    log.info('user erased', { requestId: c.env.requestId, userId, count: report.apps.length })
    return answer(200, report)
  })

  serveInternal(routes, operations.holdUser, async ({ params: { userId }, body: { reason }, actor }) => {
    const outcome = await userRetention.hold({ userId, reason, actor: { name: actor, reason } })
    return outcome === 'held' ? answer(204) : erasureBegun
  })

  serveInternal(routes, operations.releaseUser, async ({ params: { userId }, body: { reason }, actor }) => {
    const wasHeld = await userRetention.release({ userId, actor: { name: actor, reason } })
    return wasHeld ? answer(204) : { refusal: { code: 'NOT_FOUND' } }
  })

  serveInternal(routes, operations.closeUser, async ({ params: { userId }, body: { closedAt }, actor }) => {
    if (closedAt !== null && (closedAt < earliestClosure || closedAt > now())) {
      const fields = [violation('/closedAt', 'RANGE')]
      return { refusal: { code: 'BAD_REQUEST', detail: 'BODY_INVALID', fields } }
    }
    const outcome = await userRetention.close({ userId, closedAt, actor: { name: actor, reason: null } })
    return outcome === 'recorded' ? answer(204) : erasureBegun
  })
}
