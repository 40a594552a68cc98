import { readCases } from '../case-files.js'

/** A rule about requests that came, as data. */
export interface SenderCheck {
  /**
   * `method`, `header:<name>`, `json:<JSON Pointer>`, `body`. A header or member that is not there is null. `signature`,
   * `signature-value` (in any letter case) and `standard-webhooks` are `good` if they verify. `standard-id` is
   * `X-Event-ID` if the `webhook-id` is the same.
   */
  readonly of: string
  readonly equals?: string | number | null
  /** Regular expression. */
  readonly matches?: string
  /** All requests have the same value. */
  readonly same?: true
  /** All requests have values of their own. */
  readonly distinct?: true
}

/** An endpoint, what is done with it, and what must come. */
export interface SenderCase {
  /** Stable, `TX-…`. */
  readonly id: string
  /** A sentence with MUST. */
  readonly name: string
  /** Fields of the registration, beside `url`. */
  readonly register: Readonly<Record<string, unknown>>
  /** Answers to the requests in order; 200 after them. `{{url}}` in a header is the endpoint's URL. */
  readonly answers?: readonly { readonly status: number; readonly headers?: Readonly<Record<string, string>> }[]
  /** `test` sends a test event; `resend` sends the last delivery again once it has ended; `remove` removes the endpoint. */
  readonly steps: readonly ('test' | 'resend' | 'remove')[]
  /** Requests that must come to the endpoint. */
  readonly requests: number
  readonly checks: readonly SenderCheck[]
}

/** The cases for a server that sends webhooks; the same as `cases/sender.json`. */
export const senderCases: readonly SenderCase[] = (readCases('sender') as { readonly cases: readonly SenderCase[] })
  .cases
