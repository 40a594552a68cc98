import type { PhotoStore } from '@kyc-relay/kyc-core/photos'
import type { ErasedRows, StoredVault } from '@kyc-relay/storage-drizzle/internal'
import type { AuditActor } from '@kyc-relay/kyc-core/audit'
import type { PiiEraser } from '@kyc-relay/kyc-core'
import type { UserErasure, UserRetention } from '@kyc-relay/storage-drizzle/sqlite'

/** Result of the erasure of one user: erased and kept data of each app. */
export interface ErasureReport {
  readonly userId: string
  readonly erasedAt: Date
  readonly apps: readonly (Omit<ErasedRows, 'photoJobIds' | 'verificationsKept'> & {
    readonly appId: string
    /** Number of erased tokens. Their values and the data key were destroyed. */
    readonly tokensErased: number
    readonly verificationsKept: number
  })[]
  /** Kept data, and its form. */
  readonly kept: readonly string[]
}

/** Dependencies of an erasure. */
export interface EraseUserDeps {
  readonly userRetention: Pick<UserRetention, 'startErasure' | 'finishErasure'>
  readonly users: UserErasure
  readonly vault: Pick<PiiEraser, 'eraseOwner'> & {
    readonly inspection: Pick<StoredVault['inspection'], 'listAppsOfUser'>
  }
  readonly photos: Pick<PhotoStore, 'erase'>
  readonly newId: () => string
  readonly now: () => Date
}

/** Whom to erase, and who asked for it. */
export interface ErasureRequest {
  readonly userId: string
  /** Erases only if the account was closed then or before. */
  readonly closedUntil?: Date
  readonly actor: AuditActor
}

/** Why nothing was erased: a legal hold, or an account that was not closed at `closedUntil`. */
export type ErasureRefusal = 'held' | 'not_due'

/** Data kept after an erasure, as proof without personal data. */
const kept = [
  'Of verifications: both ids, ids of sections, provider names, decisions, country codes, section and check outcomes, decline codes, instants, whether an SSN was validated, tokens of document numbers, and the answer of a replay.',
  'The KYC status and its log. Corrections of it, with actors and reasons as operators gave them.',
  'Sealed parts of verifications, which nothing can open: their data key is destroyed.',
  'Grants with account id and external reference: revoke them with DELETE /internal/v1/grants/{appId}/{userId}.',
  'Events and deliveries without bodies: ids, types, instants, sourceEventId. Attempts without answers: addresses, times, statuses and headers. States of transactions without fields.',
  'Ids of photo jobs and their states. Access tokens as hashes, until retention removes them.',
  'The time of this erasure.',
  'Audit entries: ids, actors, reasons and purposes as operators gave them, and HMACs whose keys are destroyed.',
  'Backups and files outside the service, as long as they are kept.',
]

/**
 * Erases one user in every app: rows and the vault, then photos. Repeat it to finish an erasure that failed
 * half-way: until then no legal hold can be placed.
 *
 * @returns Why nothing was erased, or what was.
 */
export async function eraseUser(request: ErasureRequest, deps: EraseUserDeps): Promise<ErasureReport | ErasureRefusal> {
  const { userId, actor } = request
  const erasureId = deps.newId()
  const started = await deps.userRetention.startErasure({ ...request, erasureId })
  if (started !== 'started') return started
  // A submission that failed to be recorded leaves nothing but what is sealed in the vault.
  const inVault = await deps.vault.inspection.listAppsOfUser(userId)
  const appIds = new Set([...(await deps.users.listAppsOfUser(userId)), ...inVault])
  const apps: ErasureReport['apps'][number][] = []
  const photos: { readonly appId: string; readonly ids: readonly string[] }[] = []
  for (const appId of [...appIds].sort()) {
    const { photoJobIds, verificationsKept, ...rows } = await deps.users.eraseUser({ appId, userId, actor })
    const tokensErased = await deps.vault.eraseOwner({ appId, userId })
    photos.push({ appId, ids: photoJobIds })
    apps.push({ appId, tokensErased, ...rows, verificationsKept })
  }
  // After all apps: the storage of photos can be down for long.
  for (const { appId, ids } of photos) await deps.photos.erase({ appId, userId }, ids)
  await deps.userRetention.finishErasure({ userId, erasureId })
  return { userId, erasedAt: deps.now(), apps, kept }
}
