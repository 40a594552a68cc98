import type { AppUser, PiiEraser, PiiField, RevealRequest, Token, WrappedDataKey } from '@kyc-relay/kyc-core'
import type { AuditLog } from '@kyc-relay/kyc-core/audit'
import type { NewTokenRow } from './sealing.js'
import type { VaultInspection } from './vault-inspection.js'

/** A data key as stored. `position` tells it from a later key of the same owner. */
export interface DataKeyRow extends AppUser {
  readonly position: number
  readonly dataKey: WrappedDataKey
}

/** A token as stored. */
export interface TokenRow {
  readonly token: Token
  readonly field: PiiField
  readonly sealed: Uint8Array | null
  readonly createdAt: Date
  readonly inQuarantine: boolean
}

/** What was looked at, for the audit: a token, or a part of a record. */
export type AuditSubject = { readonly token: Token } | { readonly recordId: string; readonly part: string }

/** Ages of tokens and what is in quarantine, as the methods of the same names of `PiiEraser` describe them. */
export type QuarantineRows = Pick<
  PiiEraser,
  'listOlderThan' | 'quarantine' | 'listQuarantined' | 'restore' | 'destroyQuarantined' | 'countTokens'
>

/** The rows of a vault in one engine. Every method is one atomic unit of work; writes resolve when durable. */
export interface VaultRows extends QuarantineRows {
  /** Null where none is kept. */
  readonly audit: AuditLog | null
  readonly inspection: VaultInspection
  findDataKey(owner: AppUser): Promise<DataKeyRow | null>
  /** Writes the owner's first data key and all rows sealed under it, or nothing and answers false when the owner has a key. */
  insertDataKeyAndTokens(owner: AppUser, dataKey: WrappedDataKey, rows: readonly NewTokenRow[]): Promise<boolean>
  /** Writes all rows, or none and answers false when the owner's data key is not that one any more. */
  insertTokens(owner: AppUser, dataKeyPosition: number, rows: readonly NewTokenRow[]): Promise<boolean>
  findToken(owner: AppUser, token: string): Promise<TokenRow | null>
  /** In the order asked. */
  findTokens(owner: AppUser, tokens: readonly string[]): Promise<readonly (TokenRow | null)[]>
  /** The row of a reveal; with an audit log, its entry in the same transaction. So do the other writes below. */
  insertAudit(request: RevealRequest, subject: AuditSubject): Promise<void>
  /** Deletes the tokens and the data key; answers how many tokens, and the key if there was one. */
  deleteOwner(owner: AppUser): Promise<{ readonly tokens: number; readonly dataKeys: readonly WrappedDataKey[] }>
  listDataKeysNotUnder(keyId: string, limit: number): Promise<readonly DataKeyRow[]>
  countDataKeysNotUnder(keyId: string): Promise<number>
  /** False when the key was replaced meanwhile. */
  replaceDataKey(former: DataKeyRow, fresh: WrappedDataKey): Promise<boolean>
  /** Writes the row that is there for a readiness check. */
  tryWrite(): Promise<void>
  close(): Promise<void>
}
