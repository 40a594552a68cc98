import type { BodySealer } from '../sealing/body-sealer.js'
import { openOne } from '../sealing/stored-bodies.js'
import type { DeliveryRecord } from './webhook-store.js'

/**
 * Opens the body of a delivery that a store returned. A body that was blanked, or whose key was destroyed, is empty.
 *
 * @throws WebhookError `BODIES_UNAVAILABLE` (retryable)
 *
 * @example
 * ```ts
 * import { openDelivery, type BodySealer, type WebhookStore } from '@kyc-relay/webhooks/delivery'
 *
 * async function readBody(store: WebhookStore, sealer: BodySealer, appId: string, deliveryId: string) {
 *   const found = await store.findDelivery({ appId, deliveryId })
 *   return found && (await openDelivery(found, sealer)).body
 * }
 * ```
 */
export async function openDelivery<Found extends DeliveryRecord & { readonly body: Uint8Array }>(
  found: Found,
  sealer?: BodySealer,
): Promise<Found> {
  const { appId, userId, eventId, body: stored } = found
  const body = await openOne({ appId, userId, part: 'event', recordId: eventId, stored }, sealer)
  return { ...found, body: body ?? new Uint8Array() }
}
