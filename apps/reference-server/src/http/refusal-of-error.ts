import { DiskSpaceError } from '../operations/disk-space/disk-space.js'
import { errorCode, errorFields, type Log, type LogFields } from '../operations/log.js'
import { BodyMemoryError } from './body-memory.js'
import type { Refusal } from './error-catalogue.js'

/** Converts an unexpected error to a refusal and logs it. Refusal and log hold at most the code of the error. */
export function refusalOfError(
  error: unknown,
  log: Log,
  fields: Pick<LogFields, 'requestId' | 'userId' | 'listener'>,
  message = 'request failed',
): Refusal {
  // Low disk space has one log line at its start and one at its end: further lines would use up the rest.
  if (error instanceof DiskSpaceError) return { code: 'UNAVAILABLE', detail: error.code }
  // Counted with the other requests refused for overload.
  if (error instanceof BodyMemoryError) return { code: 'UNAVAILABLE', detail: error.code }
  log.error(message, { ...fields, ...errorFields(error) })
  // The service is unavailable until the operator changes a setting. Clients may retry.
  const isAway = isRetryable(error) || errorCode(error) === 'DATABASE_UNUSABLE'
  return { code: isAway ? 'UNAVAILABLE' : 'INTERNAL' }
}

/** Checks whether an error of a store or the vault is retryable. */
function isRetryable(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'retryable' in error && error.retryable === true
}
