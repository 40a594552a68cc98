import { reportOfCause, type AttemptReport } from '@kyc-relay/webhooks/delivery'

/** Reads the stored report of an attempt. A fact that came later than the report has the value of an attempt that saw nothing. */
export function readReport(stored: string | null, responseBody: Uint8Array | null): AttemptReport | null {
  if (stored === null) return null
  return { ...reportOfCause('INTERNAL_ERROR'), ...(JSON.parse(stored) as Partial<AttemptReport>), responseBody }
}
