import type { KycStatusCorrection, AccessRow } from '@kyc-relay/kyc-core/internal'
import type { AuditSeal } from '@kyc-relay/kyc-core/audit'
import type { SealedHeaders } from '@kyc-relay/webhooks/internal'
import { accessTokenIssuedEvent, endpointPausedEvent, endpointRegisteredEvent, grantPutEvent } from './access-events.js'
import { apiKeyAddedEvent, apiKeyIssuedEvent } from './api-key-events.js'
import { statusCorrectedEvent } from './recorded-content.js'

/** Rows as both engines select them. Lists are JSON, instants are milliseconds. */
export interface StoredGrant {
  readonly appId: string
  readonly userId: string
  readonly accountId: string
  readonly externalReferenceId: string
  readonly scopes: string
}
export interface StoredAccessToken {
  readonly hash: Uint8Array
  readonly appId: string
  readonly userId: string
  readonly scopes: string
  readonly expiresAt: number
}
export interface StoredApiKey {
  readonly appId: string
  readonly version: number
  readonly hash: Uint8Array
  readonly sealed: Uint8Array
  readonly issuedReason: string | null
  readonly retiredAt: number | null
}
export interface StoredEndpoint {
  readonly endpointId: string
  readonly appId: string
  readonly url: string
  readonly lineageId: string
  readonly description: string | null
  readonly createdAt: number
  readonly eventTypes: string | null
  readonly standardWebhooks: number | boolean
  readonly headers: string | null
  readonly removedAt: number | null
}

export interface StoredPause {
  readonly endpointId: string
  readonly appId: string
  readonly by: 'PARTNER' | 'OPERATOR'
}
export interface StoredCorrection extends Omit<KycStatusCorrection, 'at'> {
  readonly at: number
}

/** Parses a column; undefined for text that is not JSON, as SQL may have left it. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** Reads a list of texts. Anything else is one text, so that its row differs from every entry. */
function listOf(json: string): string[] {
  const list = parsed(json)
  return Array.isArray(list) ? list.map(String) : [json]
}

/** Reads static headers. Anything else counts as sealed bytes, so that its row differs from every entry. */
function headersOf(json: string): SealedHeaders {
  const headers = parsed(json) as Partial<SealedHeaders> | null | undefined
  const isWhole = Array.isArray(headers?.names) && typeof headers.sealed === 'string'
  return isWhole ? (headers as SealedHeaders) : { names: [], sealed: json, dataKey: '' }
}

/** Computes what an entry about a row would say now. */
export const accessRowOf = {
  grant(seal: AuditSeal, row: StoredGrant): AccessRow {
    const { contentDigest } = grantPutEvent(seal, null, { ...row, scopes: listOf(row.scopes) }, 0)
    return { name: `grant ${row.appId} ${row.userId}`, digest: contentDigest, endedAtMs: null }
  },
  token(seal: AuditSeal, row: StoredAccessToken): AccessRow {
    const token = { ...row, scopes: listOf(row.scopes), expiresAt: new Date(row.expiresAt) }
    const { subject, contentDigest } = accessTokenIssuedEvent(seal, token, 0)
    return { name: `token ${subject}`, digest: contentDigest, endedAtMs: null }
  },
  key(seal: AuditSeal, row: StoredApiKey): AccessRow {
    const unused = { createdAt: new Date(0), signsFrom: new Date(0), retiredAt: null }
    const key = { ...unused, appId: row.appId, version: row.version, hash: row.hash, sealed: row.sealed }
    const { contentDigest } =
      row.issuedReason === null ? apiKeyAddedEvent(seal, key) : apiKeyIssuedEvent(seal, key, row.issuedReason)
    return { name: `key ${row.appId} ${row.version}`, digest: contentDigest, endedAtMs: row.retiredAt }
  },
  endpoint(seal: AuditSeal, row: StoredEndpoint): AccessRow {
    const headers = row.headers === null ? null : headersOf(row.headers)
    const endpoint = {
      ...{ endpointId: row.endpointId, appId: row.appId, url: row.url, description: row.description },
      createdAt: new Date(row.createdAt),
      eventTypes: row.eventTypes === null ? null : (listOf(row.eventTypes) as never),
      standardWebhooks: Boolean(row.standardWebhooks),
      headers,
    }
    const { contentDigest } = endpointRegisteredEvent(seal, endpoint, row.lineageId, 0)
    // A removal forgets static headers, which the entry covers.
    const digest = row.removedAt === null ? contentDigest : null
    return { name: `endpoint ${row.endpointId}`, digest, endedAtMs: row.removedAt }
  },
  pause(seal: AuditSeal, row: StoredPause): AccessRow {
    const { contentDigest } = endpointPausedEvent(seal, row, row.by, 0)
    return { name: `pause ${row.endpointId}`, digest: contentDigest, endedAtMs: null }
  },
  correction(seal: AuditSeal, row: StoredCorrection): AccessRow {
    const { contentDigest } = statusCorrectedEvent(seal, { ...row, at: new Date(row.at) })
    return { name: `correction ${row.correctionId}`, digest: contentDigest, endedAtMs: null }
  },
} as const
