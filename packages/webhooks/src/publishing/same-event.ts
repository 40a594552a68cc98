import type { OriginalEvent, PreparedEvent } from '../delivery/webhook-store.js'

/** What the service fills in from the grant, which may have changed meanwhile. */
const filledFields: ReadonlySet<string> = new Set([
  ...['eventType', 'userId', 'accountId', 'externalReferenceId', 'appId', 'connectedAppId', 'connectedAppName'],
])

/**
 * Checks whether an event repeats the one that was published first under its `sourceEventId`: the same user, type and
 * content. Identifiers that the service fills in are not content. Of a blanked body nothing is compared.
 *
 * @example
 * ```ts
 * import { isSameEvent, type PreparedEvent } from '@kyc-relay/webhooks/delivery'
 *
 * const isRepeated = (event: PreparedEvent, stored: PreparedEvent) => isSameEvent(event, stored)
 * ```
 */
export function isSameEvent(event: PreparedEvent, original: OriginalEvent): boolean {
  if (event.userId !== original.userId || event.type !== original.type) return false
  if (original.body === null || original.body.length === 0 || event.body.length === 0) return true
  return contentOf(event.body) === contentOf(original.body)
}

/** The content of a body for comparison. Bytes that are not JSON are compared as they are. */
function contentOf(body: Uint8Array): string {
  const text = new TextDecoder('latin1').decode(body)
  try {
    const fields = Object.entries(JSON.parse(text) as object)
    return JSON.stringify(fields.filter(([name]) => !filledFields.has(name)))
  } catch {
    return text
  }
}
