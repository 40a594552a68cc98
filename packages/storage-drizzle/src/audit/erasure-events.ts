import type { AppUser, Token, WrappedDataKey } from '@kyc-relay/kyc-core'
import type { AuditEvent, AuditSeal } from '@kyc-relay/kyc-core/audit'

// What leaves no row to be compared with: the entry alone says that it happened. Its digest lets somebody who still holds
// what was destroyed, a token or a wrapped key from a backup, show that it was that.

/** A user's rows outside the vault were erased. */
export function userErasedEvent(seal: AuditSeal, owner: AppUser, atMs: number, verificationsKept: number): AuditEvent {
  const { appId, userId } = owner
  const contentDigest = seal.digest([appId, userId, verificationsKept])
  return { kind: 'USER_ERASED', atMs, appId, userId, subject: String(verificationsKept), contentDigest }
}

/** An owner's tokens and data key were destroyed. */
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

/** Tokens entered quarantine, left it, or were destroyed after it. */
export function tokensEvent(
  seal: AuditSeal,
  kind: 'TOKENS_QUARANTINED' | 'TOKENS_RESTORED' | 'TOKENS_ERASED',
  atMs: number,
  tokens: readonly Token[],
): AuditEvent {
  const contentDigest = seal.digest([...tokens].sort())
  return { kind, atMs, appId: null, userId: null, subject: String(tokens.length), contentDigest }
}

/** A data key was moved under another wrapping key. */
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
