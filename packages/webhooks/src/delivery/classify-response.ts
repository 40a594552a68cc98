import type { AttemptCause } from './webhook-store.js'

/**
 * Checks a final status line (docs/contract.md 10.1): 200–299 is success. Every other status is a failure; a redirect
 * is never followed.
 *
 * @param status - the final status code; 1xx is never final and counts as an invalid response
 * @returns null for success, otherwise the cause of the failure
 */
export function classifyResponse(
  status: number,
): Extract<AttemptCause, 'HTTP_STATUS' | 'REDIRECT' | 'INVALID_RESPONSE'> | null {
  if (!Number.isInteger(status) || status < 200 || status > 999) return 'INVALID_RESPONSE'
  if (status <= 299) return null
  return status <= 399 ? 'REDIRECT' : 'HTTP_STATUS'
}
