import { KycError, type PiiRevealer } from '@kyc-relay/kyc-core'
import type { Hono } from 'hono'
import type { EdgeEnv } from '../http/request-context.js'
import type { Log } from '../operations/log.js'
import { answer } from '../webhooks-api/operation.js'
import { peopleOperations as operations } from './people-operations.js'
import { serveInternal } from './serve-internal.js'

/** Dependencies of the route of the vault. */
export interface VaultRoutesDeps {
  readonly vault: Pick<PiiRevealer, 'reveal'>
  readonly log: Log
}

/** Serves clear personal data. Only the internal listener has this route. */
export function serveVault(routes: Hono<EdgeEnv>, { vault, log }: VaultRoutesDeps): void {
  serveInternal(routes, operations.reveal, async ({ body: { appId, userId, token, purpose }, actor }, c) => {
    try {
      // The vault records actor and reason before it opens a value. If that fails, it opens nothing.
      const value = await vault.reveal({ owner: { appId, userId }, token, actor, purpose })
      log.info('value revealed', { requestId: c.env.requestId, appId, userId })
      return answer(200, { token, value })
    } catch (error) {
      if (!(error instanceof KycError) || error.retryable) throw error
      if (error.code === 'TOKEN_UNKNOWN') return { refusal: { code: 'NOT_FOUND', detail: 'TOKEN_UNKNOWN' } }
      if (error.code === 'NOT_REVEALABLE')
        return { refusal: { code: 'BAD_REQUEST', detail: 'NOT_REVEALABLE', status: 409 } }
      throw error
    }
  })
}
