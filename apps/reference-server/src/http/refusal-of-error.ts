import { DiskSpaceError } from '../operations/disk-space/disk-space.js'
import { errorCode, errorFields, type Log, type LogFields } from '../operations/log.js'
import type { Refusal } from './error-catalogue.js'

/** What an error is answered as that nobody foresaw, after a line in the log: of the error both have at most its code. */
export function refusalOfError(
  error: unknown,
  log: Log,
  fields: Pick<LogFields, 'requestId' | 'listener'>,
  message = 'request failed',
): Refusal {
  // One line tells when disk space becomes low, and one when it no longer is: more would fill what is left.
  if (error instanceof DiskSpaceError) return { code: 'UNAVAILABLE', detail: error.code }
  log.error(message, { ...fields, ...errorFields(error) })
  // Until somebody changes a setting the service is away: who asks can come again.
  const isAway = isRetryable(error) || errorCode(error) === 'DATABASE_UNUSABLE'
  return { code: isAway ? 'UNAVAILABLE' : 'INTERNAL' }
}

/** Whether an error of a store or the vault says that a retry may work. */
function isRetryable(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'retryable' in error && error.retryable === true
}
