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

/** Creates the function that reports each change of an endpoint's state: in the log, and to `count`. */
export function createEndpointChangeReporter(deps: {
  readonly log: Log
  readonly count: (state: EndpointState) => void
}) {
  return (change: EndpointChange): void => {
    const { appId, endpointId, state } = change
    deps.count(state)
    deps.log.info('endpoint changed its state', { appId, endpointId, state })
  }
}

/** Calls `report` for each pause and each end of one. A call that changes nothing is not reported. */
export function reportPauses<Store extends WebhookStore>(
  store: Store,
  report: (change: EndpointChange) => void,
): Store {
  /** The state before or after a change; null for an endpoint that does not exist. */
  async function find({ appId, endpointId }: { readonly appId: string; readonly endpointId: string }) {
    const [endpoints, health] = await Promise.all([store.listEndpoints(appId), store.listEndpointHealth(appId)])
    const endpoint = endpoints.find((one) => one.endpointId === endpointId)
    if (endpoint === undefined) return null
    return endpointState(endpoint, health.find((one) => one.endpointId === endpointId)?.failingSince ?? null)
  }

  async function reporting<Answer>(
    request: { readonly appId: string; readonly endpointId: string },
    change: () => Promise<Answer>,
  ): Promise<Answer> {
    const before = await find(request)
    const answer = await change()
    const state = await find(request)
    const { appId, endpointId } = request
    const wasOrIsPaused = before === 'PAUSED' || state === 'PAUSED'
    if (state !== null && state !== before && wasOrIsPaused) report({ appId, endpointId, state })
    return answer
  }

  return {
    ...store,
    pauseEndpoint: (request) => reporting(request, () => store.pauseEndpoint(request)),
    resumeEndpoint: (request) => reporting(request, () => store.resumeEndpoint(request)),
  }
}
