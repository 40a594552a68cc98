import { KycError, type PiiTokenizer } from '@kyc-relay/kyc-core'
import { photoPart, type PhotoSide } from '@kyc-relay/kyc-core/internal'
import type { AuditActor } from '@kyc-relay/kyc-core/audit'
import { type PhotoJobStore } from '@kyc-relay/kyc-core/photos'
import type { VerificationOverview } from '../storage/verification-overview.js'

/** Dependencies of a new photo URL. */
export interface PhotoUrlDeps {
  readonly overview: Pick<VerificationOverview, 'findOwner'>
  readonly photoJobs: Pick<PhotoJobStore, 'listPhotos' | 'replaceUrl'>
  readonly vault: Pick<PiiTokenizer, 'tokenize'>
}

/** Seals a new URL for a photo that is `UNAVAILABLE` or `REFUSED`, and queues the photo. */
export async function replacePhotoUrl(
  request: {
    readonly verificationId: string
    readonly side: PhotoSide
    readonly url: string
    readonly actor: AuditActor
  },
  { overview, photoJobs, vault }: PhotoUrlDeps,
): Promise<'replaced' | 'not_replaceable' | 'not_found'> {
  const { verificationId, side, url, actor } = request
  const owner = await overview.findOwner(verificationId)
  if (owner === null) return 'not_found'
  const photo = (await photoJobs.listPhotos(owner, verificationId)).find((one) => one.side === side)
  if (photo === undefined) return 'not_found'
  // Before anything is sealed: sealing for an erased user would make a new data key.
  if (photo.state !== 'UNAVAILABLE' && photo.state !== 'REFUSED') return 'not_replaceable'
  const part = { kind: 'record', recordId: verificationId, part: photoPart(side), value: url } as const
  const [sealed] = await vault.tokenize(owner, [part])
  if (sealed?.kind !== 'record') throw new KycError('VAULT_UNAVAILABLE')
  return photoJobs.replaceUrl({ owner, verificationId, side, sealedUrl: sealed.sealed, actor })
}
