import { DiskSpaceError } from '../operations/disk-space/disk-space.js'
import { errorCode, errorFields, type Log, type LogFields } from '../operations/log.js'
import { BodyMemoryError } from './body-memory.js'
import type { Refusal } from './error-catalogue.js'

/**
 * The service is unavailable until the operator repairs the database. Clients may retry. A refused statement of the
 * server means that a table is missing.
 */
const repairedByOperator: ReadonlySet<string> = new Set(['DATABASE_UNUSABLE', 'STATEMENT_REFUSED'])

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
  const isAway = isRetryable(error) || repairedByOperator.has(errorCode(error))
  return { code: isAway ? 'UNAVAILABLE' : 'INTERNAL' }
}

/** Checks whether an error of a store or the vault is retryable. */
function isRetryable(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'retryable' in error && error.retryable === true
}
