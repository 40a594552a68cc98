import type { AttemptCause, AttemptReport } from './webhook-store.js'

/** One HTTP POST to make. */
export interface SendRequest {
  readonly url: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** What is left of the attempt, in whole milliseconds: name resolution, connection, TLS and the status line included. */
  readonly timeoutMs: number
}

/** What came of one POST. `status` is set once a final status line arrived in time; `cause` is null for 200–299 only. */
export type SendResult = Omit<AttemptReport, 'keyVersion'>

/**
 * Makes one POST and says what came of it. Never follows a redirect, never rejects for what an endpoint does.
 *
 * `RESOLVER_DOWN` promises that nothing was sent.
 */
export type Sender = (request: SendRequest) => Promise<SendResult>

/** A result in which nothing was seen but the cause. */
export function resultOfCause(cause: AttemptCause): SendResult {
  return {
    cause,
    status: null,
    address: null,
    timings: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: null },
    responseHeaders: {},
    responseBody: null,
  }
}
