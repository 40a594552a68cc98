import { randomUUID } from 'node:crypto'
import { countRecovery, type GrantLookup, type RecoveryStore, type WebhookStore } from '@kyc-relay/webhooks/delivery'
import type { Hono } from 'hono'
import type { EdgeEnv } from '../http/request-context.js'
import { answer, serveOperation } from './operation.js'
import { webhookOperations as operations } from './webhook-operations.js'

/** Dependencies of the routes of recoveries. */
export interface RecoveryRoutesDeps {
  readonly store: Pick<WebhookStore, 'listEndpoints'>
  readonly recoveries: RecoveryStore
  readonly grants: GrantLookup
  readonly now: () => Date
}

/** Serves recoveries: jobs that deliver what an endpoint missed. The worker does their steps. */
export function serveRecoveries(routes: Hono<EdgeEnv>, { store, recoveries, grants, now }: RecoveryRoutesDeps): void {
  const notFound = { refusal: { code: 'NOT_FOUND' } } as const

  serveOperation(routes, operations.recoverEndpoint, async ({ appId, params: { endpointId }, body }) => {
    const endpoints = await store.listEndpoints(appId)
    if (!endpoints.some((one) => one.endpointId === endpointId)) return notFound
    const { since, until } = body
    const eventTypes = body.eventTypes?.length ? body.eventTypes : null
    const range = { appId, endpointId, since, eventTypes }
    if (body.dryRun === true) {
      const { matched, skipped } = await countRecovery(
        { store: recoveries, grants },
        { ...range, until: until ?? now() },
      )
      return answer(200, { matched, skipped: { ...skipped } })
    }
    const recoveryId = randomUUID()
    const outcome = await recoveries.startRecovery({ ...range, recoveryId, until: until ?? null })
    if (outcome === 'not_found') return notFound
    if (outcome === 'running') return { refusal: { code: 'RECOVERY_RUNNING' } }
    const location = `/api/v1/webhooks/${endpointId}/recoveries/${recoveryId}`
    return answer(202, { recoveryId }, { location })
  })

  serveOperation(routes, operations.getRecovery, async ({ appId, params: { recoveryId } }) => {
    const found = await recoveries.findRecovery({ appId, recoveryId })
    return found === null ? notFound : answer(200, { ...found, skipped: { ...found.skipped } })
  })

  serveOperation(routes, operations.stopRecovery, async ({ appId, params: { recoveryId } }) =>
    (await recoveries.stopRecovery({ appId, recoveryId })) ? answer(204) : notFound,
  )
}
