import type { AuditEvent, AuditSeal } from '@kyc-relay/kyc-core'
import type { ApiKeyRow, SealedApiKeyReplacement } from '../app-directory.js'

/** A version of an app's API key was added: the first one with the app, later ones to rotate it. */
export function apiKeyAddedEvent(seal: AuditSeal, { appId, version, hash, createdAt }: ApiKeyRow): AuditEvent {
  const contentDigest = seal.digest([appId, version, hash])
  return {
    kind: 'API_KEY_ADDED',
    atMs: createdAt.getTime(),
    appId,
    userId: null,
    subject: String(version),
    contentDigest,
  }
}

/** A version signs from now on, and older ones are retired. */
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

/** The key of a version is the same, and sealed under another wrapping key. */
export function apiKeyRewrappedEvent(
  seal: AuditSeal,
  { appId, version, fresh, now }: SealedApiKeyReplacement,
): AuditEvent {
  const contentDigest = seal.digest([appId, version, fresh])
  return {
    kind: 'API_KEY_REWRAPPED',
    atMs: now.getTime(),
    appId,
    userId: null,
    subject: String(version),
    contentDigest,
  }
}
