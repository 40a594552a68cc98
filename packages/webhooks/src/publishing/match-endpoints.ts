import type { Endpoint } from '../delivery/webhook-store.js'
import { eventTypes, type EventType } from '../events/event-types.js'

/**
 * Selects the endpoints that subscribe to this type. An endpoint without selected types gets all but the optional ones
 * (docs/contract.md 7).
 */
export function matchEndpoints<One extends Pick<Endpoint, 'eventTypes'>>(
  endpoints: readonly One[],
  type: EventType,
): readonly One[] {
  const all: readonly EventType[] = eventTypes
  return endpoints.filter((endpoint) => (endpoint.eventTypes ?? all).includes(type))
}
