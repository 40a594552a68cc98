import type { KycStatus } from '@kyc-relay/kyc-core'
import type { KycStatusChange } from '@kyc-relay/kyc-core/internal'
import type { StoredInstant } from '../stored-instant.js'

/** A row of the outbox as both engines select it. */
interface OutboxRow {
  readonly userId: string
  readonly changeId: string
  readonly appId: string | null
  readonly previous: KycStatus
  readonly next: KycStatus
  readonly at: StoredInstant
}

/** Builds a change from its row of the outbox. */
export function statusChangeOf({ at, ...row }: OutboxRow): KycStatusChange {
  const isCorrection = row.appId === null
  return {
    ...row,
    source: isCorrection ? 'OPERATOR' : 'SUBMISSION',
    verificationId: isCorrection ? null : row.changeId,
    changedAt: new Date(at),
  }
}
