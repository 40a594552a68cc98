import { WebhookVerificationError } from '../verification-error.js'
import type { MismatchCause } from '../explain-mismatch.js'

const passHeader =
  'Pass X-HMAC-Signature as it came. If a proxy, gateway or test tool changes it, let it forward the header untouched.'
const cleanSecret =
  'Pass the API key exactly as the developer portal shows it: check the environment variable or secret store.'

const fixes: Readonly<Partial<Record<MismatchCause, string>>> = {
  SIGNATURE_MISSING:
    'Pass all headers of the request. If a proxy or gateway stands in front, let it forward X-HMAC-Signature.',
  EVENT_ID_MISSING:
    'Pass all headers of the request. If a proxy or gateway stands in front, let it forward X-Event-ID.',
  PAYLOAD_INVALID: 'The signature is good, but this is no event. Whoever holds the API key signed something else.',
  SECRET_MISSING: 'Pass the API key of the application. Is the environment variable set where this runs?',
  SIGNATURE_DUPLICATED: 'Find what adds the header a second time: a proxy, a middleware or a test tool.',
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
  SECRET_DECODED_BY_SENDER: 'The sender must use the UTF-8 bytes of the API key as the key, not another form of it.',
  SECRET_OTHER: 'Use the API key of the application and environment that the endpoint is registered for.',
  BODY_TOO_LARGE_TO_PROBE: 'Try it again with a smaller event, such as a test event.',
  UNEXPLAINED:
    'Most often the secret is the API key of another application or environment. If it is not, compare the number of bytes passed with Content-Length, and look for whatever touches the body before the receiver does.',
}

/** What to change for a cause; everything else about a body is mended by passing the raw one. */
export function fixFor(cause: MismatchCause, rawBodyLine: string | undefined): string {
  const line = rawBodyLine ?? new WebhookVerificationError('BODY_ALREADY_PARSED').hint
  return fixes[cause] ?? `The body must arrive here byte for byte as it was sent. ${line}`
}
