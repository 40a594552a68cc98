import type { KycStatusCorrections } from '@kyc-relay/kyc-core/internal'
import type { Hono } from 'hono'
import type { EdgeEnv } from '../http/request-context.js'
import { violation } from '../http/violations.js'
import type { Log } from '../operations/log.js'
import { answer } from '../webhooks-api/operation.js'
import { kycStatus } from './field-schemas.js'
import { peopleOperations as operations } from './people-operations.js'
import { serveInternal } from './serve-internal.js'

/** Dependencies of the route that corrects a KYC status. */
export interface KycStatusRoutesDeps {
  readonly corrections: Pick<KycStatusCorrections, 'correctKycStatus'>
  /** Lists the apps with data of a user. */
  readonly listAppsOfUser: (userId: string) => Promise<readonly string[]>
  readonly newId: () => string
  readonly now: () => Date
  readonly log: Log
}

/** Serves the correction of the KYC status of a user. */
export function serveKycStatus(routes: Hono<EdgeEnv>, deps: KycStatusRoutesDeps): void {
  serveInternal(routes, operations.correctStatus, async ({ params: { userId }, body, actor }, c) => {
    const { expectedStatus: expected, status: next, reason } = body
    if (next === expected) {
      const others = kycStatus.options.filter((status) => status !== expected)
      const fields = [violation('/status', 'ENUM', others)]
      return { refusal: { code: 'BAD_REQUEST', detail: 'BODY_INVALID', fields } }
    }
    if ((await deps.listAppsOfUser(userId)).length === 0)
      return { refusal: { code: 'NOT_FOUND', detail: 'USER_UNKNOWN' } }
    const change = { correctionId: deps.newId(), userId, expected, next, at: deps.now(), actor, reason }
    const outcome = await deps.corrections.correctKycStatus(change)
    if (outcome.kind === 'changed') return { refusal: { code: 'STATUS_CHANGED' } }
    deps.log.info('status corrected', { requestId: c.env.requestId, userId, state: next })
    const { correctionId, previous, at } = outcome.correction
    return answer(200, { userId, correctionId, previous, status: next, source: 'OPERATOR', at })
  })
}
