import type { AuditActor } from '@kyc-relay/kyc-core/audit'
import { isToken, KycError, type PiiRevealer } from '@kyc-relay/kyc-core'
import { Hono, type Context } from 'hono'
import { z } from 'zod'
import { refuseProblem } from '../http/json-route.js'
import type { EdgeEnv } from '../http/request-context.js'
import { actorOf, readActing, requireRight } from './internal-caller.js'
import type { Log } from '../operations/log.js'
import type { ErasureReport } from './erase-user.js'
import { auditText, id } from './field-schemas.js'

const revealRequest = z.strictObject({
  appId: id,
  userId: id,
  token: z.string().refine(isToken),
  purpose: auditText,
})

/** Dependencies of the vault routes. */
export interface VaultRoutesDeps {
  readonly vault: Pick<PiiRevealer, 'reveal'>
  readonly eraseUser: (userId: string, actor: AuditActor) => Promise<ErasureReport>
  readonly log: Log
}

/** Creates the two routes for clear personal data. Only the internal listener has them. */
export function createVaultRoutes({ vault, eraseUser, log }: VaultRoutesDeps): Hono<EdgeEnv> {
  const routes = new Hono<EdgeEnv>()

  routes.post('/vault/reveal', requireRight('reveal'), async (c) => {
    const body = await readActing(c, revealRequest, { actor: 'required' })
    if (!body.ok) return body.response
    const { appId, userId, token, purpose } = body.value
    try {
      // The vault records actor and reason before it opens a value. If that fails, it opens nothing.
      const value = await vault.reveal({ owner: { appId, userId }, token, actor: body.actor, purpose })
      log.info('value revealed', { requestId: c.env.requestId, appId, userId })
      return c.json({ token, value }, 200, { 'cache-control': 'no-store' })
    } catch (error) {
      if (!(error instanceof KycError) || error.retryable) throw error
      if (error.code === 'TOKEN_UNKNOWN') return refuseProblem(c, { code: 'NOT_FOUND', detail: 'TOKEN_UNKNOWN' })
      if (error.code === 'NOT_REVEALABLE')
        return refuseProblem(c, { code: 'BAD_REQUEST', detail: 'NOT_REVEALABLE', status: 409 })
      throw error
    }
  })

  routes.delete('/users/:userId/pii', requireRight('erase'), async (c) => {
    const userId = id.safeParse(c.req.param('userId'))
    if (!userId.success) return refuseProblem(c, { code: 'NOT_FOUND' })
    const actor = await readErasure(c)
    if (actor instanceof Response) return actor
    const report = await eraseUser(userId.data, actor)
    log.info('user erased', { requestId: c.env.requestId, userId: userId.data, count: report.apps.length })
    return c.json(report, 200, { 'cache-control': 'no-store' })
  })
  return routes
}

const erasure = z.strictObject({ purpose: auditText })

/** Reads who erases, and why. A service may send no body: its own records say why. */
async function readErasure(c: Context<EdgeEnv>): Promise<AuditActor | Response> {
  const caller = c.get('caller')
  if (caller.kind === 'service' && c.req.header('content-type') === undefined) return actorOf(caller)
  const body = await readActing(c, erasure)
  return body.ok ? { name: body.actor, reason: body.value.purpose } : body.response
}
