import {
  DETAILS_PART,
  KycError,
  parseSubmissionDetails,
  type PiiRevealer,
  type VerificationRecord,
} from '@kyc-relay/kyc-core'
import type { StoredVault } from '@kyc-relay/storage-drizzle/internal'
import type { SubmissionDetails } from '@kyc-relay/kyc-core/internal'

/** Right to open sealed parts, and to find erasures. */
export type SealedParts = Pick<PiiRevealer, 'openRecord'> & {
  readonly inspection: Pick<StoredVault['inspection'], 'findErasure' | 'listAppsOfUser'>
}

/**
 * Opens a sealed part of a verification; null if the user was erased after it. The vault records who asks, and why, before
 * it opens anything.
 */
export async function openSealedPart(
  request: Parameters<PiiRevealer['openRecord']>[0],
  { recordedAt }: VerificationRecord,
  vault: SealedParts,
): Promise<string | null> {
  try {
    return await vault.openRecord(request)
  } catch (error) {
    if (!(error instanceof KycError) || error.code !== 'SEAL_BROKEN') throw error
    const { appId, userId } = request.owner
    const erasedAt = await vault.inspection.findErasure(request.owner)
    if (erasedAt === null) throw error
    if (erasedAt >= recordedAt) return null
    // A clock that was set back dates the erasure before the record. Without a data key it was certainly erased. With one
    // the user came back, and the record may be damaged.
    if (!(await vault.inspection.listAppsOfUser(userId)).includes(appId)) return null
    throw error
  }
}

/** Opens what a partner sent, for this partner. */
export async function openDetails(record: VerificationRecord, vault: SealedParts): Promise<SubmissionDetails | null> {
  const { appId, userId, verificationId, sealedDetails } = record
  const by = { actor: `app:${appId}`, purpose: 'the partner reads back its own submission' }
  const part = { recordId: verificationId, part: DETAILS_PART, sealed: sealedDetails }
  const text = await openSealedPart({ owner: { appId, userId }, ...by, ...part }, record, vault)
  return text === null ? null : parseSubmissionDetails(text)
}
