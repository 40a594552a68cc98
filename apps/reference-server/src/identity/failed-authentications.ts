import type { Log, LogFields } from '../operations/log.js'

/** Why a credential was refused. Says which one was asked for, never what was given. */
export type AuthenticationFailure =
  | 'ACCESS_TOKEN_MISSING'
  | 'ACCESS_TOKEN_INVALID'
  | 'API_KEY_MISSING'
  | 'API_KEY_INVALID'
  | 'INTERNAL_TOKEN_MISSING'
  | 'INTERNAL_TOKEN_INVALID'
  | 'METRICS_TOKEN_MISSING'
  | 'METRICS_TOKEN_INVALID'
  | 'APP_SIGN_IN_REFUSED'
  | 'OPERATOR_SIGN_IN_REFUSED'
  | 'SESSION_INVALID'

type Listener = NonNullable<LogFields['listener']>

/** Where every authentication tells that it refused a credential. */
export interface FailedAuthentications {
  note(failure: {
    readonly listener: Listener
    readonly reason: AuthenticationFailure
    readonly requestId: string
  }): void
}

/** After a line about one listener and reason, more of the same are counted for this long. */
const quietMs = 10_000

/**
 * Counts failed authentications and writes them to the log. The first of a listener and reason is written at once; what
 * follows within 10 s is one line with its number. So strangers cannot flood the log, however often they try.
 */
export function createFailedAuthentications(deps: {
  readonly log: Log
  readonly count: (listener: Listener, reason: AuthenticationFailure) => void
  /** Calls back after so many milliseconds; must not keep the process running. */
  readonly schedule: (callback: () => void, delayMs: number) => void
}): FailedAuthentications {
  const { log, count, schedule } = deps
  /** How many were not written yet, by listener and reason. */
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

/** Which of two reasons it is: no `Authorization` header, or one that does not fit. */
export function failureOf<Missing extends AuthenticationFailure, Invalid extends AuthenticationFailure>(
  authorization: string | undefined,
  missing: Missing,
  invalid: Invalid,
): Missing | Invalid {
  return authorization === undefined ? missing : invalid
}
