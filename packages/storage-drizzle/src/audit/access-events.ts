import type { AuditEvent, AuditSeal } from '@kyc-relay/kyc-core'
import type { AccessTokenRow, Grant } from '../app-directory.js'

function grantEvent(seal: AuditSeal, kind: AuditEvent['kind'], grant: Grant, atMs: number): AuditEvent {
  const { appId, userId, accountId, externalReferenceId, scopes } = grant
  const contentDigest = seal.digest([appId, userId, accountId, externalReferenceId, scopes])
  return { kind, atMs, appId, userId, subject: scopes.join(' '), contentDigest }
}

/** Whether putting `grant` in place of `former` changes nothing. */
export function isSameGrant(former: Grant, grant: Grant): boolean {
  const { accountId, externalReferenceId, scopes } = former
  if (accountId !== grant.accountId || externalReferenceId !== grant.externalReferenceId) return false
  return JSON.stringify(scopes) === JSON.stringify(grant.scopes)
}

/**
 * A user granted scopes to an app: `GRANT_NARROWED` where one of the former scopes is gone, else `GRANT_GIVEN`.
 *
 * @param former The grant until now; null when there was none.
 */
export function grantPutEvent(seal: AuditSeal, former: Grant | null, grant: Grant, atMs: number): AuditEvent {
  const narrowed = former !== null && former.scopes.some((scope) => !grant.scopes.includes(scope))
  return grantEvent(seal, narrowed ? 'GRANT_NARROWED' : 'GRANT_GIVEN', grant, atMs)
}

/** A user's grant to an app was revoked. The entry says what was granted until then. */
export function grantRevokedEvent(seal: AuditSeal, former: Grant, atMs: number): AuditEvent {
  return grantEvent(seal, 'GRANT_REVOKED', former, atMs)
}

/** An access token was issued. The entry names it by its SHA-256, as its row does. */
export function accessTokenIssuedEvent(seal: AuditSeal, token: AccessTokenRow, atMs: number): AuditEvent {
  const { hash, appId, userId, scopes, expiresAt } = token
  const contentDigest = seal.digest([appId, userId, hash, scopes, expiresAt.getTime()])
  const subject = Buffer.from(hash).toString('hex')
  return { kind: 'ACCESS_TOKEN_ISSUED', atMs, appId, userId, subject, contentDigest }
}
