import { eventTypes, type EventType } from './event-types.js'

const nilUuid = '00000000-0000-0000-0000-000000000000'

// No other event has any of these.
const declineOnlyFields = ['transactionDateTime', 'fluzAmount', 'externalFundingAmount', 'declineReason']

/**
 * Tells the event type of a payload that was received.
 *
 * `TRANSACTION_DECLINE` carries no `eventType` (docs/contract.md 8.4), so a payload without one that
 * has a `transactionId` and a field that only a decline has, or the status `DECLINED`, is a decline. Whatever else is
 * not known is `UNKNOWN`, never an error: later versions of the service may send more types.
 */
export function recogniseEventType(payload: Readonly<Record<string, unknown>>): EventType | 'UNKNOWN' {
  const { eventType } = payload
  if (eventType === undefined || eventType === null) return looksDeclined(payload) ? 'TRANSACTION_DECLINE' : 'UNKNOWN'
  return eventTypes.find((known) => known === eventType) ?? 'UNKNOWN'
}

function looksDeclined(payload: Readonly<Record<string, unknown>>): boolean {
  return (
    typeof payload['transactionId'] === 'string' &&
    !('recordId' in payload) &&
    (payload['status'] === 'DECLINED' || declineOnlyFields.some((field) => field in payload))
  )
}

/** Whether a payload is a test event: both its user id and its account id are the nil UUID. */
export function isTestEvent(payload: Readonly<Record<string, unknown>>): boolean {
  return payload['userId'] === nilUuid && payload['accountId'] === nilUuid
}
