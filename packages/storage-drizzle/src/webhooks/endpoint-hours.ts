import type { AttemptResult, EndpointHour } from '@kyc-relay/webhooks/delivery'
import { groupBy } from '../group-by.js'

/** Attempts of one call to one endpoint that ended with one cause. */
export type CountedAttempts<Endpoint> = Omit<EndpointHour, 'endpointId' | 'hour' | 'cause'> & {
  readonly endpoint: Endpoint
  /** Empty if the receiver acknowledged. */
  readonly cause: string
}

export const hourMs = 3_600_000

/** The stored cause of an attempt: empty if the receiver acknowledged. */
export function storedCause({ state, report }: AttemptResult['attempt']): string {
  return state === 'SUCCEEDED' ? '' : (report.cause ?? 'INTERNAL_ERROR')
}

/** Counts the attempts of a call that were sent, by endpoint and cause. */
export function countAttempts<Endpoint>(
  results: readonly { readonly endpoint: Endpoint; readonly result: AttemptResult }[],
  keyOf: (endpoint: Endpoint) => string,
): readonly CountedAttempts<Endpoint>[] {
  const sent = results.filter(({ result }) => result.attempt.state !== 'UNSENT')
  const groups = groupBy(sent, ({ endpoint, result }) => `${keyOf(endpoint)} ${storedCause(result.attempt)}`)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    return first === undefined
      ? []
      : {
          endpoint: first.endpoint,
          cause: storedCause(first.result.attempt),
          attempts: group.length,
          firstAttempts: group.filter(({ result }) => result.fence.attempt === 1).length,
          failedDeliveries: group.filter(({ result }) => result.next.state === 'FAILED').length,
        }
  })
}

/** Reads a row of counts. */
export function readHour(row: Omit<EndpointHour, 'cause'> & { readonly cause: string }): EndpointHour {
  return { ...row, cause: row.cause === '' ? null : (row.cause as EndpointHour['cause']) }
}
