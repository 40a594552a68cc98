import type { AuditSeal } from '@kyc-relay/kyc-core/audit'
import type { AuditEvent } from '@kyc-relay/kyc-core/internal'
import type { ApiKeyRow } from '../apps/app-directory.js'

/** What an entry covers of a key: its hash, its sealed bytes, and the operator's reason if the operator issued it. */
type CoveredKey = Pick<ApiKeyRow, 'appId' | 'version' | 'hash' | 'sealed'>

const digestOf = (seal: AuditSeal, { appId, version, hash, sealed }: CoveredKey, reason: string | null) =>
  seal.digest([appId, version, hash, sealed, reason])

/** Creates the entry for an added version of an app's API key: the first one with the app, later ones in a rotation. */
export function apiKeyAddedEvent(seal: AuditSeal, key: ApiKeyRow): AuditEvent {
  const { appId, version, createdAt } = key
  const contentDigest = digestOf(seal, key, null)
  return {
    kind: 'API_KEY_ADDED',
    atMs: createdAt.getTime(),
    appId,
    userId: null,
    subject: String(version),
    contentDigest,
  }
}

/** Creates the entry for an activated version; older versions are retired. */
export function apiKeyActivatedEvent(
  seal: AuditSeal,
  activated: { readonly appId: string; readonly version: number; readonly now: Date; readonly retireOldAt: Date },
): AuditEvent {
  const { appId, version, now, retireOldAt } = activated
  const contentDigest = seal.digest([appId, version, retireOldAt.getTime()])
  return {
    kind: 'API_KEY_ACTIVATED',
    atMs: now.getTime(),
    appId,
    userId: null,
    subject: String(version),
    contentDigest,
  }
}

/** Creates the entry for a key that was sealed under another wrapping key. */
export function apiKeyRewrappedEvent(
  seal: AuditSeal,
  key: CoveredKey & { readonly issuedReason: string | null },
  now: Date,
): AuditEvent {
  const { appId, version, issuedReason } = key
  const contentDigest = digestOf(seal, key, issuedReason)
  return {
    kind: 'API_KEY_REWRAPPED',
    atMs: now.getTime(),
    appId,
    userId: null,
    subject: String(version),
    contentDigest,
  }
}

/** Creates the entry for a discarded waiting version, which never signed. */
export function apiKeyDiscardedEvent(
  seal: AuditSeal,
  discarded: { readonly appId: string; readonly version: number; readonly now: Date },
): AuditEvent {
  const { appId, version, now } = discarded
  const contentDigest = seal.digest([appId, version])
  const subject = String(version)
  return { kind: 'API_KEY_DISCARDED', atMs: now.getTime(), appId, userId: null, subject, contentDigest }
}

/** Creates the entry for a version revoked by its partner (no reason) or by the operator. */
export function apiKeyRevokedEvent(
  seal: AuditSeal,
  revoked: {
    readonly appId: string
    readonly version: number
    readonly now: Date
    readonly reason: string | null
  },
): AuditEvent {
  const { appId, version, now, reason } = revoked
  const contentDigest = seal.digest([appId, version, reason])
  const subject = String(version)
  return { kind: 'API_KEY_REVOKED', atMs: now.getTime(), appId, userId: null, subject, contentDigest }
}

/** Creates the entry for a version that the operator issued to an app that lost its key. */
export function apiKeyIssuedEvent(seal: AuditSeal, key: ApiKeyRow, reason: string): AuditEvent {
  const { appId, version, createdAt } = key
  const contentDigest = digestOf(seal, key, reason)
  const subject = String(version)
  return { kind: 'API_KEY_ISSUED', atMs: createdAt.getTime(), appId, userId: null, subject, contentDigest }
}
