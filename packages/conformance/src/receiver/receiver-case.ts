import { readCases } from '../case-files.js'

/** A request of a scenario, as data. `{{id:name}}` is a fresh UUID of the run, `{{pad:n}}` is n letters. */
export interface ReceiverRequest {
  /** Exact text of the body, sent as UTF-8. */
  readonly body: string
  /**
   * `good`, the default: lower-case hex of the HMAC-SHA-256 of the body, under the API key. `another key`, `another body`:
   * of these. `none`: no header. Anything else is the value of the header.
   */
  readonly signature?: string
  /** Value of `X-Event-ID`; null for none. Default: a fresh UUID. */
  readonly eventId?: string | null
  /** Adds the headers of Standard Webhooks, signed this many seconds ago; `id` is another id than the one signed. */
  readonly standardWebhooks?: { readonly secondsAgo: number; readonly id?: string }
  readonly headers?: Readonly<Record<string, string>>
  /** `accepted` is a status 200–299, `refused` is 400–499. */
  readonly expect: 'accepted' | 'refused'
}

/** A scenario: requests in order. */
export interface ReceiverCase {
  /** Stable, `RX-…`. */
  readonly id: string
  /** A sentence with MUST. */
  readonly name: string
  /** The receiver must verify the headers of Standard Webhooks. */
  readonly needs?: 'standardWebhooks'
  readonly requests: readonly ReceiverRequest[]
}

/** The scenarios for a receiver of webhooks; the same as `cases/receiver.json`. */
export const receiverCases: readonly ReceiverCase[] = (
  readCases('receiver') as { readonly cases: readonly ReceiverCase[] }
).cases
