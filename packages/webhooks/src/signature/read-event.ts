import type { EventType } from '../events/event-types.js'
import { isTestEvent, recogniseEventType } from '../events/recognise-event.js'
import type { EventPayloads, UnknownEvent } from '../events/webhook-event.js'
import { decodeUtf8 } from './runtime.js'
import { WebhookVerificationError } from './verification-error.js'

/** An authentic webhook. Switch on `type` to have `event` typed. */
export type VerifiedWebhook =
  | {
      [Type in EventType]: VerifiedFields & { readonly type: Type; readonly event: EventPayloads[Type] }
    }[EventType]
  | (VerifiedFields & { readonly type: 'UNKNOWN'; readonly event: UnknownEvent })

interface VerifiedFields {
  /** The value of `X-Event-ID`, the same on every attempt and on a resend. Use it to detect duplicates. */
  readonly eventId: string
  /** True for a test event: do not process it. */
  readonly test: boolean
}

/** Parses the event in a body whose signature was verified. */
export function readEvent(eventId: string, body: string | Uint8Array): VerifiedWebhook {
  const event = parsePayload(body)
  return { eventId, type: recogniseEventType(event), event, test: isTestEvent(event) } as VerifiedWebhook
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
