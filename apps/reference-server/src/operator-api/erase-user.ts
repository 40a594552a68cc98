import type { PhotoStore } from '@kyc-relay/kyc-core/photos'
import type { PiiEraser } from '@kyc-relay/kyc-core'
import type { ErasedRows, UserErasure } from '@kyc-relay/storage-drizzle/sqlite'

/** What went of one user, per app, and what stays. */
export interface ErasureReport {
  readonly userId: string
  readonly erasedAt: Date
  readonly apps: readonly (Omit<ErasedRows, 'photoJobIds' | 'verificationsKept'> & {
    readonly appId: string
    /** Tokens that no longer lead anywhere; their values and the data key are gone. */
    readonly tokensErased: number
    readonly verificationsKept: number
  })[]
  /** What stays by design, and in which form. */
  readonly kept: readonly string[]
}

/** What an erasure works with. */
export interface EraseUserDeps {
  readonly users: UserErasure
  readonly vault: Pick<PiiEraser, 'eraseOwner'>
  readonly photos: Pick<PhotoStore, 'erase'>
  readonly now: () => Date
}

/** Stays after an erasure: what the service must be able to prove, without saying who it was about. */
const kept = [
  'Verification ids, provider names, decisions, country codes, section and check outcomes, decline codes and instants.',
  'The KYC status and its log.',
  'Sealed parts of verifications, which nothing can open: their data key is destroyed.',
  'Grants with account id and external reference: revoke them with DELETE /internal/v1/grants/{appId}/{userId}.',
  'Deliveries and attempts without bodies; states of transactions without fields.',
]

/**
 * Erases one user in every app that knows them: rows first, then the vault, then photos. Harmless when repeated, so
 * that an erasure that failed half-way is finished by asking again.
 */
export async function eraseUser(userId: string, deps: EraseUserDeps): Promise<ErasureReport> {
  const apps: ErasureReport['apps'][number][] = []
  for (const appId of await deps.users.listAppsOfUser(userId)) {
    const { photoJobIds, verificationsKept, ...rows } = await deps.users.eraseUser({ appId, userId })
    const tokensErased = await deps.vault.eraseOwner({ appId, userId })
    await deps.photos.erase({ appId, userId }, photoJobIds)
    apps.push({ appId, tokensErased, ...rows, verificationsKept })
  }
  return { userId, erasedAt: deps.now(), apps, kept }
}
