import type { Endpoint, PausedBy } from '../../../src/delivery/webhook-store.js'
import { appId, newId } from '../delivery-samples.js'
import { behaviourOf, urlOf, type World } from './world.js'

/**
 * Partners and operators who pause, resume, replace and remove endpoints, cancel and send again while the workers work.
 *
 * @param endpoints - the live endpoints; a replacement takes the place of its endpoint
 * @param published - ids of all deliveries; those that are sent again are added
 */
export function createSimulatedOperator(world: World, endpoints: Endpoint[], published: string[]) {
  const { store, data, claims, random, chance } = world
  let urls = endpoints.length

  const oneOf = <T>(some: readonly T[]): T | undefined => some[Math.floor(random() * some.length)]
  const who = (): PausedBy => (chance(0.5) ? 'PARTNER' : 'OPERATOR')
  const replacementOf = (endpoint: Endpoint): Endpoint => {
    const url = chance(0.5) ? endpoint.url : urlOf(behaviourOf(endpoint.url), (urls += 1))
    return { ...endpoint, endpointId: newId(), url }
  }

  async function pause({ endpointId }: Endpoint): Promise<void> {
    if (world.sabotage !== 'ignores-pauses') await store.pauseEndpoint({ appId, endpointId, by: who() })
    claims.paused.add(endpointId)
  }

  async function resume({ endpointId }: Endpoint, by: PausedBy): Promise<void> {
    if ((await store.resumeEndpoint({ appId, endpointId, by })) === 'resumed') claims.paused.delete(endpointId)
  }

  async function replace(endpoint: Endpoint): Promise<void> {
    const replacement = replacementOf(endpoint)
    await store.replaceEndpoint({ appId, endpointId: endpoint.endpointId, replacement })
    takePlace(endpoint, replacement)
  }

  /** Removes an endpoint, and registers its URL again. */
  async function remove(endpoint: Endpoint): Promise<void> {
    await store.removeEndpoint({ appId, endpointId: endpoint.endpointId })
    const again = { ...endpoint, endpointId: newId() }
    await store.registerEndpoint(again, 1_000_000)
    takePlace(endpoint, again)
  }

  function takePlace(former: Endpoint, next: Endpoint): void {
    endpoints[endpoints.indexOf(former)] = next
    claims.removed.add(former.endpointId)
    if (data.endpoints.get(next.endpointId)?.endpoint.pausedBy != null) claims.paused.add(next.endpointId)
  }

  async function cancel(userId: string): Promise<void> {
    for (const { deliveryId, event } of data.pending.values())
      if (event.userId === userId) claims.cancelled.add(deliveryId)
    if (world.sabotage !== 'ignores-cancellation') await store.cancelPending({ appId, userId, reason: 'USER_ERASED' })
  }

  async function sendAgain(deliveryId: string): Promise<void> {
    const newDeliveryId = newId()
    if ((await store.resendDelivery({ appId, deliveryId, newDeliveryId })) === 'resent') published.push(newDeliveryId)
  }

  return {
    /** Does at most one of each. */
    async act(userId: string): Promise<void> {
      const [one, other] = [oneOf(endpoints), oneOf(endpoints)]
      const delivery = oneOf(published)
      if (one !== undefined && chance(0.1)) await pause(one)
      if (other !== undefined && chance(0.2)) await resume(other, who())
      if (one !== undefined && chance(0.05)) await replace(one)
      else if (one !== undefined && chance(0.03)) await remove(one)
      if (chance(0.03)) await cancel(userId)
      if (delivery !== undefined && chance(0.1)) await sendAgain(delivery)
    },
    async resumeAll(): Promise<void> {
      for (const endpoint of endpoints) await resume(endpoint, 'OPERATOR')
    },
  }
}
