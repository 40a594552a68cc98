import { WebhookVerificationError } from '../verification-error.js'
import type { MismatchCause } from '../explain-mismatch.js'

const passHeader =
  'Pass X-HMAC-Signature unchanged. If a proxy, gateway or test tool changes it, configure it to forward the header unchanged.'
const cleanSecret =
  'Pass the API key exactly as the developer portal shows it. Check the environment variable or secret store.'

const fixes: Readonly<Partial<Record<MismatchCause, string>>> = {
  SIGNATURE_MISSING: 'Pass all headers of the request. Configure every proxy or gateway to forward X-HMAC-Signature.',
  EVENT_ID_MISSING: 'Pass all headers of the request. Configure every proxy or gateway to forward X-Event-ID.',
  PAYLOAD_INVALID: 'The signature is valid, but the body is not an event of this service.',
  SECRET_MISSING: 'Pass the API key of the application. Check that the environment variable is set on this machine.',
  SIGNATURE_DUPLICATED: 'Find the proxy, middleware or test tool that adds the header a second time.',
  SIGNATURE_WRAPPED: passHeader,
  SIGNATURE_PREFIXED: passHeader,
  SIGNATURE_UPPER_CASE: passHeader,
  SIGNATURE_BASE64: passHeader,
  SIGNATURE_WRONG_LENGTH: passHeader,
  SIGNATURE_NOT_HEXADECIMAL: passHeader,
  SECRET_WHITE_SPACE: cleanSecret,
  SECRET_QUOTED: cleanSecret,
  SECRET_PREFIXED: cleanSecret,
  SECRET_LIST_IN_ONE_STRING: 'Pass several secrets as an array: secrets: [current, previous].',
  SECRET_HEX_ENCODED: 'Decode the secret before passing it, or store the API key as the developer portal shows it.',
  SECRET_BASE64_ENCODED: 'Decode the secret before passing it, or store the API key as the developer portal shows it.',
  SECRET_DECODED_BY_SENDER:
    'The sender must use the UTF-8 bytes of the API key as the HMAC key, without decoding them.',
  SECRET_OTHER: 'Use the API key of the application and environment where the endpoint is registered.',
  BODY_TOO_LARGE_TO_PROBE: 'Retry with a smaller event, such as a test event.',
  UNEXPLAINED:
    'The usual cause is the API key of another application or environment. If the key is right, compare the number of bytes with Content-Length, and look for code that changes the body before the receiver.',
}

/** Returns the fix for a cause. For other body causes, the fix is to pass the raw body. */
export function fixFor(cause: MismatchCause, rawBodyLine: string | undefined): string {
  const line = rawBodyLine ?? new WebhookVerificationError('BODY_ALREADY_PARSED').hint
  return fixes[cause] ?? `The body must arrive here byte for byte as it was sent. ${line}`
}
