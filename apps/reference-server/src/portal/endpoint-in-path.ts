import type { Endpoint, WebhookStore } from '@kyc-relay/webhooks/delivery'
import { appIdOf, idInPath, type PortalContext } from './portal-context.js'

/** Finds the endpoint that the path names; null if the signed-in app has none with this id. */
export async function findEndpointInPath(
  c: PortalContext,
  store: Pick<WebhookStore, 'listEndpoints'>,
): Promise<Endpoint | null> {
  const endpoints = await store.listEndpoints(appIdOf(c))
  return endpoints.find(({ endpointId }) => endpointId === idInPath(c, 'endpointId')) ?? null
}
