import type { AuditSeal } from '@kyc-relay/kyc-core/audit'
import type { NewEndpoint } from '@kyc-relay/webhooks/internal'
import type { AuditEvent } from '@kyc-relay/kyc-core/internal'
import type { Endpoint } from '@kyc-relay/webhooks/delivery'
import type { AccessTokenRow, Grant, SignIn } from '../apps/app-directory.js'

function grantEvent(seal: AuditSeal, kind: AuditEvent['kind'], grant: Grant, atMs: number): AuditEvent {
  const { appId, userId, accountId, externalReferenceId, scopes } = grant
  const contentDigest = seal.digest([appId, userId, accountId, externalReferenceId, scopes])
  return { kind, atMs, appId, userId, subject: scopes.join(' '), contentDigest }
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
  const narrowed = former !== null && former.scopes.some((scope) => !grant.scopes.includes(scope))
  return grantEvent(seal, narrowed ? 'GRANT_NARROWED' : 'GRANT_GIVEN', grant, atMs)
}

/** Creates the entry for a revoked grant, with its former scopes. */
export function grantRevokedEvent(seal: AuditSeal, former: Grant, atMs: number): AuditEvent {
  return grantEvent(seal, 'GRANT_REVOKED', former, atMs)
}

/** Creates the entry for an issued access token. The token is identified by its SHA-256. */
export function accessTokenIssuedEvent(seal: AuditSeal, token: AccessTokenRow, atMs: number): AuditEvent {
  const { hash, appId, userId, scopes, expiresAt } = token
  const contentDigest = seal.digest([appId, userId, hash, scopes, expiresAt.getTime()])
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

/**
 * Creates the entry for a registered endpoint. Of static headers it covers names and sealed bytes, and not the data key,
 * which is wrapped anew when the key file rotates.
 */
export function endpointRegisteredEvent(
  seal: AuditSeal,
  endpoint: NewEndpoint,
  lineageId: string,
  atMs: number,
): AuditEvent {
  const { endpointId, appId, url, description, eventTypes, standardWebhooks, headers, createdAt } = endpoint
  const sealedHeaders = headers == null ? [] : [headers.sealed, ...headers.names]
  const contentDigest = seal.digest([
    ...[appId, endpointId, lineageId, url, description ?? null, createdAt.getTime()],
    ...[eventTypes, standardWebhooks ? 1 : 0, ...sealedHeaders],
  ])
  return { kind: 'ENDPOINT_REGISTERED', atMs, appId, userId: null, subject: endpointId, contentDigest }
}

/** Creates the entry for a removed endpoint. */
export function endpointRemovedEvent(
  seal: AuditSeal,
  { appId, endpointId }: Pick<NewEndpoint, 'appId' | 'endpointId'>,
  atMs: number,
): AuditEvent {
  const contentDigest = seal.digest([appId, endpointId])
  return { kind: 'ENDPOINT_REMOVED', atMs, appId, userId: null, subject: endpointId, contentDigest }
}

function pauseEvent(kind: 'ENDPOINT_PAUSED' | 'ENDPOINT_RESUMED') {
  return (
    seal: AuditSeal,
    { appId, endpointId }: Pick<NewEndpoint, 'appId' | 'endpointId'>,
    by: NonNullable<Endpoint['pausedBy']>,
    atMs: number,
  ): AuditEvent => {
    const contentDigest = seal.digest([appId, endpointId, by])
    return { kind, atMs, appId, userId: null, subject: endpointId, contentDigest }
  }
}

/** Creates the entry for a paused endpoint. */
export const endpointPausedEvent = pauseEvent('ENDPOINT_PAUSED')

/** Creates the entry for an endpoint whose pause was lifted. */
export const endpointResumedEvent = pauseEvent('ENDPOINT_RESUMED')
