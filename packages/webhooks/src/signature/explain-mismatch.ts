import { rawBodyLine, type ReceiverFramework } from '../receiver/raw-body.js'
import type { HeadersLike } from './headers.js'
import type { Secrets } from './signed-request.js'
import type { WebhookVerificationErrorCode } from './verification-error.js'

/** Cause of a failed verification. */
export type MismatchCause =
  | Exclude<WebhookVerificationErrorCode, 'SIGNATURE_MALFORMED' | 'SIGNATURE_MISMATCH'>
  // the header
  | 'SIGNATURE_DUPLICATED'
  | 'SIGNATURE_WRAPPED'
  | 'SIGNATURE_PREFIXED'
  | 'SIGNATURE_UPPER_CASE'
  | 'SIGNATURE_BASE64'
  | 'SIGNATURE_WRONG_LENGTH'
  | 'SIGNATURE_NOT_HEXADECIMAL'
  // the body
  | 'BODY_OBJECT_AS_TEXT'
  | 'BODY_NEWLINE_ADDED'
  | 'BODY_NEWLINE_REMOVED'
  | 'BODY_LINE_ENDINGS_CHANGED'
  | 'BODY_WHITE_SPACE_ADDED'
  | 'BODY_BOM_ADDED'
  | 'BODY_BOM_REMOVED'
  | 'BODY_RESERIALISED'
  | 'BODY_BASE64'
  | 'BODY_ENCODED_TWICE'
  | 'BODY_FORM_ENCODED'
  | 'BODY_URL_ENCODED'
  | 'BODY_WRONG_CHARSET'
  | 'BODY_INSIDE_EVENT'
  | 'BODY_BUFFER_AS_JSON'
  | 'BODY_TRUNCATED'
  | 'BODY_LENGTH_CHANGED'
  // the secret
  | 'SECRET_WHITE_SPACE'
  | 'SECRET_QUOTED'
  | 'SECRET_PREFIXED'
  | 'SECRET_LIST_IN_ONE_STRING'
  | 'SECRET_HEX_ENCODED'
  | 'SECRET_BASE64_ENCODED'
  | 'SECRET_DECODED_BY_SENDER'
  | 'SECRET_OTHER'
  // neither
  | 'BODY_TOO_LARGE_TO_PROBE'
  | 'UNEXPLAINED'

/** Reason why a webhook was refused, and its fix. Holds no secret, no signature and no part of the body. */
export interface Diagnosis {
  readonly cause: MismatchCause
  /**
   * `proved`: the signature matches after undoing this change. `probable`: there is a sign of this change, but it
   * cannot be undone. `none`: no cause was found.
   */
  readonly confidence: 'proved' | 'probable' | 'none'
  /** Observation behind the diagnosis. */
  readonly evidence: string
  /** Change that fixes it. */
  readonly fix: string
  /** Number of variants compared with the signature. */
  readonly probes: number
}

/** A request of {@link verifyWebhook}, with more data for the diagnosis. */
export interface ExplainableRequest {
  /** The value passed as body, of any type. */
  readonly body: unknown
  readonly headers: HeadersLike
  readonly secrets: Secrets
  /** Keys of other applications or environments, to check whether one of them signed it. */
  readonly otherSecrets?: readonly (string | undefined)[] | undefined
  /** Framework of the receiver, so that the fix names the line to change. */
  readonly framework?: ReceiverFramework | undefined
}

/**
 * Finds the reason why a webhook was refused. It undoes common changes to a body, a header or a secret one by one, and
 * compares the signature each time.
 *
 * Call it after {@link verifyWebhook} has thrown, for logs and consoles only; do not send the diagnosis to the sender.
 * It is loaded on its first call, inspects bodies of at most 64 KiB and tries about twenty variants. It never accepts a
 * webhook. Its result holds no signature, secret or part of the body.
 *
 * @returns null when the webhook verifies.
 *
 * @example
 * ```ts
 * import { explainMismatch, signWebhook } from '@kyc-relay/webhooks'
 *
 * const headers = { 'X-HMAC-Signature': await signWebhook('{"a":1}', 'the API key'), 'X-Event-ID': crypto.randomUUID() }
 * const diagnosis = await explainMismatch({ body: '{"a":1}\n', headers, secrets: 'the API key' })
 * console.log(diagnosis?.cause, diagnosis?.confidence) // BODY_NEWLINE_ADDED proved
 * ```
 */
export async function explainMismatch(request: ExplainableRequest): Promise<Diagnosis | null> {
  const { diagnose } = await import('./diagnosis/diagnose.js')
  // Passed as an argument: an import there would let bundlers load these texts together with verifyWebhook.
  return diagnose(request ?? {}, rawBodyLine)
}
