import type { AttemptResult, EndpointHour } from '@kyc-relay/webhooks/delivery'

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
  const counts = new Map<string, CountedAttempts<Endpoint>>()
  for (const { endpoint, result } of results) {
    if (result.attempt.state === 'UNSENT') continue
    const cause = storedCause(result.attempt)
    const key = `${keyOf(endpoint)} ${cause}`
    const before = counts.get(key)
    counts.set(key, {
      endpoint,
      cause,
      attempts: (before?.attempts ?? 0) + 1,
      firstAttempts: (before?.firstAttempts ?? 0) + Number(result.fence.attempt === 1),
      failedDeliveries: (before?.failedDeliveries ?? 0) + Number(result.next.state === 'FAILED'),
    })
  }
  return [...counts.values()]
}

/** Reads a row of counts. */
export function readHour(row: Omit<EndpointHour, 'cause'> & { readonly cause: string }): EndpointHour {
  return { ...row, cause: row.cause === '' ? null : (row.cause as EndpointHour['cause']) }
}
