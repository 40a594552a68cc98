import type { Endpoint } from '../delivery/webhook-store.js'
import { eventTypes, type EventName } from '../events/event-types.js'

/**
 * Selects the endpoints that subscribe to this type. An endpoint without selected types gets the
 * standard ones (docs/contract.md 7).
 */
export function matchEndpoints<One extends Pick<Endpoint, 'eventTypes'>>(
  endpoints: readonly One[],
  type: EventName,
): readonly One[] {
  const all: readonly EventName[] = eventTypes
  return endpoints.filter((endpoint) => (endpoint.eventTypes ?? all).includes(type))
}
