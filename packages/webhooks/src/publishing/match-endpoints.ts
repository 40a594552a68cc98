import type { Endpoint } from '../delivery/webhook-store.js'
import type { EventType } from '../events/event-types.js'

/**
 * Selects the endpoints that subscribe to this type; an endpoint without selected types gets all (docs/contract.md 7).
 */
export function matchEndpoints<One extends Pick<Endpoint, 'eventTypes'>>(
  endpoints: readonly One[],
  type: EventType,
): readonly One[] {
  return endpoints.filter(({ eventTypes }) => eventTypes === null || eventTypes.includes(type))
}
