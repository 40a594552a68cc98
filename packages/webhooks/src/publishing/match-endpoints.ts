import type { Endpoint } from '../delivery/webhook-store.js'
import type { EventType } from '../events/event-types.js'

/**
 * The endpoints that subscribed to this type; one that selected no types gets them all (docs/contract.md 7).
 */
export function matchEndpoints(endpoints: readonly Endpoint[], type: EventType): readonly Endpoint[] {
  return endpoints.filter(({ eventTypes }) => eventTypes === null || eventTypes.includes(type))
}
