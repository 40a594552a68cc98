import type { EventType } from '../events/event-types.js'
import type { NoEventTypes, OwnEventPayload, ReceivedEventType } from '../events/own-event-types.js'
import { isTestEvent, recogniseEventType } from '../events/recognise-event.js'
import type { EventPayloads, UnknownEvent } from '../events/webhook-event.js'
import { decodeUtf8 } from './runtime.js'
import { WebhookVerificationError } from './verification-error.js'

/**
 * An authentic webhook. Switch on `type` to have `event` typed.
 *
 * `Own`: the event types that were given as `eventTypes`, beyond those of the service.
 */
export type VerifiedWebhook<Own extends readonly ReceivedEventType[] = NoEventTypes> =
  | {
      [Type in EventType]: VerifiedFields & { readonly type: Type; readonly event: EventPayloads[Type] }
    }[EventType]
  | {
      [Name in Own[number]['name']]: VerifiedFields & {
        readonly type: Name
        readonly event: OwnEventPayload<Own, Name>
      }
    }[Own[number]['name']]
  | (VerifiedFields & { readonly type: 'UNKNOWN'; readonly event: UnknownEvent })

interface VerifiedFields {
  /** The value of `X-Event-ID`, the same on every attempt and on a resend. Use it to detect duplicates. */
  readonly eventId: string
  /** True for a test event: do not process it. */
  readonly test: boolean
}

/** Parses the event in a body whose signature was verified. */
export function readEvent<Own extends readonly ReceivedEventType[]>(
  eventId: string,
  body: string | Uint8Array,
  own: Own | undefined,
): VerifiedWebhook<Own> {
  const event = parsePayload(body)
  return { eventId, type: recogniseEventType(event, own), event, test: isTestEvent(event) } as VerifiedWebhook<Own>
}

function parsePayload(body: string | Uint8Array): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(typeof body === 'string' ? body : decodeUtf8(body))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // The parser's message may quote the body, so it is dropped.
  }
  throw new WebhookVerificationError('PAYLOAD_INVALID')
}
