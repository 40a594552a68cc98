import { KycError, type PiiRevealer } from '@kyc-relay/kyc-core'
import { Hono } from 'hono'
import { refuseProblem } from '../http/json-route.js'
import type { EdgeEnv } from '../http/request-context.js'
import { readActing, requireRight } from './internal-caller.js'
import type { Log } from '../operations/log.js'
import { peopleOperations } from './people-operations.js'

/** Dependencies of the route of the vault. */
export interface VaultRoutesDeps {
  readonly vault: Pick<PiiRevealer, 'reveal'>
  readonly log: Log
}

/** Creates the route for clear personal data. Only the internal listener has it. */
export function createVaultRoutes({ vault, log }: VaultRoutesDeps): Hono<EdgeEnv> {
  const routes = new Hono<EdgeEnv>()

  routes.post('/vault/reveal', requireRight('reveal'), async (c) => {
    const body = await readActing(c, peopleOperations.reveal.body, { actor: 'required' })
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
  return routes
}
