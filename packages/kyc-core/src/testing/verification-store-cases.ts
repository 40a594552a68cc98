import type { VerificationStore } from '../ingestion/verification-store.js'
import type { ConformanceCase } from './conformance-case.js'
import { idempotencyCases } from './verification-idempotency-cases.js'
import { readingCases } from './verification-reading-cases.js'
import { statusCases } from './verification-status-cases.js'

/** What a backend provides. Every case gets a fresh harness on empty data. */
export interface VerificationStoreHarness {
  /**
   * Opens a handle. A second call opens another one on the same data, like another process. A call after all handles
   * were closed sees the written data.
   */
  open(): Promise<{ readonly store: VerificationStore; close(): Promise<void> }>
}

/**
 * Lists the rules of the {@link VerificationStore} port as cases for any test runner.
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
