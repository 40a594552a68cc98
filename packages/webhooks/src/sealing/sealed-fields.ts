import type { BodyPlace, BodySealer } from './body-sealer.js'
import { bytesToStore, openOne } from './stored-bodies.js'

/** Fields of a transaction as JSON values. */
export type TransactionFields = Readonly<Record<string, unknown>>

/** Fields as a store keeps them: with a sealer one member, the sealed bytes in base64. */
const sealedMember = 'sealed'

/** Returns the fields to store. */
export async function fieldsToStore(
  place: Omit<BodyPlace, 'part'>,
  fields: TransactionFields | null,
  sealer: BodySealer | undefined,
): Promise<TransactionFields | null> {
  if (fields === null || sealer === undefined) return fields
  const clear = new TextEncoder().encode(JSON.stringify(fields))
  const bytes = await bytesToStore({ ...place, part: 'transaction' }, clear, sealer)
  return { [sealedMember]: base64Of(bytes) }
}

/**
 * Opens stored fields; null for fields whose key was destroyed.
 *
 * @throws WebhookError `BODIES_UNAVAILABLE` (retryable)
 *
 * @example
 * ```ts
 * import type { BodySealer } from '@kyc-relay/webhooks/delivery'
 * import { openFields, type TransactionRecord } from '@kyc-relay/webhooks/internal'
 *
 * export const readFields = (stored: TransactionRecord, sealer: BodySealer) =>
 *   openFields({ appId: stored.appId, userId: stored.userId, recordId: stored.transactionId }, stored.fields, sealer)
 * ```
 */
export async function openFields(
  place: Omit<BodyPlace, 'part'>,
  fields: TransactionFields | null,
  sealer: BodySealer | undefined,
): Promise<TransactionFields | null> {
  const sealed = fields?.[sealedMember]
  // Clear fields always have a transaction id.
  if (fields === null || typeof sealed !== 'string' || 'transactionId' in fields) return fields
  const { appId, userId, recordId } = place
  const clear = await openOne({ appId, userId, recordId, part: 'transaction', stored: bytesOf(sealed) }, sealer)
  return clear === null ? null : (JSON.parse(new TextDecoder().decode(clear)) as TransactionFields)
}

const base64Of = (bytes: Uint8Array) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
const bytesOf = (text: string) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
