import type { Log, LogFields } from '../operations/log.js'
import { createRateLimitedWarning } from '../operations/rate-limited-warning.js'

/** Reasons of a refused credential. They name the required kind, never the given value. */
export type AuthenticationFailure =
  | 'ACCESS_TOKEN_MISSING'
  | 'ACCESS_TOKEN_INVALID'
  | 'API_KEY_MISSING'
  | 'API_KEY_INVALID'
  | 'INTERNAL_TOKEN_MISSING'
  | 'INTERNAL_TOKEN_INVALID'
  | 'OPERATOR_TOKEN_INVALID'
  | 'METRICS_TOKEN_MISSING'
  | 'METRICS_TOKEN_INVALID'
  | 'APP_SIGN_IN_REFUSED'
  | 'OPERATOR_SIGN_IN_REFUSED'
  | 'SESSION_INVALID'

type Listener = NonNullable<LogFields['listener']>

/** Records refused credentials of every authentication. */
export interface FailedAuthentications {
  note(failure: {
    readonly listener: Listener
    readonly reason: AuthenticationFailure
    readonly requestId: string
  }): void
}

/**
 * Counts failed authentications and logs them. The first of a listener and reason is logged at once; further ones
 * become one line every 10 s with their number. So attackers cannot flood the log.
 */
export function createFailedAuthentications(deps: {
  readonly log: Log
  readonly count: (listener: Listener, reason: AuthenticationFailure) => void
}): FailedAuthentications {
  const { log, count } = deps
  /** Warnings of a request, by listener and reason. */
  const warnings = new Map<string, (requestId: string) => void>()

  const createWarning = (listener: Listener, reason: AuthenticationFailure) =>
    createRateLimitedWarning<string>((more, requestId) => {
      if (requestId === null) log.warn('authentication failed again', { listener, reason, count: more })
      else log.warn('authentication failed', { requestId, listener, reason })
    })

  return {
    note({ listener, reason, requestId }) {
      count(listener, reason)
      const key = `${listener} ${reason}`
      const warn = warnings.get(key) ?? createWarning(listener, reason)
      warnings.set(key, warn)
      warn(requestId)
    },
  }
}

/** Distinguishes a missing `Authorization` header from a wrong one. */
export function failureOf<Missing extends AuthenticationFailure, Invalid extends AuthenticationFailure>(
  authorization: string | undefined,
  missing: Missing,
  invalid: Invalid,
): Missing | Invalid {
  return authorization === undefined ? missing : invalid
}
