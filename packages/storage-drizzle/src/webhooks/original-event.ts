import type { PreparedEvent } from '@kyc-relay/webhooks/delivery'
import type { WithheldReason } from '@kyc-relay/webhooks/internal'

/** Checks whether an event may take the `sourceEventId` of one that was withheld for a missing grant or scope. */
export const mayReplace = (event: PreparedEvent, withheld: WithheldReason | null): boolean =>
  event.withheld === null && withheld !== null && withheld !== 'NO_ENDPOINT'

/** Copies the bytes that a driver returned, as the ports give them. */
export const ownBytes = (bytes: Uint8Array | null): Uint8Array | null => (bytes === null ? null : new Uint8Array(bytes))
