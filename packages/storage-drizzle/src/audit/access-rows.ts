import type { AuditSeal } from '@kyc-relay/kyc-core/audit'
import type { AccessRow, KycStatusCorrection } from '@kyc-relay/kyc-core/internal'
import type { SealedHeaders } from '@kyc-relay/webhooks/internal'
import type { Grant } from '../apps/app-directory.js'
import type { StoredInstant } from '../stored-instant.js'
import { listOf, parsed } from './stored-json.js'

// Rows as both engines select them. Lists are JSON.

export interface StoredApp {
  readonly appId: string
  readonly name: string
}
export interface StoredApiKey {
  readonly appId: string
  readonly version: number
  readonly hash: Uint8Array
  readonly sealed: Uint8Array
  readonly createdAt: StoredInstant
  readonly signsFrom: StoredInstant
  readonly retiredAt: StoredInstant | null
  readonly issuedReason: string | null
  readonly revokedReason: string | null
}
export interface StoredGrant extends Omit<Grant, 'scopes'> {
  readonly scopes: string
}
export interface StoredRevocation {
  readonly appId: string
  readonly userId: string
  readonly revokedAt: StoredInstant
}
export interface StoredAccessToken {
  readonly hash: Uint8Array
  readonly appId: string
  readonly userId: string
  readonly scopes: string
  readonly expiresAt: StoredInstant
}
export interface StoredEndpoint {
  readonly position: number
  readonly endpointId: string
  readonly appId: string
  readonly url: string
  readonly lineageId: string
  readonly description: string | null
  readonly eventTypes: string | null
  readonly headers: string | null
  readonly standardWebhooks: number | boolean
  readonly pausedBy: string | null
  readonly createdAt: StoredInstant
  readonly removedAt: StoredInstant | null
}
export interface StoredCorrection extends Omit<KycStatusCorrection, 'at'> {
  readonly position: number
  readonly at: StoredInstant
  /** Absent on PostgreSQL, which stores the status itself. */
  readonly afterVerification?: number
}
export interface StoredRetention {
  readonly userId: string
  readonly heldAt: StoredInstant | null
  readonly holdReason: string | null
  readonly closedAt: StoredInstant | null
}

/** Reads static headers. Anything else counts as sealed bytes, so that its row differs from every entry. */
function headersOf(json: string): Pick<SealedHeaders, 'sealed' | 'names'> {
  const headers = parsed(json) as Partial<SealedHeaders> | null | undefined
  const isWhole = Array.isArray(headers?.names) && typeof headers.sealed === 'string'
  return isWhole ? (headers as SealedHeaders) : { names: [], sealed: json }
}

const msOf = (instant: StoredInstant) => Number(instant)
const msOrNull = (instant: StoredInstant | null) => (instant === null ? null : msOf(instant))

/**
 * Computes the digest of a row. An entry about it has the digest of the row after the change. Each column counts, but of
 * static headers not the data key: it is wrapped anew when the key file rotates, and another one cannot open them.
 */
export const rowDigestOf = {
  app: (seal: AuditSeal, { appId, name }: StoredApp) => seal.digest([appId, name]),
  key(seal: AuditSeal, row: StoredApiKey): string {
    const { appId, version, hash, sealed, createdAt, signsFrom, retiredAt, issuedReason, revokedReason } = row
    const times = [msOf(createdAt), msOf(signsFrom), msOrNull(retiredAt)]
    return seal.digest([appId, version, hash, sealed, ...times, issuedReason, revokedReason])
  },
  grant(seal: AuditSeal, { appId, userId, accountId, externalReferenceId, scopes }: StoredGrant): string {
    return seal.digest([appId, userId, accountId, externalReferenceId, listOf(scopes)])
  },
  revocation: (seal: AuditSeal, { appId, userId, revokedAt }: StoredRevocation) =>
    seal.digest([appId, userId, msOf(revokedAt)]),
  token(seal: AuditSeal, { appId, userId, hash, scopes, expiresAt }: StoredAccessToken): string {
    return seal.digest([appId, userId, hash, listOf(scopes), msOf(expiresAt)])
  },
  endpoint(seal: AuditSeal, row: StoredEndpoint): string {
    const headers = row.headers === null ? null : headersOf(row.headers)
    return seal.digest([
      ...[row.position, row.appId, row.endpointId, row.lineageId, row.url, row.description],
      row.eventTypes === null ? null : listOf(row.eventTypes),
      headers === null ? null : [headers.sealed, ...headers.names],
      ...[row.standardWebhooks ? 1 : 0, row.pausedBy, msOf(row.createdAt), msOrNull(row.removedAt)],
    ])
  },
  correction(seal: AuditSeal, row: StoredCorrection): string {
    const { position, correctionId, userId, previous, next, at, actor, reason, afterVerification = null } = row
    return seal.digest([position, correctionId, userId, previous, next, msOf(at), actor, reason, afterVerification])
  },
  hold: (seal: AuditSeal, { userId, heldAt, holdReason }: StoredRetention) =>
    seal.digest([userId, msOrNull(heldAt), holdReason]),
  closure: (seal: AuditSeal, { userId, closedAt }: StoredRetention) => seal.digest([userId, msOrNull(closedAt)]),
} as const

/** Names a row, and computes what an entry about it would say now. */
const named =
  <Row>(digestOf: (seal: AuditSeal, row: Row) => string, nameOf: (row: Row) => string) =>
  (seal: AuditSeal, row: Row): readonly AccessRow[] => [{ name: nameOf(row), digest: digestOf(seal, row) }]

const holdOf = named(rowDigestOf.hold, ({ userId }) => `hold ${userId}`)
const closureOf = named(rowDigestOf.closure, ({ userId }) => `closure ${userId}`)

/** Returns what entries can say about a row. */
export const accessRowsOf = {
  app: named(rowDigestOf.app, ({ appId }) => `app ${appId}`),
  key: named(rowDigestOf.key, ({ appId, version }) => `key ${appId} ${version}`),
  grant: named(rowDigestOf.grant, ({ appId, userId }) => `grant ${appId} ${userId}`),
  revocation: named(rowDigestOf.revocation, ({ appId, userId }) => `revocation ${appId} ${userId}`),
  token: named(rowDigestOf.token, ({ hash }) => `token ${Buffer.from(hash).toString('hex')}`),
  endpoint: named(rowDigestOf.endpoint, ({ endpointId }) => `endpoint ${endpointId}`),
  correction: named(rowDigestOf.correction, ({ correctionId }) => `correction ${correctionId}`),
  /** A hold and a closure share a row. */
  retention: (seal: AuditSeal, row: StoredRetention): readonly AccessRow[] => [
    ...(row.heldAt === null ? [] : holdOf(seal, row)),
    ...(row.closedAt === null ? [] : closureOf(seal, row)),
  ],
} as const
