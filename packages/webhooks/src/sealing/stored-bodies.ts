import { WebhookError } from '../delivery/webhook-error.js'
import type { BodyPlace, BodySealer } from './body-sealer.js'

/** First byte of sealed bytes in a store. No JSON text begins with it. */
const sealedMark = 1

/** Bytes as a store keeps them, and their place. */
export type StoredBody = BodyPlace & {
  /** Null or empty after an erasure or retention has blanked it. */
  readonly stored: Uint8Array | null
}

type SealedBody = StoredBody & { readonly stored: Uint8Array }

const isBytes = (value: unknown) => ArrayBuffer.isView(value)
const isBytesOrNull = (value: unknown) => value === null || isBytes(value)

/** Checks whether stored bytes are sealed. */
export function isSealed(stored: Uint8Array): boolean {
  return stored[0] === sealedMark
}

/** Returns the bytes to store: sealed with a sealer, else clear. Empty bytes stay as they are. */
export async function bytesToStore(
  place: BodyPlace,
  clear: Uint8Array,
  sealer: BodySealer | undefined,
): Promise<Uint8Array> {
  if (sealer === undefined || clear.length === 0) return clear
  const [sealed] = await answered(1, isBytes, () => sealer.seal([{ ...placeOf(place), clear }]))
  if (sealed === undefined) throw new WebhookError('BODIES_UNAVAILABLE')
  const marked = new Uint8Array(sealed.length + 1)
  marked[0] = sealedMark
  marked.set(sealed, 1)
  return marked
}

/**
 * Opens stored bytes, in the order of the request. Null for bytes that were blanked, and for those whose key was destroyed.
 *
 * @throws WebhookError `BODIES_UNAVAILABLE` (retryable) when the sealer rejects, or when there is none for sealed bytes
 *
 * @example
 * ```ts
 * import type { BodySealer } from '@kyc-relay/webhooks/delivery'
 * import { openStored, type BodyPlace } from '@kyc-relay/webhooks/internal'
 *
 * export async function readBody(place: BodyPlace, stored: Uint8Array | null, sealer: BodySealer) {
 *   const [body] = await openStored([{ ...place, stored }], sealer)
 *   return body ?? null
 * }
 * ```
 */
export async function openStored(
  bodies: readonly StoredBody[],
  sealer: BodySealer | undefined,
): Promise<readonly (Uint8Array | null)[]> {
  const sealed = bodies
    .filter((body): body is SealedBody => body.stored !== null && isSealed(body.stored))
    .map(({ appId, userId, part, recordId, stored }) => ({ appId, userId, part, recordId, sealed: stored.subarray(1) }))
  if (sealed.length > 0 && sealer === undefined) throw new WebhookError('BODIES_UNAVAILABLE')
  const opened =
    sealed.length === 0 || sealer === undefined
      ? []
      : await answered(sealed.length, isBytesOrNull, () => sealer.open(sealed))
  let next = 0
  return bodies.map(({ stored }) => {
    if (stored === null || stored.length === 0) return null
    return isSealed(stored) ? (opened[next++] ?? null) : stored
  })
}

/** Opens one value. */
export async function openOne(body: StoredBody, sealer: BodySealer | undefined): Promise<Uint8Array | null> {
  return (await openStored([body], sealer))[0] ?? null
}

function placeOf({ appId, userId, part, recordId }: BodyPlace): BodyPlace {
  return { appId, userId, part, recordId }
}

/** The error of a sealer may hold a value of another library, so it is dropped. */
async function answered<A>(
  count: number,
  isAnswer: (one: A) => boolean,
  ask: () => Promise<readonly A[]>,
): Promise<readonly A[]> {
  const answers = await (async () => ask())().catch(() => null)
  // A text would be stored as zeros, or sent as a body.
  if (answers?.length !== count || !answers.every(isAnswer)) throw new WebhookError('BODIES_UNAVAILABLE')
  return answers
}
