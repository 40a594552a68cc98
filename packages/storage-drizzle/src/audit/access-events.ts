import type { AuditSeal } from '@kyc-relay/kyc-core/audit'
import type { AuditEvent } from '@kyc-relay/kyc-core/internal'
import type { AccessTokenRow, Grant, SignIn } from '../apps/app-directory.js'
import { rowDigestOf, type StoredApp, type StoredEndpoint, type StoredRevocation } from './access-rows.js'

/** Creates the entry for a new app. */
export function appCreatedEvent(seal: AuditSeal, app: StoredApp, atMs: number): AuditEvent {
  const { appId } = app
  const contentDigest = rowDigestOf.app(seal, app)
  return { kind: 'APP_CREATED', atMs, appId, userId: null, subject: appId, contentDigest }
}

/** Checks whether two grants are equal. */
export function isSameGrant(former: Grant, grant: Grant): boolean {
  const { accountId, externalReferenceId, scopes } = former
  if (accountId !== grant.accountId || externalReferenceId !== grant.externalReferenceId) return false
  return JSON.stringify(scopes) === JSON.stringify(grant.scopes)
}

/**
 * Creates the entry for a grant: `GRANT_NARROWED` if a former scope is missing, else `GRANT_GIVEN`.
 *
 * @param former The former grant; null when there was none.
 */
export function grantPutEvent(seal: AuditSeal, former: Grant | null, grant: Grant, atMs: number): AuditEvent {
  const { appId, userId, scopes } = grant
  const narrowed = former !== null && former.scopes.some((scope) => !scopes.includes(scope))
  const contentDigest = rowDigestOf.grant(seal, { ...grant, scopes: JSON.stringify(scopes) })
  const kind = narrowed ? 'GRANT_NARROWED' : 'GRANT_GIVEN'
  return { kind, atMs, appId, userId, subject: scopes.join(' '), contentDigest }
}

/** Creates the entry for a revoked grant, with its former scopes. It covers the row that remembers the revocation. */
export function grantRevokedEvent(
  seal: AuditSeal,
  former: Grant,
  revocation: StoredRevocation,
  atMs: number,
): AuditEvent {
  const { appId, userId, scopes } = former
  const contentDigest = rowDigestOf.revocation(seal, revocation)
  return { kind: 'GRANT_REVOKED', atMs, appId, userId, subject: scopes.join(' '), contentDigest }
}

/** Creates the entry for an issued access token. The token is identified by its SHA-256. */
export function accessTokenIssuedEvent(seal: AuditSeal, token: AccessTokenRow, atMs: number): AuditEvent {
  const { hash, appId, userId, scopes } = token
  const contentDigest = rowDigestOf.token(seal, { ...token, scopes: JSON.stringify(scopes) })
  const subject = Buffer.from(hash).toString('hex')
  return { kind: 'ACCESS_TOKEN_ISSUED', atMs, appId, userId, subject, contentDigest }
}

/** Creates the entry for a sign-in of an app or the operator. */
export function signedInEvent(seal: AuditSeal, { hash, app }: SignIn, atMs: number): AuditEvent {
  const contentDigest = seal.digest([
    app === null ? 'operator' : 'app',
    app?.appId ?? '',
    app?.keyVersion ?? null,
    hash,
  ])
  const subject = app === null ? 'operator' : String(app.keyVersion)
  return { kind: 'SIGNED_IN', atMs, appId: app?.appId ?? null, userId: null, subject, contentDigest }
}

/** Creates the entry for an endpoint that was registered, removed, paused or resumed. @param row The row afterwards. */
export function endpointEvent(
  seal: AuditSeal,
  kind: 'ENDPOINT_REGISTERED' | 'ENDPOINT_REMOVED' | 'ENDPOINT_PAUSED' | 'ENDPOINT_RESUMED',
  row: StoredEndpoint,
  atMs: number,
): AuditEvent {
  const { appId, endpointId } = row
  const contentDigest = rowDigestOf.endpoint(seal, row)
  return { kind, atMs, appId, userId: null, subject: endpointId, contentDigest }
}
