import type { Endpoint } from '../delivery/webhook-store.js'
import type { EventType } from '../events/event-types.js'

/**
 * The endpoints that subscribed to this type; one that selected no types gets them all (docs/contract.md 7).
 *
 * @example
 * ```ts
 * import { matchEndpoints, type Endpoint } from '@kyc-relay/webhooks/delivery'
 *
 * export const listenersToDeposits = (endpoints: readonly Endpoint[]) =>
 *   matchEndpoints(endpoints, 'WIDGET_DEPOSIT_COMPLETE').map(({ url }) => url)
 * ```
 */
export function matchEndpoints(endpoints: readonly Endpoint[], type: EventType): readonly Endpoint[] {
  return endpoints.filter(({ eventTypes }) => eventTypes === null || eventTypes.includes(type))
}
