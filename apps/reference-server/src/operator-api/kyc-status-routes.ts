import type { KycStatusCorrections } from '@kyc-relay/kyc-core/internal'
import { Hono } from 'hono'
import { refuseProblem } from '../http/json-route.js'
import type { EdgeEnv } from '../http/request-context.js'
import { violation } from '../http/violations.js'
import type { Log } from '../operations/log.js'
import { id, kycStatus } from './field-schemas.js'
import { readActing, requireRight } from './internal-caller.js'
import { peopleOperations } from './people-operations.js'

/** Dependencies of the route that corrects a KYC status. */
export interface KycStatusRoutesDeps {
  readonly corrections: Pick<KycStatusCorrections, 'correctKycStatus'>
  /** Lists the apps with data of a user. */
  readonly listAppsOfUser: (userId: string) => Promise<readonly string[]>
  readonly newId: () => string
  readonly now: () => Date
  readonly log: Log
}

/** Creates the route that corrects the KYC status of a user, for operators with the right. */
export function createKycStatusRoutes(deps: KycStatusRoutesDeps): Hono<EdgeEnv> {
  const routes = new Hono<EdgeEnv>()

  routes.post('/users/:userId/kyc-status', requireRight('correct'), async (c) => {
    const userId = id.safeParse(c.req.param('userId'))
    if (!userId.success) return refuseProblem(c, { code: 'NOT_FOUND' })
    const body = await readActing(c, peopleOperations.correctStatus.body)
    if (!body.ok) return body.response
    const { expectedStatus: expected, status: next, reason } = body.value
    if (next === expected) {
      const others = kycStatus.options.filter((status) => status !== expected)
      const fields = [violation('/status', 'ENUM', others)]
      return refuseProblem(c, { code: 'BAD_REQUEST', detail: 'BODY_INVALID', fields })
    }
    if ((await deps.listAppsOfUser(userId.data)).length === 0)
      return refuseProblem(c, { code: 'NOT_FOUND', detail: 'USER_UNKNOWN' })
    const answer = await deps.corrections.correctKycStatus({
      correctionId: deps.newId(),
      userId: userId.data,
      expected,
      next,
      at: deps.now(),
      actor: body.actor,
      reason,
    })
    if (answer.kind === 'changed') return refuseProblem(c, { code: 'STATUS_CHANGED' })
    deps.log.info('status corrected', { requestId: c.env.requestId, userId: userId.data, state: next })
    const { correctionId, previous, at } = answer.correction
    const changed = { correctionId, previous, status: next, source: 'OPERATOR', at }
    return c.json({ userId: userId.data, ...changed }, 200, { 'cache-control': 'no-store' })
  })
  return routes
}
