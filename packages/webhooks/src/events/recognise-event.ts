import { allEventTypes } from './event-types.js'
import type { ReceivedEventType } from './own-event-types.js'

const nilUuid = '00000000-0000-0000-0000-000000000000'

// Fields that only a decline has.
const declineOnlyFields = ['transactionDateTime', 'fluzAmount', 'externalFundingAmount', 'declineReason']

/**
 * Finds the event type of a received payload.
 *
 * `TRANSACTION_DECLINE` has no `eventType` (docs/contract.md 8.4). A payload without `eventType` is a decline if it has
 * a `transactionId`, and either the status `DECLINED` or a field that only a decline has. Any other unknown payload is
 * `UNKNOWN`, not an error: later versions of the service may send more types.
 *
 * @param own Event types beyond those of the service.
 */
export function recogniseEventType(
  payload: Readonly<Record<string, unknown>>,
  own: readonly ReceivedEventType[] = [],
): string {
  const { eventType } = payload
  if (eventType === undefined || eventType === null) return looksDeclined(payload) ? 'TRANSACTION_DECLINE' : 'UNKNOWN'
  const isKnown =
    (allEventTypes as readonly unknown[]).includes(eventType) || own.some(({ name }) => name === eventType)
  return isKnown ? (eventType as string) : 'UNKNOWN'
}

function looksDeclined(payload: Readonly<Record<string, unknown>>): boolean {
  return (
    typeof payload['transactionId'] === 'string' &&
    !('recordId' in payload) &&
    (payload['status'] === 'DECLINED' || declineOnlyFields.some((field) => field in payload))
  )
}

/** Checks for a test event: its user id and its account id are the nil UUID. */
export function isTestEvent(payload: Readonly<Record<string, unknown>>): boolean {
  return payload['userId'] === nilUuid && payload['accountId'] === nilUuid
}
