import type { InsertedEvent, OriginalEvent, PreparedEvent } from '../delivery/webhook-store.js'
import type { BodySealer } from '../sealing/body-sealer.js'
import { isSealed, openStored } from '../sealing/stored-bodies.js'

/** What the service fills in from the grant, which may have changed meanwhile. */
const filledFields: ReadonlySet<string> = new Set([
  ...['eventType', 'userId', 'accountId', 'externalReferenceId', 'appId', 'connectedAppId', 'connectedAppName'],
])

/**
 * Checks whether an event repeats the one that was published first under its `sourceEventId`: the same user, type and
 * content. True for an event that was written. Identifiers that the service fills in are not content. Of a blanked or
 * erased body nothing is compared.
 *
 * @param inserted What `insertEvent` returned for the event.
 * @param sealer The sealer that prepared both events, if there is one.
 * @throws WebhookError `BODIES_UNAVAILABLE` (retryable)
 *
 * @example
 * ```ts
 * import { isSameEvent, type PreparedEvent, type WebhookStore } from '@kyc-relay/webhooks/delivery'
 *
 * async function isAccepted(store: WebhookStore, prepared: PreparedEvent) {
 *   return isSameEvent(prepared, await store.insertEvent(prepared))
 * }
 * ```
 */
export async function isSameEvent(
  event: PreparedEvent,
  inserted: Pick<InsertedEvent, 'eventId' | 'original'>,
  sealer?: BodySealer,
): Promise<boolean> {
  const { original } = inserted
  if (original === null) return true
  if (!isSameClearEvent(event, original)) return false
  const { appId, userId, eventId, body } = event
  const place = { appId, userId, part: 'event' } as const
  const [told, first] = await openStored(
    [
      { ...place, recordId: eventId, stored: body },
      { ...place, recordId: inserted.eventId, stored: original.body },
    ],
    sealer,
  )
  if (told == null || first == null) return true
  return contentOf(told) === contentOf(first)
}

/** Compares without opening anything: of sealed bodies only users and types are compared. */
export function isSameClearEvent(event: PreparedEvent, original: OriginalEvent): boolean {
  if (event.userId !== original.userId || event.type !== original.type) return false
  const [told, first] = [event.body, original.body ?? new Uint8Array()]
  if (told.length === 0 || first.length === 0 || isSealed(told) || isSealed(first)) return true
  return contentOf(told) === contentOf(first)
}

/** The content of a body for comparison, without the order of its fields. Bytes that are not JSON are compared as they are. */
function contentOf(body: Uint8Array): string {
  const text = new TextDecoder('latin1').decode(body)
  try {
    const fields = Object.entries(JSON.parse(text) as object).filter(([name]) => !filledFields.has(name))
    return JSON.stringify(inOrder(fields), (_name, value: unknown) =>
      typeof value === 'object' && value !== null && !Array.isArray(value) ? inOrder(Object.entries(value)) : value,
    )
  } catch {
    return text
  }
}

const inOrder = (fields: readonly (readonly [string, unknown])[]) =>
  Object.fromEntries(fields.toSorted(([one], [other]) => (one < other ? -1 : 1)))
