import type { WebhookStore } from '@kyc-relay/webhooks/delivery'
import type { Log } from '../operations/log.js'
import { endpointState } from '../webhooks-api/webhook-presentation.js'

/** A state of an endpoint, as partners see it. */
export type EndpointState = ReturnType<typeof endpointState>

/** An endpoint that has just changed its state. */
export interface EndpointChange {
  readonly appId: string
  readonly endpointId: string
  readonly state: EndpointState
}

/** Tells each change of an endpoint's state: in the log, and to `count`. */
export function createEndpointStates(deps: { readonly log: Log; readonly count: (state: EndpointState) => void }) {
  return (change: EndpointChange): void => {
    const { appId, endpointId, state } = change
    deps.count(state)
    deps.log.info('endpoint changed its state', { appId, endpointId, state })
  }
}

/** Reports each change of a pause to `tell`. A call without a change reports nothing. */
export function tellPauses<Store extends WebhookStore>(store: Store, tell: (change: EndpointChange) => void): Store {
  /** The state before or after a change; null for an endpoint that does not exist. */
  async function find({ appId, endpointId }: { readonly appId: string; readonly endpointId: string }) {
    const [endpoints, health] = await Promise.all([store.listEndpoints(appId), store.listEndpointHealth(appId)])
    const endpoint = endpoints.find((one) => one.endpointId === endpointId)
    if (endpoint === undefined) return null
    return endpointState(endpoint, health.find((one) => one.endpointId === endpointId)?.failingSince ?? null)
  }

  async function told<Answer>(
    request: { readonly appId: string; readonly endpointId: string },
    change: () => Promise<Answer>,
  ): Promise<Answer> {
    const before = await find(request)
    const answer = await change()
    const state = await find(request)
    const { appId, endpointId } = request
    const wasOrIsPaused = before === 'PAUSED' || state === 'PAUSED'
    if (state !== null && state !== before && wasOrIsPaused) tell({ appId, endpointId, state })
    return answer
  }

  return {
    ...store,
    pauseEndpoint: (request) => told(request, () => store.pauseEndpoint(request)),
    resumeEndpoint: (request) => told(request, () => store.resumeEndpoint(request)),
  }
}
