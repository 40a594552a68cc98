import type { Log, LogFields } from '../operations/log.js'

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

/** Interval of log lines for one listener and reason, in milliseconds. Repetitions are counted. */
const quietMs = 10_000

/**
 * Counts failed authentications and logs them. The first of a listener and reason is logged at once; further ones
 * within 10 s become one line with their number. So attackers cannot flood the log.
 */
export function createFailedAuthentications(deps: {
  readonly log: Log
  readonly count: (listener: Listener, reason: AuthenticationFailure) => void
  /** Calls back after a number of milliseconds. It must not keep the process running. */
  readonly schedule: (callback: () => void, delayMs: number) => void
}): FailedAuthentications {
  const { log, count, schedule } = deps
  /** Number of failures not logged yet, by listener and reason. */
  const quiet = new Map<string, number>()

  return {
    note({ listener, reason, requestId }) {
      count(listener, reason)
      const key = `${listener} ${reason}`
      const unwritten = quiet.get(key)
      if (unwritten !== undefined) return void quiet.set(key, unwritten + 1)
      quiet.set(key, 0)
      log.warn('authentication failed', { requestId, listener, reason })
      schedule(() => {
        const more = quiet.get(key) ?? 0
        quiet.delete(key)
        if (more > 0) log.warn('authentication failed again', { listener, reason, count: more })
      }, quietMs)
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
