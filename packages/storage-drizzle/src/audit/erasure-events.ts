import type { AppUser } from '@kyc-relay/kyc-core'
import type { WrappedDataKey, AuditEvent } from '@kyc-relay/kyc-core/internal'
import type { AuditSeal } from '@kyc-relay/kyc-core/audit'

// Events that leave no row: only the entry records them. With its digest, the owner of a backup can prove that a token
// or a wrapped key in it was the destroyed one.

/** Creates the entry for the erasure of a user's rows outside the vault. */
export function userErasedEvent(seal: AuditSeal, owner: AppUser, atMs: number, verificationsKept: number): AuditEvent {
  const { appId, userId } = owner
  const contentDigest = seal.digest([appId, userId, verificationsKept])
  return { kind: 'USER_ERASED', atMs, appId, userId, subject: String(verificationsKept), contentDigest }
}

/** Creates the entry for the destruction of an owner's tokens and data key. */
export function ownerErasedEvent(
  seal: AuditSeal,
  owner: AppUser,
  atMs: number,
  deleted: { readonly tokens: number; readonly dataKeys: readonly WrappedDataKey[] },
): AuditEvent {
  const { appId, userId } = owner
  const keys = deleted.dataKeys.map(({ keyId, bytes }) => [keyId, bytes])
  const contentDigest = seal.digest([appId, userId, deleted.tokens, keys])
  return { kind: 'OWNER_ERASED', atMs, appId, userId, subject: String(deleted.tokens), contentDigest }
}

/** Creates the entry for a data key that was re-wrapped. */
export function dataKeyRewrappedEvent(
  seal: AuditSeal,
  former: AppUser & { readonly dataKey: WrappedDataKey },
  atMs: number,
  fresh: WrappedDataKey,
): AuditEvent {
  const { appId, userId, dataKey } = former
  const contentDigest = seal.digest([dataKey.keyId, dataKey.bytes, fresh.keyId, fresh.bytes])
  return { kind: 'DATA_KEY_REWRAPPED', atMs, appId, userId, subject: fresh.keyId, contentDigest }
}
