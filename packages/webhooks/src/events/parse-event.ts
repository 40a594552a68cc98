import { WebhookError } from '../delivery/webhook-error.js'
import { standardEventTypes, type EventTypes, type ParsedEvent } from './event-type-registry.js'
import type { EventType } from './event-types.js'
import type { OwnEventPayload, OwnEventType } from './own-event-types.js'
import type { EventPayloads } from './webhook-event.js'

export type { EventViolation } from './event-violation.js'

/**
 * Validates an event payload strictly: every field follows the contract, and unknown fields are violations. The service
 * validates each event before it sends it. A receiver can use it too, but should not refuse events because of fields
 * from a later version.
 *
 * For event types of your own, pass the result of `createEventTypes` as third argument.
 *
 * @returns the payload, or at most 50 violations in the order of the schema.
 * @throws WebhookError `EVENT_TYPE_UNKNOWN`
 *
 * @example
 * ```ts
 * import { parseEvent } from '@kyc-relay/webhooks/events'
 *
 * const parsed = parseEvent('WIDGET_DEPOSIT_COMPLETE', { eventType: 'WIDGET_DEPOSIT_COMPLETE', amount: '100' })
 * if (!parsed.ok) console.log(parsed.violations) // [{ pointer: '/userId', code: 'REQUIRED', … }, …]
 * ```
 */
export function parseEvent<Type extends EventType>(type: Type, payload: unknown): ParsedEvent<EventPayloads[Type]>
export function parseEvent<Own extends readonly OwnEventType[], Name extends EventType | Own[number]['name']>(
  type: Name,
  payload: unknown,
  eventTypes: EventTypes<Own>,
): ParsedEvent<Name extends EventType ? EventPayloads[Name] : OwnEventPayload<Own, Name>>
export function parseEvent(
  type: string,
  payload: unknown,
  eventTypes: Pick<EventTypes<readonly OwnEventType[]>, 'find'> = standardEventTypes,
): ParsedEvent<unknown> {
  const described = eventTypes.find(type)
  if (described === undefined) throw new WebhookError('EVENT_TYPE_UNKNOWN')
  return described.parse(payload)
}

/**
 * Returns a fresh copy of the example payload of an event type.
 *
 * @example
 * ```ts
 * import { eventExample } from '@kyc-relay/webhooks/events'
 *
 * const body = JSON.stringify(eventExample('TRANSACTION_CREATE'))
 * ```
 */
export function eventExample<Type extends EventType>(type: Type): EventPayloads[Type]
export function eventExample<Own extends readonly OwnEventType[], Name extends EventType | Own[number]['name']>(
  type: Name,
  eventTypes: EventTypes<Own>,
): Name extends EventType ? EventPayloads[Name] : OwnEventPayload<Own, Name>
export function eventExample(
  type: string,
  eventTypes: Pick<EventTypes<readonly OwnEventType[]>, 'find'> = standardEventTypes,
): unknown {
  const described = eventTypes.find(type)
  if (described === undefined) throw new WebhookError('EVENT_TYPE_UNKNOWN')
  return structuredClone(described.example)
}
