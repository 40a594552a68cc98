import type { VerificationStore } from '../ingestion/verification-store.js'
import type { ConformanceCase } from './conformance-case.js'
import { idempotencyCases } from './verification-idempotency-cases.js'
import { readingCases } from './verification-reading-cases.js'
import { statusCases } from './verification-status-cases.js'

/** What a backend gives the cases. Every case gets a harness of its own on empty data. */
export interface VerificationStoreHarness {
  /**
   * A handle on the harness's data. A second call gives another handle on the same data, as another process would have
   * it; a call after every handle was closed finds what was written.
   */
  open(): Promise<{ readonly store: VerificationStore; close(): Promise<void> }>
}

/**
 * Every MUST of the {@link VerificationStore} port, as data: no test runner inside.
 *
 * @example
 * ```ts
 * import { verificationStoreCases, type VerificationStoreHarness } from '@kyc-relay/kyc-core/testing'
 *
 * async function check(newHarness: () => VerificationStoreHarness): Promise<void> {
 *   for (const each of verificationStoreCases) await each.run(newHarness()) // or it(each.name, () => …)
 * }
 * ```
 */
export const verificationStoreCases: readonly ConformanceCase<VerificationStoreHarness>[] = [
  ...idempotencyCases,
  ...statusCases,
  ...readingCases,
]
