import type { AuditActor } from '@kyc-relay/kyc-core/audit'
import type { UserRetention } from '@kyc-relay/storage-drizzle/sqlite'
import { Hono, type Context } from 'hono'
import { refuseProblem } from '../http/json-route.js'
import type { EdgeEnv } from '../http/request-context.js'
import { violation } from '../http/violations.js'
import type { Log } from '../operations/log.js'
import type { ErasureRefusal, ErasureReport, ErasureRequest } from './erase-user.js'
import { id } from './field-schemas.js'
import { actorOf, readActing, requireRight } from './internal-caller.js'
import { peopleOperations } from './people-operations.js'

/** Earlier times are mistakes. */
const earliestClosure = new Date('1900-01-01')

/** Dependencies of the routes for users' rights. */
export interface UserRightsRoutesDeps {
  readonly userRetention: Pick<UserRetention, 'hold' | 'release' | 'close'>
  readonly eraseUser: (request: ErasureRequest) => Promise<ErasureReport | ErasureRefusal>
  readonly now: () => Date
  readonly log: Log
}

/** Creates the routes for erasure, legal holds and the closure of a user's account. Only the internal listener has them. */
export function createUserRightsRoutes(deps: UserRightsRoutesDeps): Hono<EdgeEnv> {
  const { userRetention, eraseUser, log } = deps
  const routes = new Hono<EdgeEnv>()

  routes.delete('/users/:userId/pii', requireRight('erase'), async (c) => {
    const userId = id.safeParse(c.req.param('userId'))
    if (!userId.success) return refuseProblem(c, { code: 'NOT_FOUND' })
    const actor = await readErasure(c)
    if (actor instanceof Response) return actor
    const report = await eraseUser({ userId: userId.data, actor })
    // Only a hold refuses this request: it names no time of a closure.
    if (typeof report === 'string') return refuseProblem(c, { code: 'LEGAL_HOLD' })
    log.info('user erased', { requestId: c.env.requestId, userId: userId.data, count: report.apps.length })
    return c.json(report, 200, { 'cache-control': 'no-store' })
  })

  routes.put('/users/:userId/hold', requireRight('erase'), async (c) => {
    const userId = id.safeParse(c.req.param('userId'))
    if (!userId.success) return refuseProblem(c, { code: 'NOT_FOUND' })
    const body = await readActing(c, peopleOperations.holdUser.body)
    if (!body.ok) return body.response
    const { reason } = body.value
    const outcome = await userRetention.hold({ userId: userId.data, reason, actor: { name: body.actor, reason } })
    return outcome === 'held' ? c.body(null, 204) : refuseProblem(c, { code: 'ERASURE_IN_PROGRESS' })
  })

  routes.delete('/users/:userId/hold', requireRight('erase'), async (c) => {
    const userId = id.safeParse(c.req.param('userId'))
    if (!userId.success) return refuseProblem(c, { code: 'NOT_FOUND' })
    const body = await readActing(c, peopleOperations.releaseUser.body)
    if (!body.ok) return body.response
    const actor = { name: body.actor, reason: body.value.reason }
    const wasHeld = await userRetention.release({ userId: userId.data, actor })
    return wasHeld ? c.body(null, 204) : refuseProblem(c, { code: 'NOT_FOUND' })
  })

  routes.post('/users/:userId/closed', requireRight('erase'), async (c) => {
    const userId = id.safeParse(c.req.param('userId'))
    if (!userId.success) return refuseProblem(c, { code: 'NOT_FOUND' })
    const body = await readActing(c, peopleOperations.closeUser.body)
    if (!body.ok) return body.response
    const { closedAt } = body.value
    if (closedAt !== null && (closedAt < earliestClosure || closedAt > deps.now()))
      return refuseProblem(c, {
        code: 'BAD_REQUEST',
        detail: 'BODY_INVALID',
        fields: [violation('/closedAt', 'RANGE')],
      })
    const actor = { name: body.actor, reason: null }
    const outcome = await userRetention.close({ userId: userId.data, closedAt, actor })
    return outcome === 'recorded' ? c.body(null, 204) : refuseProblem(c, { code: 'ERASURE_IN_PROGRESS' })
  })
  return routes
}

/** Reads who erases, and why. A service may send no body: its own records say why. */
async function readErasure(c: Context<EdgeEnv>): Promise<AuditActor | Response> {
  const caller = c.get('caller')
  if (caller.kind === 'service' && c.req.header('content-type') === undefined) return actorOf(caller)
  const body = await readActing(c, peopleOperations.eraseUser.body)
  return body.ok ? { name: body.actor, reason: body.value.purpose } : body.response
}
