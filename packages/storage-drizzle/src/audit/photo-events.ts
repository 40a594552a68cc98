import type { AppUser } from '@kyc-relay/kyc-core'
import type { AuditEvent } from '@kyc-relay/kyc-core/internal'
import type { AuditSeal } from '@kyc-relay/kyc-core/audit'

/** Creates the entry for a photo with a new URL. The URL is identified by the SHA-256 of its sealed bytes. */
export function photoUrlReplacedEvent(
  seal: AuditSeal,
  photo: { readonly owner: AppUser; readonly photoJobId: string; readonly sealedUrl: Uint8Array },
  atMs: number,
): AuditEvent {
  const { owner, photoJobId, sealedUrl } = photo
  const contentDigest = seal.digest([owner.appId, owner.userId, photoJobId, sealedUrl])
  return { kind: 'PHOTO_URL_REPLACED', atMs, ...owner, subject: photoJobId, contentDigest }
}
