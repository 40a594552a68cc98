import type { AttemptCause, AttemptReport } from './webhook-store.js'

/** One HTTP POST to make. */
export interface SendRequest {
  readonly url: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** Remaining time of the attempt in whole milliseconds, for name resolution, connection, TLS and the status line. */
  readonly timeoutMs: number
}

/** Result of one POST. `status` is set when a final status line arrived in time. `cause` is null only for 200–299. */
export type SendResult = Omit<AttemptReport, 'keyVersion'>

/**
 * Makes one POST and returns its result. Never follows a redirect. Never rejects because of an endpoint.
 *
 * A member that is left out is recorded as unknown: `{ status: 200 }` is enough. Without a cause the status decides. With
 * `RESOLVER_DOWN` nothing was sent.
 */
export type Sender = (request: SendRequest) => Promise<Partial<SendResult>>

/** Creates a result with a cause and no other data. */
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
