import type { KycStatus } from '@kyc-relay/kyc-core'
import type { KycStatusChange } from '@kyc-relay/kyc-core/internal'

interface Move {
  readonly userId: string
  readonly previous: KycStatus
  readonly next: KycStatus
  readonly at: Date
}

/** Merges changes by submissions and by operators, each ordered by time, and returns the oldest. */
export function mergedChanges(
  submitted: readonly (Move & { readonly appId: string; readonly verificationId: string })[],
  corrected: readonly (Move & { readonly correctionId: string })[],
  limit: number,
): readonly KycStatusChange[] {
  return [
    ...submitted.map(({ at, ...change }) => ({
      ...change,
      ...({ changeId: change.verificationId, source: 'SUBMISSION', changedAt: at } as const),
    })),
    ...corrected.map(({ at, correctionId, ...change }) => ({
      ...change,
      ...({ changeId: correctionId, source: 'OPERATOR', changedAt: at } as const),
      appId: null,
      verificationId: null,
    })),
  ]
    .sort((one, other) => one.changedAt.getTime() - other.changedAt.getTime())
    .slice(0, limit)
}
