import type { WebhookStore } from '@kyc-relay/webhooks/delivery'
import type { Hono } from 'hono'
import type { EdgeEnv } from '../http/request-context.js'
import { answer } from '../webhooks-api/operation.js'
import { accessOperations as operations } from './access-operations.js'
import { serveInternal } from './serve-internal.js'

const notFound = { refusal: { code: 'NOT_FOUND' } } as const

/** Dependencies of the operator's routes for endpoints. */
export interface EndpointRoutesDeps {
  readonly store: Pick<WebhookStore, 'pauseEndpoint' | 'resumeEndpoint'>
  /** Wakes the delivery worker of this process. */
  readonly wake: () => void
}

/** Serves endpoints to the operator: a pause that the partner cannot lift, and its end. */
export function serveEndpoints(routes: Hono<EdgeEnv>, { store, wake }: EndpointRoutesDeps): void {
  serveInternal(routes, operations.pauseEndpoint, async ({ params, actor: name }) => {
    const outcome = await store.pauseEndpoint({ ...params, by: 'OPERATOR', actor: { name, reason: null } })
    return outcome === 'paused' ? answer(204) : notFound
  })

  serveInternal(routes, operations.resumeEndpoint, async ({ params, actor: name }) => {
    const outcome = await store.resumeEndpoint({ ...params, by: 'OPERATOR', actor: { name, reason: null } })
    if (outcome !== 'resumed') return notFound
    wake()
    return answer(204)
  })
}
