import { rawBodyLine, type ReceiverFramework } from '../receiver/raw-body.js'
import type { HeadersLike } from './headers.js'
import type { Secrets } from './signed-request.js'
import type { WebhookVerificationErrorCode } from './verification-error.js'

/** What made the verification fail. */
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

/** Why a webhook was refused, and what to change. Holds no secret, no signature and nothing of the body. */
export interface Diagnosis {
  readonly cause: MismatchCause
  /**
   * `proved`: with this one thing undone, the signature matches. `probable`: a plain sign of it, but what was lost cannot
   * be brought back. `none`: nothing was found.
   */
  readonly confidence: 'proved' | 'probable' | 'none'
  /** What was seen. */
  readonly evidence: string
  /** What to change. */
  readonly fix: string
  /** How many variants were compared with the signature. */
  readonly probes: number
}

/** A request as {@link verifyWebhook} takes it, with what else may help to find the reason. */
export interface ExplainableRequest {
  /** What was passed as the body, whatever it is. */
  readonly body: unknown
  readonly headers: HeadersLike
  readonly secrets: Secrets
  /** Keys of other applications or environments, to see whether one of those signed it. */
  readonly otherSecrets?: readonly (string | undefined)[] | undefined
  /** Where the receiver runs, so that the fix names the line to change. */
  readonly framework?: ReceiverFramework | undefined
}

/**
 * Finds out why a webhook was refused: undoes, one at a time, the things that commonly happen to a body, a header or a
 * secret, and sees whether the signature matches then.
 *
 * For logs and consoles, after {@link verifyWebhook} has thrown; the diagnosis must not reach the sender. It is loaded
 * only when it is called, looks at bodies of at most 64 KiB and tries about twenty variants. It never accepts anything,
 * and no signature, secret or part of the body is in what it returns.
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
  // Handed over: imported there, bundlers that cut at files would load the lines together with verifyWebhook.
  return diagnose(request, rawBodyLine)
}
